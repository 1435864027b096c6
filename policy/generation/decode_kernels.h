#pragma once

#include <cstdint>
#include <vector>

#include "policy/generation/kv_blocks.h"

namespace kg::policy {

// The inner loops of generation, compiled once for each instruction set (decode_kernels_*.cpp) and chosen when the
// program runs. Every output element comes from the same sequence of operations whatever else is in the batch: results
// do not depend, to the last bit, on which sequences share a step.

// In a block of the KV cache, for each layer and KV head, keys are transposed (head_size, kKvBlock) so that the scores
// of a block's tokens are computed side by side; values are (kKvBlock, head_size).

// Logits are summed in runs of this length; a draw first finds its run.
inline constexpr int kSoftmaxRun = 256;

// Steps of k that share a scale if weights are stored as 8-bit integers.
inline constexpr int kInt8Run = 64;

enum class KvElement { kFloat32, kBFloat16 };

struct AttentionRow {
  const float* query;          // (group, head_size), scaled by 1/sqrt(head_size); group query heads share the KV head
  float* out;                  // (group, head_size)
  const std::int32_t* blocks;  // blocks of the sequence, in order
  int length = 0;              // tokens attended to
  float* scores;               // scratch, at least (min(group, 4), length rounded up to kKvBlock)
};

// Rows of one KV head. The leading blocks that all of them share are read once for all rows: otherwise long prompts of
// many answers would be read from memory once for each answer.
inline constexpr int kAttentionRows = 8;
struct AttentionTask {
  const AttentionRow* rows;
  int count = 0;   // at most kAttentionRows
  int shared = 0;  // number of leading blocks that are the same in all rows, all of which attend to all their tokens
  KvElement element = KvElement::kFloat32;
  const void* keys;    // keys of block 0: (head_size, kKvBlock); block b is block_stride * b elements further on
  const void* values;  // values of block 0: (kKvBlock, head_size)
  std::int64_t block_stride = 0;
  int group = 0;
  int head_size = 0;  // multiple of 16
};

struct DecodeKernels {
  const char* name;
  int panel;  // columns of a weight panel

  // y[0..rows) += or = x (rows, k) times one packed panel (k, panel); y is stored up to `columns` columns of the panel.
  // `next`: the panel that this thread needs next, or null.
  void (*multiply_panel)(const float* x, std::int64_t x_stride, int rows, int k, const float* panel, const float* next,
                         float* y, std::int64_t y_stride, int columns, bool accumulate);
  // The same for a panel of bfloat16, whose words hold steps 2i (low half) and 2i + 1 of k: ((k + 1) / 2, panel).
  void (*multiply_panel_bfloat16)(const float* x, std::int64_t x_stride, int rows, int k, const std::uint32_t* panel,
                                  const std::uint32_t* next, float* y, std::int64_t y_stride, int columns,
                                  bool accumulate);
  // The same for a panel of 8-bit integers. For each run of kInt8Run steps of k: a scale for each column (panel, fp32),
  // then words that hold steps 4i to 4i + 3 (lowest byte first), padded with zeros.
  void (*multiply_panel_int8)(const float* x, std::int64_t x_stride, int rows, int k, const std::uint32_t* panel,
                              const std::uint32_t* next, float* y, std::int64_t y_stride, int columns, bool accumulate);
  void (*attend)(const AttentionTask& task);
  void (*rms_norm)(const float* x, const float* weight, float epsilon, int width, float* y);
  // gate_up (2 * width): gate, then up. y = silu(gate) * up.
  void (*swiglu)(const float* gate_up, int width, float* y);
  float (*maximum)(const float* x, std::int64_t n);
  // out[i] = exp((x[i] - top) * scale), 0 where x[i] < cutoff.
  void (*exponentials)(const float* x, std::int64_t n, float top, float scale, float cutoff, float* out);
  // runs[r] = sum of the above over the r-th run of kSoftmaxRun elements.
  void (*exponential_sums)(const float* x, std::int64_t n, float top, float scale, float cutoff, float* runs);

  // Null unless the CPU multiplies bfloat16 natively (AVX-512 BF16); replaces multiply_panel_bfloat16 if it is set.
  // Rounds a row of x (k) to bfloat16, in words like those of a panel ((k + 1) / 2); multiplies `rows` rows by a panel.
  void (*round_to_bfloat16)(const float* x, int k, std::uint32_t* words) = nullptr;
  void (*multiply_panel_rounded)(const std::uint32_t* x, std::int64_t x_stride, int rows, int k,
                                 const std::uint32_t* panel, const std::uint32_t* next, float* y, std::int64_t y_stride,
                                 int columns, bool accumulate) = nullptr;
};

// Those that this CPU can run, fastest first.
const std::vector<const DecodeKernels*>& usable_kernels();
// The fastest, or the one named in $KGTRAIN_KERNELS (generic, avx2, avx512, avx512_bf16).
const DecodeKernels& decode_kernels();

}  // namespace kg::policy
