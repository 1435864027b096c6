#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "policy/model/attention_families.h"
#include "policy/model/attention_kernels.h"
#include "policy/model/element_type.h"
#include "policy/model/tile_product.h"
#include "policy/model/train_kernels.h"

// Shared by both directions of tiled attention; T is float or c10::BFloat16.
namespace kg::policy::tiles {

// Memory of one thread, aligned for vectors.
template <typename T>
class Space {
 public:
  explicit Space(std::int64_t size)
      : tensor_(at::empty({size}, c10::CppTypeToScalarType<T>::value)), data_(tensor_.template mutable_data_ptr<T>()) {}
  T* data() const { return data_; }

 private:
  at::Tensor tensor_;
  T* data_;
};

// One head of a tensor (T, heads, D).
template <typename T>
struct Head {
  T* data;
  std::int64_t stride, width;  // elements from token to token; D
  T* row(std::int64_t token) const { return data + token * stride; }
};

template <typename T>
Head<T> head_of(const at::Tensor& x, std::int64_t head) {
  return {x.mutable_data_ptr<T>() + head * x.size(2), x.size(1) * x.size(2), x.size(2)};
}

// A head of queries and its head of keys and values.
template <typename T>
struct Inputs {
  Head<T> query, key, value;
  Inputs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, std::int64_t head)
      : query(head_of<T>(q, head)),
        key(head_of<T>(k, head / (q.size(1) / k.size(1)))),
        value(head_of<T>(v, head / (q.size(1) / k.size(1)))) {}
  float scale() const { return 1 / std::sqrt(static_cast<float>(query.width)); }
};

inline void from_floats(const float* x, std::int64_t n, float* y) { std::copy_n(x, n, y); }
inline void from_floats(const float* x, std::int64_t n, c10::BFloat16* y) { narrow_row(x, n, elements(y)); }

// x (kTile x columns) as the right side of a product, in `space`, or in place if no copy is needed.
inline const float* right_side(const float* x, std::int64_t, float*) { return x; }
inline const c10::BFloat16* right_side(const c10::BFloat16* x, std::int64_t columns, c10::BFloat16* space) {
  pair_rows(elements(x), kTile, columns, elements(space));
  return space;
}

// The transpose of x (kTile x columns) as the right side of a product, and as the left side of one. Of bf16 the right
// side has pairs of a row of x side by side, so that pairs are what is transposed.
template <typename T>
void transposed_right_side(const T* x, std::int64_t columns, T* y) {
  const std::int64_t words = columns * static_cast<std::int64_t>(sizeof(T)) / 4;
  transpose_words(x, kTile, words, y);
}
inline void transposed_left_side(const float* x, std::int64_t columns, float* y) {
  transpose_words(x, kTile, columns, y);
}
inline void transposed_left_side(const c10::BFloat16* x, std::int64_t columns, c10::BFloat16* y) {
  transpose_halves(elements(x), kTile, columns, columns, elements(y));
}

// `count` tokens from `begin` on, then rows of zeros up to kTile.
template <typename T>
void copy_tile(const Head<T>& head, std::int64_t begin, std::int64_t count, T* to) {
  for (std::int64_t i = 0; i < count; ++i) std::copy_n(head.row(begin + i), head.width, to + i * head.width);
  std::fill_n(to + count * head.width, (kTile - count) * head.width, T(0));
}

// Runs `work(head, family, scratch)` for all heads of all families, distributed over the threads; each thread has a
// Scratch(D, most tiles of a family).
template <typename Scratch, typename Work>
void for_each_task(const at::Tensor& query, const std::vector<Segment>& segments, Work work) {
  const std::vector<Family> families = families_of(segments);
  const std::int64_t heads = query.size(1), width = query.size(2), tiles = most_tiles(families);
  const std::int64_t tasks = heads * static_cast<std::int64_t>(families.size());
  std::atomic<std::int64_t> next{0};
  at::parallel_for(0, std::min<std::int64_t>(at::get_num_threads(), tasks), /*grain_size=*/1,
                   [&](std::int64_t, std::int64_t) {
                     Scratch scratch(width, tiles);
                     for (std::int64_t i = next++; i < tasks; i = next++)
                       work(i % heads, families[static_cast<std::size_t>(i / heads)], scratch);
                     end_tile_products();
                   });
}

}  // namespace kg::policy::tiles
