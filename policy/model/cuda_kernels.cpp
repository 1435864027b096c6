#include "policy/model/cuda_kernels.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/check.h"
#include "policy/model/cuda_program.h"
#include "policy/model/cuda_source.h"

namespace kg::policy {
namespace {

constexpr std::int64_t kThreads = 256;  // threads per block
constexpr std::int64_t kPack = 8;       // elements that a thread reads at once

std::string named(const std::string& kernel, const at::Tensor& x) {
  KG_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
  return kernel + (x.scalar_type() == at::kFloat ? "_float32" : "_bfloat16");
}

const CudaProgram& program(const at::Tensor& x) { return CudaProgram::of(kCudaSource, x.device()); }

void* place(const at::Tensor& x) { return x.defined() ? x.data_ptr() : nullptr; }

// Whether all can be read eight at a time: rows of whole eights that begin at multiples of 16 bytes.
bool in_packs(std::int64_t width, std::initializer_list<at::Tensor> tensors) {
  return width % kPack == 0 && std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& x) {
           return reinterpret_cast<std::uintptr_t>(x.data_ptr()) % 16 == 0 && x.stride(0) % kPack == 0;
         });
}

std::int64_t blocks_for(std::int64_t threads) { return (threads + kThreads - 1) / kThreads; }

void check_contiguous(std::initializer_list<at::Tensor> tensors) {
  for (const at::Tensor& x : tensors) KG_CHECK(!x.defined() || x.is_contiguous());
}

}  // namespace

void cuda_swiglu(const at::Tensor& gate, const at::Tensor& up, const at::Tensor& y) {
  check_contiguous({y});
  KG_CHECK_EQ(gate.stride(0), up.stride(0));
  const std::int64_t rows = y.size(0), width = y.size(1), pack = in_packs(width, {gate, up, y}) ? kPack : 1;
  program(y).launch(named("swiglu_" + std::to_string(pack), y), {.x = blocks_for(rows * width / pack)}, place(gate),
                    place(up), place(y), static_cast<long long>(rows), static_cast<int>(width),
                    static_cast<long long>(gate.stride(0)));
}

void cuda_swiglu_backward(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up, const at::Tensor& dgate,
                          const at::Tensor& dup) {
  check_contiguous({dy});
  for (const at::Tensor& x : {up, dgate, dup}) KG_CHECK_EQ(x.stride(0), gate.stride(0));
  const std::int64_t rows = dy.size(0), width = dy.size(1),
                     pack = in_packs(width, {dy, gate, up, dgate, dup}) ? kPack : 1;
  program(dy).launch(named("swiglu_backward_" + std::to_string(pack), dy), {.x = blocks_for(rows * width / pack)},
                     place(dy), place(gate), place(up), place(dgate), place(dup), static_cast<long long>(rows),
                     static_cast<int>(width), static_cast<long long>(gate.stride(0)));
}

void cuda_rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, float sign,
                 const at::Tensor& y) {
  check_contiguous({x, cosine, sine, y});
  const std::int64_t rows = x.size(0), heads = x.size(1), half = x.size(2) / 2,
                     pack = in_packs(half, {x, cosine, sine, y}) ? kPack : 1;
  program(x).launch(named("rotate_" + std::to_string(pack), x), {.x = blocks_for(rows * heads * half / pack)}, place(x),
                    place(cosine), place(sine), place(y), static_cast<long long>(rows), static_cast<int>(heads),
                    static_cast<int>(half), sign);
}

void cuda_split_heads(const at::Tensor& joined, const at::Tensor& cosine, const at::Tensor& sine, float sign,
                      const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  check_contiguous({joined, cosine, sine, query, key, value});
  KG_CHECK(in_packs(query.size(2) / 2, {joined, cosine, sine, query, key, value}));
  const std::int64_t rows = query.size(0), half = query.size(2) / 2;
  program(joined).launch(named("split_heads", joined), {.x = blocks_for(joined.numel() / (2 * kPack))}, place(joined),
                         place(cosine), place(sine), place(query), place(key), place(value),
                         static_cast<long long>(rows), static_cast<int>(query.size(1)), static_cast<int>(key.size(1)),
                         static_cast<int>(half), sign);
}

bool cuda_normalises(std::int64_t width) { return width % kPack == 0 && width <= 2048; }

at::Tensor cuda_rms_norm(const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight, double epsilon,
                         const at::Tensor& sum, const at::Tensor& y) {
  check_contiguous({x, added, weight, sum, y});
  KG_CHECK(in_packs(x.size(1), {x, y}) && weight.scalar_type() == x.scalar_type());
  const std::int64_t rows = x.size(0);
  const at::Tensor factors = at::empty({rows}, x.options().dtype(at::kFloat));  // (T)
  program(x).launch(named("rms_norm", x), {.x = blocks_for(rows * 32)}, place(x), place(added), place(weight),
                    place(sum), place(y), place(factors), static_cast<long long>(rows), static_cast<int>(x.size(1)),
                    static_cast<float>(epsilon));
  return factors;
}

at::Tensor cuda_rms_norm_backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& factors, const at::Tensor& dsum, const at::Tensor& dx) {
  check_contiguous({dy, x, weight, factors, dsum, dx});
  KG_CHECK(in_packs(x.size(1), {dy, x, dx}));
  constexpr std::int64_t kMostBlocks = 512;  // each has a row of partial sums
  const std::int64_t rows = x.size(0), width = x.size(1), blocks = std::min(kMostBlocks, (rows + 7) / 8);
  int packs = 8;  // packs of eight elements per thread
  for (const int fewer : {6, 4, 3, 2, 1})
    if (width <= fewer * 256) packs = fewer;
  const at::Tensor partial = at::empty({blocks, width}, factors.options());
  program(x).launch(named("rms_norm_backward_" + std::to_string(packs), x), {.x = blocks}, place(dy), place(x),
                    place(weight), place(factors), place(dsum), place(dx), place(partial), static_cast<long long>(rows),
                    static_cast<int>(width));
  return partial.sum(0).to(weight.scalar_type());
}

CudaSoftmaxRows cuda_softmax_rows(const at::Tensor& logits, const at::Tensor& targets, double scale) {
  check_contiguous({logits, targets});
  const std::int64_t rows = logits.size(0);
  CudaSoftmaxRows result;
  for (at::Tensor* column : {&result.log_sum, &result.log_prob, &result.entropy})
    *column = at::empty({rows}, logits.options());  // (n)
  program(logits).launch("softmax_rows", {.x = rows, .threads = 512}, place(logits), place(targets),
                         static_cast<long long>(logits.size(1)), static_cast<float>(scale), place(result.log_sum),
                         place(result.log_prob), place(result.entropy));
  return result;
}

void cuda_logit_gradient(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& log_sum,
                         const at::Tensor& weights, double scale, const at::Tensor& gradient) {
  check_contiguous({logits, targets, log_sum, weights, gradient});
  const std::int64_t vocabulary = logits.size(1);
  program(logits).launch(named("logit_gradient", gradient),
                         {.x = logits.size(0),
                          .y = std::min<std::int64_t>(65535, (vocabulary + kPack * kThreads - 1) / (kPack * kThreads))},
                         place(logits), place(targets), place(log_sum), place(weights),
                         static_cast<long long>(vocabulary), static_cast<float>(scale), place(gradient));
}

}  // namespace kg::policy
