#pragma once

#include <cstdint>

// The temporary space of the library's calls: one rule for the functions of the host side that give its size and for
// the calls that take it. The chip's own figures are not published. Here a call keeps some values besides source and
// destination, and works on at least one repeat of each at a time.

namespace kgnpu {

struct TemporarySize {
  const char* call;
  uint32_t kept;         // values besides source and destination
  bool is_needed;        // false: for some data types one plain instruction does the same without any space
  const char* function;  // of the host side; null: Get<call>MaxMinTmpSize
};

inline constexpr TemporarySize kTemporarySizes[] = {
    {"Acos", 4, true, nullptr},
    {"Acosh", 4, true, nullptr},
    {"AscendAntiQuant", 1, true, nullptr},
    {"AscendDequant", 4, true, nullptr},
    {"AscendQuant", 4, true, nullptr},
    {"Asin", 4, true, nullptr},
    {"Asinh", 4, true, nullptr},
    {"Atan", 5, true, nullptr},
    {"Atanh", 3, true, nullptr},
    {"Axpy", 2, false, nullptr},
    {"BatchNorm", 3, true, nullptr},
    {"BroadCast", 2, false, nullptr},
    {"Broadcast", 2, false, "GetBroadCastMaxMinTmpSize"},
    {"Ceil", 2, false, nullptr},
    {"Clamp", 2, false, nullptr},
    {"ConfusionTranspose", 2, true, nullptr},
    {"Cos", 4, true, nullptr},
    {"Cosh", 3, true, nullptr},
    {"CumSum", 2, true, nullptr},
    {"DeepNorm", 3, true, nullptr},
    {"Digamma", 8, true, nullptr},
    {"DropOut", 2, true, nullptr},
    {"Erf", 4, true, nullptr},
    {"Erfc", 8, true, nullptr},
    {"Exp", 4, true, nullptr},
    {"FasterGelu", 4, true, "GetGeluMaxMinTmpSize"},
    {"FasterGeluV2", 4, true, "GetGeluMaxMinTmpSize"},
    {"Floor", 2, false, nullptr},
    {"Fmod", 4, true, nullptr},
    {"Frac", 2, true, nullptr},
    {"GeGLU", 4, true, nullptr},
    {"Gelu", 4, true, nullptr},
    {"GroupNorm", 3, true, nullptr},
    {"Hypot", 4, true, nullptr},
    {"LayerNorm", 3, true, nullptr},
    {"LayerNormGrad", 6, true, nullptr},
    {"LayerNormGradBeta", 2, true, nullptr},
    {"Lgamma", 8, true, nullptr},
    {"Log", 2, false, nullptr},
    {"Log10", 2, false, nullptr},
    {"Log2", 2, false, nullptr},
    {"Normalize", 3, true, nullptr},
    {"Pad", 1, false, nullptr},
    {"Power", 6, true, nullptr},
    {"ReGlu", 2, true, nullptr},
    {"ReduceAll", 1, true, nullptr},
    {"ReduceAny", 1, true, nullptr},
    {"ReduceMax", 1, true, nullptr},
    {"ReduceMean", 1, true, nullptr},
    {"ReduceMin", 1, true, nullptr},
    {"ReduceProd", 1, true, nullptr},
    {"ReduceSum", 1, true, nullptr},
    {"ReduceXorSum", 2, true, nullptr},
    {"RmsNorm", 2, true, nullptr},
    {"Round", 2, false, nullptr},
    {"Select", 2, true, nullptr},
    {"SelectWithBytesMask", 2, true, nullptr},
    {"Sigmoid", 2, true, nullptr},
    {"Sign", 3, true, nullptr},
    {"Silu", 2, true, "GetSiluTmpSize"},
    {"Sin", 4, true, nullptr},
    {"Sinh", 3, true, nullptr},
    {"SwiGLU", 3, true, nullptr},
    {"Swish", 2, true, "GetSwishTmpSize"},
    {"Tan", 6, true, nullptr},
    {"Tanh", 3, true, nullptr},
    {"Transpose", 2, true, nullptr},
    {"Trunc", 2, false, nullptr},
    {"UnPad", 1, true, nullptr},
    {"WelfordFinalize", 2, true, nullptr},
    {"WelfordUpdate", 2, true, nullptr},
    {"Xor", 2, true, nullptr},
};

constexpr bool same_name(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b)
    if (*a == 0) return true;
  return false;
}
constexpr const TemporarySize* temporary_size(const char* call) {
  for (const TemporarySize& one : kTemporarySizes)
    if (same_name(one.call, call)) return &one;
  return nullptr;
}

constexpr uint32_t least_temporary(const TemporarySize& size) { return size.kept * 256; }

// Softmax works on as many rows at a time as fit into the temporary space, in fp32, with a 32-byte block per row for
// the maximum and one for the sum. The flash calls keep two such rows for each of the source, the gradients three.
constexpr int64_t kSoftmaxRows = 1, kSoftmaxFlashRows = 2, kSoftmaxGradRows = 3;
constexpr int64_t softmax_row_bytes(int64_t columns) { return columns * 4 + 64 + 32; }

// A sum keeps one value for each repeat.
constexpr int64_t sum_temporary(int64_t repeats, int64_t type_size) { return (repeats * type_size + 31) / 32 * 32; }
constexpr int64_t row_sum_temporary(int64_t n, int64_t type_size) {
  return sum_temporary((n * type_size + 255) / 256, type_size);
}
// A mean keeps the row itself besides, where its accumulator is wider.
constexpr int64_t row_mean_temporary(int64_t n, int64_t type_size, int64_t sum_size) {
  return sum_size <= type_size ? row_sum_temporary(n, type_size)
                               : (n * sum_size + 31) / 32 * 32 + row_sum_temporary(n, sum_size);
}

// ReduceMax and ReduceMin keep a value and its index for each repeat, and reduce these in further rounds: over the
// same space, or, where the index is wanted, each in its own (page 0075).
constexpr int64_t extreme_temporary(int64_t repeats, int64_t type_size, bool wants_index) {
  int64_t bytes = 0;
  for (int64_t kept = repeats;; kept = (2 * kept * type_size + 255) / 256) {
    bytes += (2 * kept * type_size + 31) / 32 * 32;
    if (!wants_index || kept <= 1) return bytes;
  }
}

// Transposes between NCHW and NHWC work on tiles of 16 rows, or 32 of one-byte elements (page 0199).
constexpr int64_t nchw_temporary(int64_t channels, int64_t type_size, bool to_nhwc) {
  const int64_t tile = (type_size == 1 ? 32 : 16) * 32;
  return (to_nhwc ? channels + 2 : 2 * channels + 1) * tile;
}

// Sorting keeps a record of a score and its index for each element.
constexpr int64_t kSortRecordBytes = 8;

}  // namespace kgnpu
