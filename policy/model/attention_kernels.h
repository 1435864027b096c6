#pragma once

#include <cstdint>

namespace kg::policy {

// The inner loops of tiled attention on a CPU. Compiled for several instruction sets, chosen when the program starts.

// y (columns x rows) = x^T of words of 4 bytes, of whatever type, and of halves, whose rows are an even number and
// `stride` halves apart.
void transpose_words(const void* x, std::int64_t rows, std::int64_t columns, void* y);
void transpose_halves(const std::uint16_t* x, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                      std::uint16_t* y);

// Rows 2i and 2i + 1 of x (rows x columns) become one row of pairs (x[2i][j], x[2i + 1][j]).
void pair_rows(const std::uint16_t* x, std::int64_t rows, std::int64_t columns, std::uint16_t* y);

float product_of_rows(const float* x, const float* y, std::int64_t n);
void scale_row(float* x, std::int64_t n, float factor);

// One step of a softmax over a row that comes in pieces: the first n of `scores` become exp(scale * score - highest),
// those up to `width` become 0; `highest` and `sum` of the row are updated. Returns the factor for everything that was
// computed with the previous `highest`. n is at least 1.
float softmax_piece(float* scores, std::int64_t n, std::int64_t width, float scale, float* highest, float* sum);

// The same with what `scores` become in bf16, in p.
float softmax_piece(const float* scores, std::int64_t n, std::int64_t width, float scale, float* highest, float* sum,
                    std::uint16_t* p);

// For one key and n queries: p = exp(scale * score - log_sum of the query), and ds = p * (dp - delta of the query) *
// scale; both 0 for queries before `first`. `scores` become p, `dp` ds.
void score_gradient_row(float* scores, float* dp, const float* log_sums, const float* deltas, std::int64_t first,
                        std::int64_t n, float scale);

// The same for two consecutive keys, in bf16: the first key's row is 0 before `first`, the second's before
// `second`. scores, dp, p and ds are (2, n); `pairs` has the two ds of each query side by side, (n, 2).
void score_gradient_pair(const float* scores, const float* dp, const float* log_sums, const float* deltas,
                         std::int64_t first, std::int64_t second, std::int64_t n, float scale, std::uint16_t* p,
                         std::uint16_t* ds, std::uint16_t* pairs);

}  // namespace kg::policy
