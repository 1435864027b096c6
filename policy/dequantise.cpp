#include "policy/dequantise.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstring>

namespace kg::policy {
namespace {

// GGUF keeps blocks of 32 weights: a scale (and a minimum) in fp16, then the quanta. Low nibbles are the first 16
// weights.
constexpr std::int64_t kBlock = 32;

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
  }
  return result;
}

}  // namespace kg::policy
