#include "policy/files/dequantise.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstring>

namespace kg::policy {
namespace {

// GGUF keeps blocks of 32 weights: a scale (and a minimum) in fp16, then the quanta. Low nibbles are the first 16
// weights. The K types keep blocks of 256: a scale (and a minimum) in fp16 for the block, small integers that multiply
// it for each 32 or 16 weights, and the quanta.
constexpr std::int64_t kBlock = 32, kLargeBlock = 256;

template <typename T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void widen(const char* in, float* out) {
  *out = static_cast<float>(load<T>(in));
}

void from_q4_0(const char* in, float* out) {
  const float scale = load<c10::Half>(in);
  for (int i = 0; i < 16; ++i) {
    const int pair = static_cast<unsigned char>(in[2 + i]);
    out[i] = static_cast<float>((pair & 15) - 8) * scale;
    out[i + 16] = static_cast<float>((pair >> 4) - 8) * scale;
  }
}

void from_q4_1(const char* in, float* out) {
  const float scale = load<c10::Half>(in), minimum = load<c10::Half>(in + 2);
  for (int i = 0; i < 16; ++i) {
    const int pair = static_cast<unsigned char>(in[4 + i]);
    out[i] = static_cast<float>(pair & 15) * scale + minimum;
    out[i + 16] = static_cast<float>(pair >> 4) * scale + minimum;
  }
}

void from_q8_0(const char* in, float* out) {
  const float scale = load<c10::Half>(in);
  for (int i = 0; i < kBlock; ++i) out[i] = static_cast<float>(static_cast<signed char>(in[2 + i])) * scale;
}

// Bytes: scale, minimum (fp16 each), 12 of packed 6-bit factors, 128 of nibbles. Of each 64 weights the low nibbles are
// the first 32. Factors: those of scale and minimum of runs 0 to 3 fill the low 6 bits of bytes 0 to 3 and 4 to 7; runs
// 4 to 7 have their low 4 bits in bytes 8 to 11 (scale low, minimum high) and their high 2 bits on top of the others.
void from_q4_k(const char* in, float* out) {
  const float scale = load<c10::Half>(in), minimum = load<c10::Half>(in + 2);
  const auto* packed = reinterpret_cast<const unsigned char*>(in + 4);
  const unsigned char* nibbles = packed + 12;
  for (int run = 0; run < 8; ++run) {
    const int low = run % 4;
    const int scale_factor = run < 4 ? packed[low] & 63 : (packed[8 + low] & 15) | (packed[low] >> 6) << 4;
    const int minimum_factor = run < 4 ? packed[4 + low] & 63 : (packed[8 + low] >> 4) | (packed[4 + low] >> 6) << 4;
    const float step = scale * static_cast<float>(scale_factor), least = minimum * static_cast<float>(minimum_factor);
    for (int i = 0; i < 32; ++i) {
      const int pair = nibbles[run / 2 * 32 + i];
      *out++ = step * static_cast<float>(run % 2 == 0 ? pair & 15 : pair >> 4) - least;
    }
  }
}

// Bytes: 128 of low nibbles, 64 of high pairs of bits, 16 signed factors, the scale in fp16. Of each 128 weights, four
// runs of 32 share 64 bytes of nibbles and 32 bytes of pairs.
void from_q6_k(const char* in, float* out) {
  const auto* nibbles = reinterpret_cast<const unsigned char*>(in);
  const unsigned char* pairs = nibbles + 128;
  const auto* factors = reinterpret_cast<const signed char*>(in + 192);
  const float scale = load<c10::Half>(in + 208);
  for (int run = 0; run < 8; ++run) {
    const int half = run / 4, quarter = run % 4;
    for (int i = 0; i < 32; ++i) {
      const int byte = nibbles[half * 64 + quarter % 2 * 32 + i];
      const int low = quarter < 2 ? byte & 15 : byte >> 4, high = pairs[half * 32 + i] >> (2 * quarter) & 3;
      const float step = scale * static_cast<float>(factors[run * 2 + i / 16]);
      *out++ = step * static_cast<float>((low | high << 4) - 32);
    }
  }
}

template <typename Convert>
void for_blocks(std::int64_t count, std::int64_t in_stride, std::int64_t out_stride, const char* in, float* out,
                Convert convert) {
  at::parallel_for(0, count, /*grain_size=*/4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) convert(in + i * in_stride, out + i * out_stride);
  });
}

}  // namespace

at::Tensor dequantise(const GgufTensor& tensor) {
  at::Tensor result = at::empty(tensor.shape, at::kFloat);
  const std::int64_t count = result.numel();
  const char* in = tensor.bytes.data();
  float* out = result.mutable_data_ptr<float>();
  switch (tensor.type) {
    case GgufType::kF32:
      std::memcpy(out, in, tensor.bytes.size());
      break;
    case GgufType::kF16:
      for_blocks(count, 2, 1, in, out, widen<c10::Half>);
      break;
    case GgufType::kBF16:
      for_blocks(count, 2, 1, in, out, widen<c10::BFloat16>);
      break;
    case GgufType::kQ4_0:
      for_blocks(count / kBlock, 18, kBlock, in, out, from_q4_0);
      break;
    case GgufType::kQ4_1:
      for_blocks(count / kBlock, 20, kBlock, in, out, from_q4_1);
      break;
    case GgufType::kQ8_0:
      for_blocks(count / kBlock, 34, kBlock, in, out, from_q8_0);
      break;
    case GgufType::kQ4_K:
      for_blocks(count / kLargeBlock, 144, kLargeBlock, in, out, from_q4_k);
      break;
    case GgufType::kQ6_K:
      for_blocks(count / kLargeBlock, 210, kLargeBlock, in, out, from_q6_k);
      break;
  }
  return result;
}

}  // namespace kg::policy
