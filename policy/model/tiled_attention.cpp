// Theory of operation. A task is one head of one family of segments. Its keys and values are first laid out in tiles of
// 64 tokens, each segment in its own tiles, the last one padded with zeros, so that products have one of few
// shapes. Then its queries are processed against the keys, those of an answer first over its prompt's and then over its
// own, up to the diagonal; the softmax of a row is updated with each piece of keys. The backward pass visits the same
// pairs of tiles once more (tiled_attention_backward.cpp).
//
// In bf16, scores are products of bf16 numbers, with sums in fp32; probabilities are rounded to bf16 for the
// product with the values.
#include "policy/model/tiled_attention.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <array>
#include <cmath>
#include <limits>

#include "policy/model/attention_tiles.h"
#include "policy/model/element_type.h"

namespace kg::policy {
namespace {

using namespace tiles;

constexpr std::int64_t kPieceTiles = 4;  // tiles of keys between two steps of a softmax

template <typename T>
struct Scratch {
  Scratch(std::int64_t width, std::int64_t tiles)
      : keys(tiles * kTile * width),
        values(tiles * kTile * width),
        tile(kTile * width),
        query(kTile * width),
        scores(kTile * kTile * kPieceTiles),
        probabilities(kTile * kTile * kPieceTiles),
        out(kTile * width) {}
  // For the family, as right sides of products.
  Space<T> keys;    // (tiles, D, kTile)
  Space<T> values;  // (tiles, kTile, D)
  Space<T> tile;    // (kTile, D)
  // For a tile of queries: the queries, a piece of scores, and the result.
  Space<T> query;          // (kTile, D)
  Space<float> scores;     // (kTile, columns), columns = kTile x the tiles of the piece
  Space<T> probabilities;  // (kTile, columns)
  Space<float> out;        // (kTile, D)
};

template <typename T>
void lay_out_keys(const Inputs<T>& in, const Family& family, Scratch<T>& s) {
  const std::int64_t width = in.key.width, size = kTile * width;
  for_each_tile(family, [&](std::int64_t tile, std::int64_t begin, std::int64_t count) {
    copy_tile(in.key, begin, count, s.tile.data());
    transposed_right_side(s.tile.data(), width, s.keys.data() + tile * size);
    copy_tile(in.value, begin, count, s.tile.data());
    T* const to = s.values.data() + tile * size;
    if (const T* from = right_side(s.tile.data(), width, to); from != to) std::copy_n(from, size, to);
  });
}

// The softmax of a tile of queries so far.
struct SoftmaxState {
  std::array<float, kTile> highest, sum;
  bool begun = false;
  SoftmaxState() {
    highest.fill(-std::numeric_limits<float>::infinity());
    sum.fill(0);
  }
};

// Here scores become probabilities: in fp32 in place.
float* probabilities_of(const Scratch<float>& s) { return s.scores.data(); }
c10::BFloat16* probabilities_of(const Scratch<c10::BFloat16>& s) { return s.probabilities.data(); }

float softmax_step(float* scores, std::int64_t n, std::int64_t width, float scale, float* highest, float* sum, float*) {
  return softmax_piece(scores, n, width, scale, highest, sum);
}
float softmax_step(const float* scores, std::int64_t n, std::int64_t width, float scale, float* highest, float* sum,
                   c10::BFloat16* probabilities) {
  return softmax_piece(scores, n, width, scale, highest, sum, elements(probabilities));
}

// Takes up to kPieceTiles tiles of keys, from `first` of `range` on, into the softmax of `count` queries.
template <typename T>
void attend_to_piece(const Inputs<T>& in, const Range& range, std::int64_t first, std::int64_t count,
                     SoftmaxState& state, Scratch<T>& s) {
  const std::int64_t tiles = std::min(kPieceTiles, range.count - first), columns = tiles * kTile;
  const std::int64_t width = in.query.width, size = kTile * width, at = (range.first + first) * size;
  float* const scores = s.scores.data();         // (kTile, columns)
  T* const probabilities = probabilities_of(s);  // (kTile, columns)
  for (std::int64_t j = 0; j < tiles; ++j)
    tile_product({.m = kTile, .n = kTile, .k = width, .a_stride = width, .c_stride = columns}, s.query.data(),
                 s.keys.data() + at + j * size, scores + j * kTile, /*add=*/false);
  for (std::int64_t i = 0; i < count; ++i) {
    // Causal: the range ends with the queries' own tile, of which query i sees the first i + 1 keys.
    const std::int64_t seen = (range.causal ? (range.count - 1) * kTile + i + 1 : range.keys) - first * kTile;
    const auto row = static_cast<std::size_t>(i);
    const float correction = softmax_step(scores + i * columns, std::min(columns, seen), columns, in.scale(),
                                          &state.highest[row], &state.sum[row], probabilities + i * columns);
    if (state.begun && correction != 1.0f) scale_row(s.out.data() + i * width, width, correction);
  }
  std::fill_n(probabilities + count * columns, (kTile - count) * columns, T(0));
  for (std::int64_t j = 0; j < tiles; ++j, state.begun = true)
    tile_product({.m = kTile, .n = width, .k = kTile, .a_stride = columns, .c_stride = width},
                 probabilities + j * kTile, s.values.data() + at + j * size, s.out.data(), /*add=*/state.begun);
}

template <typename T>
void attend(const Inputs<T>& in, const Family& family, const Head<T>& result, const Head<float>& log_sums,
            Scratch<T>& s) {
  const std::int64_t width = in.query.width;
  lay_out_keys(in, family, s);
  for (std::size_t r = 0; r < family.runs.size(); ++r)
    for (std::int64_t tile = 0; tile < family.runs[r].tiles(); ++tile) {
      const std::int64_t begin = family.runs[r].begin + tile * kTile, count = family.runs[r].tokens_in(tile);
      copy_tile(in.query, begin, count, s.query.data());
      SoftmaxState state;
      for (const Range& range : ranges_of(family, r, tile))
        for (std::int64_t first = 0; first < range.count; first += kPieceTiles)
          attend_to_piece(in, range, first, count, state, s);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto row = static_cast<std::size_t>(i);
        float* const out = s.out.data() + i * width;
        scale_row(out, width, 1 / state.sum[row]);
        from_floats(out, width, result.row(begin + i));
        *log_sums.row(begin + i) = state.highest[row] + std::log(state.sum[row]);
      }
    }
}

}  // namespace

AttentionResult tiled_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                const std::vector<Segment>& segments) {
  const at::Tensor q = query.contiguous(), k = key.contiguous(), v = value.contiguous();  // (T, H, D), (T, K, D) twice
  const AttentionResult made{.result = at::empty_like(q),                                 // (T, H, D)
                             .log_sums = at::empty({q.size(0), q.size(1)}, q.options().dtype(at::kFloat))};  // (T, H)
  const at::Tensor log_sums = made.log_sums.unsqueeze(2);  // (T, H, 1)
  for_type_of(q, [&](auto element) {
    using T = decltype(element);
    for_each_task<Scratch<T>>(q, segments, [&](std::int64_t head, const Family& family, Scratch<T>& scratch) {
      attend(Inputs<T>(q, k, v, head), family, head_of<T>(made.result, head), head_of<float>(log_sums, head), scratch);
    });
  });
  return made;
}

}  // namespace kg::policy
