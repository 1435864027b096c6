// Theory of operation. Given the sums of the forward pass, the probabilities of a pair of tiles are recomputed as
// exp(score - log_sum), with keys in rows and queries in columns. So no tile has to be transposed between two products:
// the gradients of keys and values are sums of products with these on the left, and the gradient of the queries is
// summed up transposed, with these on the right. Each head of queries sums the gradients of its keys separately; heads
// that share keys are added up at the end, in a fixed order, so that the threads do not affect the result.
//
// In bf16, scores and the gradients of probabilities are products of bf16 numbers, with sums in fp32;
// probabilities and the gradients of scores are rounded to bf16 for the products that use them.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <array>
#include <limits>

#include "policy/model/attention_tiles.h"
#include "policy/model/element_type.h"
#include "policy/model/tiled_attention.h"

namespace kg::policy {
namespace {

using namespace tiles;

template <typename T>
struct Scratch {
  Scratch(std::int64_t width, std::int64_t tiles)
      : keys(tiles * kTile * width),
        keys_across(tiles * kTile * width),
        values(tiles * kTile * width),
        key_gradients(tiles * kTile * width),
        value_gradients(tiles * kTile * width),
        query(kTile * width),
        query_across(kTile * width),
        query_right(kTile * width),
        upstream(kTile * width),
        upstream_across(kTile * width),
        upstream_right(kTile * width),
        query_gradient_across(kTile * width),
        query_gradient(kTile * width),
        scores(kTile * kTile),
        score_gradients(kTile * kTile),
        narrow_probabilities(kTile * kTile),
        narrow_gradients(kTile * kTile),
        gradients_right(kTile * kTile),
        upstream_row(width),
        result_row(width) {}
  // For the family, in tiles, as left sides of products: keys, keys transposed, values.
  Space<T> keys;                 // (tiles, kTile, D)
  Space<T> keys_across;          // (tiles, D, kTile)
  Space<T> values;               // (tiles, kTile, D)
  Space<float> key_gradients;    // (tiles, kTile, D)
  Space<float> value_gradients;  // (tiles, kTile, D)
  // For a tile of queries, and the gradients of its results: as they are, transposed as right sides, as right sides.
  Space<T> query;                      // (kTile, D)
  Space<T> query_across;               // (D, kTile)
  Space<T> query_right;                // (kTile, D)
  Space<T> upstream;                   // (kTile, D)
  Space<T> upstream_across;            // (D, kTile)
  Space<T> upstream_right;             // (kTile, D)
  Space<float> query_gradient_across;  // (D, kTile)
  Space<float> query_gradient;         // (kTile, D)
  // For a tile of keys (rows) and one of queries (columns): (kTile, kTile) each.
  Space<float> scores, score_gradients;
  Space<T> narrow_probabilities, narrow_gradients, gradients_right;
  Row<T> upstream_row, result_row;  // for one query (D)
};

// The gradient from above, and where the gradients go; those of key and value are this query head's share.
template <typename T>
struct Gradients {
  Head<T> upstream, result;  // (T, D) each
  Head<float> log_sums;      // (T, 1)
  Head<T> query;             // (T, D)
  Head<float> key, value;    // (T, D) each
};

template <typename T>
void lay_out_keys(const Inputs<T>& in, const Family& family, Scratch<T>& s) {
  const std::int64_t width = in.key.width, size = kTile * width;
  for_each_tile(family, [&](std::int64_t tile, std::int64_t begin, std::int64_t count) {
    T* const keys = s.keys.data() + tile * size;
    copy_tile(in.key, begin, count, keys);
    transposed_left_side(keys, width, s.keys_across.data() + tile * size);
    copy_tile(in.value, begin, count, s.values.data() + tile * size);
  });
  std::fill_n(s.key_gradients.data(), family.tiles() * size, 0.0f);
  std::fill_n(s.value_gradients.data(), family.tiles() * size, 0.0f);
}

// For a tile of queries the logarithms of their sums, and sum(upstream * result) of each; the queries and the gradients
// of their results as right sides. Where there is no token, a probability is exp(score - infinity) = 0.
template <typename T>
struct QueryTile {
  std::array<float, kTile> log_sums, deltas;
  const T *query_right, *upstream_right;  // (kTile, D) each
};

template <typename T>
QueryTile<T> lay_out_queries(const Inputs<T>& in, const Gradients<T>& g, std::int64_t begin, std::int64_t count,
                             Scratch<T>& s) {
  const std::int64_t width = in.query.width;
  copy_tile(in.query, begin, count, s.query.data());
  copy_tile(g.upstream, begin, count, s.upstream.data());
  transposed_right_side(s.query.data(), width, s.query_across.data());
  transposed_right_side(s.upstream.data(), width, s.upstream_across.data());
  QueryTile<T> tile;
  tile.query_right = right_side(s.query.data(), width, s.query_right.data());
  tile.upstream_right = right_side(s.upstream.data(), width, s.upstream_right.data());
  tile.log_sums.fill(std::numeric_limits<float>::infinity());
  tile.deltas.fill(0);
  for (std::int64_t i = 0; i < count; ++i) {
    tile.deltas[static_cast<std::size_t>(i)] = product_of_rows(s.upstream_row.read(g.upstream.row(begin + i)),
                                                               s.result_row.read(g.result.row(begin + i)), width);
    tile.log_sums[static_cast<std::size_t>(i)] = *g.log_sums.row(begin + i);
  }
  return tile;
}

// Scores and gradients of probabilities of a tile of keys and one of queries become what the products that follow are
// of: p and ds as left sides (keys, queries), ds as right side.
template <typename T>
struct ScoreTile {
  const T *p, *ds, *ds_right;
};

// Queries before first(key) do not see that key.
template <typename First>
ScoreTile<float> score_gradients(const QueryTile<float>& queries, First first, float scale, Scratch<float>& s) {
  float *const scores = s.scores.data(), *const gradients = s.score_gradients.data();
  for (std::int64_t j = 0; j < kTile; ++j)
    score_gradient_row(scores + j * kTile, gradients + j * kTile, queries.log_sums.data(), queries.deltas.data(),
                       first(j), kTile, scale);
  return {scores, gradients, gradients};
}

template <typename First>
ScoreTile<c10::BFloat16> score_gradients(const QueryTile<c10::BFloat16>& queries, First first, float scale,
                                         Scratch<c10::BFloat16>& s) {
  for (std::int64_t j = 0; j < kTile; j += 2) {
    const std::int64_t at = j * kTile;
    score_gradient_pair(s.scores.data() + at, s.score_gradients.data() + at, queries.log_sums.data(),
                        queries.deltas.data(), first(j), first(j + 1), kTile, scale,
                        elements(s.narrow_probabilities.data()) + at, elements(s.narrow_gradients.data()) + at,
                        elements(s.gradients_right.data()) + at);
  }
  return {s.narrow_probabilities.data(), s.narrow_gradients.data(), s.gradients_right.data()};
}

// One tile of keys, number `key` of `range`, and one of queries: adds to the gradients of both. `begun`: something was
// added to those of the queries.
template <typename T>
void add_gradients(const Inputs<T>& in, const Range& range, std::int64_t key, const QueryTile<T>& queries, bool begun,
                   Scratch<T>& s) {
  const std::int64_t width = in.query.width, at = (range.first + key) * kTile * width;
  const TileShape keys_by_queries{.m = kTile, .n = kTile, .k = width, .a_stride = width, .c_stride = kTile};
  // (kTile keys, D) (D, kTile queries) -> (kTile keys, kTile queries), for scores and the gradients of probabilities
  tile_product(keys_by_queries, s.keys.data() + at, s.query_across.data(), s.scores.data(), /*add=*/false);
  tile_product(keys_by_queries, s.values.data() + at, s.upstream_across.data(), s.score_gradients.data(),
               /*add=*/false);
  const bool diagonal = range.causal && key == range.count - 1;
  const std::int64_t keys = std::min(kTile, range.keys - key * kTile);
  const auto first = [&](std::int64_t j) { return j >= keys ? kTile : diagonal ? j : 0; };
  const ScoreTile<T> tile = score_gradients(queries, first, in.scale(), s);
  const TileShape keys_by_width{.m = kTile, .n = width, .k = kTile, .a_stride = kTile, .c_stride = width};
  // (keys, queries) (queries, D) -> (keys, D)
  tile_product(keys_by_width, tile.p, queries.upstream_right, s.value_gradients.data() + at, /*add=*/true);
  tile_product(keys_by_width, tile.ds, queries.query_right, s.key_gradients.data() + at, /*add=*/true);
  // (D, keys) (keys, queries) -> (D, queries)
  tile_product({.m = width, .n = kTile, .k = kTile, .a_stride = kTile, .c_stride = kTile}, s.keys_across.data() + at,
               tile.ds_right, s.query_gradient_across.data(), begun);
}

template <typename T>
void attend_backward(const Inputs<T>& in, const Family& family, const Gradients<T>& g, Scratch<T>& s) {
  const std::int64_t width = in.query.width;
  lay_out_keys(in, family, s);
  for (std::size_t r = 0; r < family.runs.size(); ++r)
    for (std::int64_t tile = 0; tile < family.runs[r].tiles(); ++tile) {
      const std::int64_t begin = family.runs[r].begin + tile * kTile, count = family.runs[r].tokens_in(tile);
      const QueryTile<T> queries = lay_out_queries(in, g, begin, count, s);
      bool begun = false;
      for (const Range& range : ranges_of(family, r, tile))
        for (std::int64_t key = 0; key < range.count; ++key, begun = true)
          add_gradients(in, range, key, queries, begun, s);
      transpose_words(s.query_gradient_across.data(), width, kTile, s.query_gradient.data());
      for (std::int64_t i = 0; i < count; ++i)
        from_floats(s.query_gradient.data() + i * width, width, g.query.row(begin + i));
    }
  for_each_tile(family, [&](std::int64_t tile, std::int64_t begin, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = (tile * kTile + i) * width;
      std::copy_n(s.key_gradients.data() + at, width, g.key.row(begin + i));
      std::copy_n(s.value_gradients.data() + at, width, g.value.row(begin + i));
    }
  });
}

// (T, H, D) fp32 -> (T, K, D) of the type of `like`: heads that share keys added up.
at::Tensor summed(const at::Tensor& gradient, const at::Tensor& like) {
  const std::int64_t kv_heads = like.size(1), group = gradient.size(1) / kv_heads, width = like.size(2);
  const at::Tensor result = at::empty(like.sizes(), like.options());
  for_type_of(like, [&](auto element) {
    using T = decltype(element);
    at::parallel_for(0, like.size(0), /*grain_size=*/16, [&](std::int64_t begin, std::int64_t end) {
      Row<T> to(kv_heads * width);
      const float* from = gradient.const_data_ptr<float>() + begin * kv_heads * group * width;
      for (std::int64_t i = begin; i < end; ++i) {
        T* const at = result.mutable_data_ptr<T>() + i * kv_heads * width;
        float* sum = to.target(at);
        for (std::int64_t head = 0; head < kv_heads; ++head, sum += width) {
          std::copy_n(from, width, sum);
          for (std::int64_t g = 1; g < group; ++g) add_row(from + g * width, width, sum);
          from += group * width;
        }
        to.write(at);
      }
    });
  });
  return result;
}

}  // namespace

AttentionGradients tiled_attention_backward(const at::Tensor& upstream, const at::Tensor& query, const at::Tensor& key,
                                            const at::Tensor& value, const AttentionResult& forward,
                                            const std::vector<Segment>& segments) {
  const at::Tensor up = upstream.contiguous(), q = query.contiguous();  // (T, H, D) each
  const at::Tensor k = key.contiguous(), v = value.contiguous();        // (T, K, D) each
  const at::Tensor dquery = at::empty_like(q);                          // (T, H, D)
  const at::Tensor log_sums = forward.log_sums.unsqueeze(2);            // (T, H, 1)
  // For each head of queries separately, (T, H, D).
  const at::Tensor dkey = at::empty(q.sizes(), q.options().dtype(at::kFloat)), dvalue = at::empty_like(dkey);
  for_type_of(q, [&](auto element) {
    using T = decltype(element);
    for_each_task<Scratch<T>>(q, segments, [&](std::int64_t head, const Family& family, Scratch<T>& scratch) {
      attend_backward<T>(Inputs<T>(q, k, v, head), family,
                         {head_of<T>(up, head), head_of<T>(forward.result, head), head_of<float>(log_sums, head),
                          head_of<T>(dquery, head), head_of<float>(dkey, head), head_of<float>(dvalue, head)},
                         scratch);
    });
  });
  return {dquery, summed(dkey, key), summed(dvalue, value)};  // (T, H, D), (T, K, D), (T, K, D)
}

}  // namespace kg::policy
