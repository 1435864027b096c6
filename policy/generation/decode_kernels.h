#pragma once

#include <cstdint>
#include <vector>

#include "policy/generation/kv_blocks.h"

namespace kg::policy {

// The inner loops of generation, compiled once for each instruction set (decode_kernels_*.cpp) and chosen when the
// program runs. Every output element is made by the same sequence of operations whatever the batch around it: results
// do not depend, to the last bit, on which sequences share a step.

// In a block of the KV cache, of each layer and KV head, keys lie transposed (head_size, kKvBlock) so that the scores
// of a block's tokens are computed side by side; values lie (kKvBlock, head_size).

// Logits are summed in runs of this length; a draw looks for its run first.
inline constexpr int kSoftmaxRun = 256;

// Steps of k that share a scale where weights are held as 8-bit integers.
inline constexpr int kInt8Run = 64;

enum class KvElement { kFloat32, kBFloat16 };

struct AttentionRow {
  const float* query;          // (group, head_size), scaled by 1/sqrt(head_size); group query heads share the KV head
  float* out;                  // (group, head_size)
  const std::int32_t* blocks;  // of the sequence, in order
  int length = 0;              // tokens attended to
  float* scores;               // scratch, at least (min(group, 4), length rounded up to kKvBlock)
};

// Rows of one KV head. The blocks that all of them begin with are read once for all: long prompts that many answers
// share would otherwise come from memory once for each.
inline constexpr int kAttentionRows = 8;
struct AttentionTask {
  const AttentionRow* rows;
  int count = 0;   // at most kAttentionRows
  int shared = 0;  // leading blocks that are the same in all rows, every one of which attends to all their tokens
  KvElement element = KvElement::kFloat32;
  const void* keys;    // of block 0: (head_size, kKvBlock); block b lies block_stride * b elements further
  const void* values;  // of block 0: (kKvBlock, head_size)
  std::int64_t block_stride = 0;
  int group = 0;
  int head_size = 0;  // multiple of 16
};

struct DecodeKernels {
  const char* name;
  int panel;  // columns of a weight panel

  // y[0..rows) += or = x (rows, k) times one packed panel (k, panel); y is stored up to `columns` columns of the panel.
  // `next`: the panel that this thread will want next, or null.
  void (*multiply_panel)(const float* x, std::int64_t x_stride, int rows, int k, const float* panel, const float* next,
                         float* y, std::int64_t y_stride, int columns, bool accumulate);
  // The same for a panel of bfloat16, whose words hold steps 2i (low half) and 2i + 1 of k: ((k + 1) / 2, panel).
  void (*multiply_panel_bfloat16)(const float* x, std::int64_t x_stride, int rows, int k, const std::uint32_t* panel,
                                  const std::uint32_t* next, float* y, std::int64_t y_stride, int columns,
                                  bool accumulate);
  // The same for a panel of 8-bit integers. Of each run of kInt8Run steps of k: a scale for each column (panel, fp32),
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

  // Null unless the CPU multiplies bfloat16 itself (AVX-512 BF16); then used in place of multiply_panel_bfloat16.
  // A row of x (k) rounded to bfloat16, in words as those of a panel ((k + 1) / 2), and `rows` such rows times a panel.
  void (*round_to_bfloat16)(const float* x, int k, std::uint32_t* words) = nullptr;
  void (*multiply_panel_rounded)(const std::uint32_t* x, std::int64_t x_stride, int rows, int k,
                                 const std::uint32_t* panel, const std::uint32_t* next, float* y, std::int64_t y_stride,
                                 int columns, bool accumulate) = nullptr;
};

// Those that this CPU can run, the fastest first.
const std::vector<const DecodeKernels*>& usable_kernels();
// The fastest, or what $KGTRAIN_KERNELS names (generic, avx2, avx512, avx512_bf16).
const DecodeKernels& decode_kernels();

}  // namespace kg::policy
