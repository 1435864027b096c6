#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ascendc_kernel.h"

// Kernels of the cube side, for the tests. Line 1 of a body is its first line.
namespace kg::npu::testing {

// One core, C (m, n) = A (m, k) * B (k, n), all of it in one tile; everything ordered by hand. `transposed_b`: B comes
// as (n, k). The body of the kernel is written with the types In, Out and Acc.
struct PlainMatmul {
  std::string in = "half", out = "float", acc = "float";
  int m = 32, n = 48, k = 64;
  bool transposed_b = false;
  std::string fixpipe = "";  // statements on `fix`
  std::string without = "";  // a flag statement that is left out
};

inline std::string plain_matmul(const PlainMatmul& p) {
  std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
using In = )" + p.in +
                       "; using Out = " + p.out + "; using Acc = " + p.acc +
                       ";\nconstexpr int m = " + std::to_string(p.m) + ", n = " + std::to_string(p.n) +
                       ", k = " + std::to_string(p.k) + R"(;
constexpr int c0 = 32 / sizeof(In), m16 = (m + 15) / 16 * 16, n16 = (n + 15) / 16 * 16, kc = (k + c0 - 1) / c0 * c0;
constexpr int k16 = (k + 15) / 16 * 16, kb = kc > k16 ? kc : k16, nb = (n + 31) / 32 * 32;
constexpr bool transposed = )" +
                       (p.transposed_b ? "true" : "false") + R"(;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  TPipe pipe; TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; TBuf<TPosition::CO1> c1;
  pipe.InitBuffer(a1, m16 * kb * sizeof(In)); pipe.InitBuffer(b1, nb * kb * sizeof(In));
  pipe.InitBuffer(a2, m16 * kb * sizeof(In)); pipe.InitBuffer(b2, nb * kb * sizeof(In)); pipe.InitBuffer(c1, m16 * n16 * 4);
  GlobalTensor<In> a, b; GlobalTensor<Out> c;
  a.SetGlobalBuffer((__gm__ In*)ag); b.SetGlobalBuffer((__gm__ In*)bg); c.SetGlobalBuffer((__gm__ Out*)cg);
  LocalTensor<In> al1 = a1.Get<In>(), bl1 = b1.Get<In>(), al0 = a2.Get<In>(), bl0 = b2.Get<In>();
  LocalTensor<Acc> cl0 = c1.Get<Acc>();
#line 1
  DataCopy(al1, a, Nd2NzParams(1, m, k, 0, k, m16, 1, 0));
  if (transposed) DataCopy(bl1, b, Nd2NzParams(1, n, k, 0, k, n16, 1, 0));
  else DataCopy(bl1, b, Nd2NzParams(1, k, n, 0, n, kb, 1, 0));
  SetFlag<HardEvent::MTE2_MTE1>(0); WaitFlag<HardEvent::MTE2_MTE1>(0);
  for (int i = 0; i < m16 / 16; ++i) LoadData(al0[i * 16 * kc], al1[i * 16 * c0], LoadData2DParams(0, kc / c0, m16 / 16, 0, 0, false, 0));
  if (transposed) { for (int i = 0; i < kc / c0; ++i) LoadData(bl0[i * n16 * c0], bl1[i * n16 * c0], LoadData2DParams(0, n16 / 16, 1, 0, 0, false, 0)); }
  else if constexpr (sizeof(In) == 2) { for (int i = 0; i < kc / 16; ++i) LoadData(bl0[i * n16 * 16], bl1[i * 256], LoadData2DParams(0, n16 / 16, kb / 16, 0, 0, true, 0)); }
  else if constexpr (sizeof(In) == 1) { for (int i = 0; i < kc / 32; ++i) LoadDataWithTranspose(bl0[i * n16 * 32], bl1[i * 1024], LoadData2dTransposeParams(0, (nb / 32), kb / 32, 1, 0)); }
  SetFlag<HardEvent::MTE1_M>(0); WaitFlag<HardEvent::MTE1_M>(0);
  MmadParams mm; mm.m = m; mm.n = n; mm.k = k;
  Mmad(cl0, al0, bl0, mm);
  SetFlag<HardEvent::M_FIX>(0); WaitFlag<HardEvent::M_FIX>(0);
  FixpipeParamsV220 fix; fix.nSize = n; fix.mSize = m; fix.srcStride = m16; fix.dstStride = n; )" +
                       p.fixpipe + R"(
  Fixpipe<Out, Acc, CFG_ROW_MAJOR>(c, cl0, fix);
}
)";
  if (const auto at = source.find(p.without); !p.without.empty() && at != std::string::npos)
    source.erase(at, p.without.size());
  return source;
}

// The numbers of a matrix product by the definition; B is (k, n).
inline std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, int m, int n, int k) {
  std::vector<double> c(static_cast<std::size_t>(m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int x = 0; x < k; ++x)
        c[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * k + x)] * b[static_cast<std::size_t>(x * n + j)];
  return c;
}

// Whole numbers and halves between -4 and 4, exact in every type and in every order of additions.
inline std::vector<double> small_numbers(std::size_t count, unsigned seed, bool whole = false) {
  std::vector<double> values(count);
  unsigned state = seed * 2654435761u + 12345u;
  for (double& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int>(state >> 24 & 15) - 8;
    if (!whole) value /= 2;
  }
  return values;
}

inline std::vector<double> transposed(const std::vector<double>& x, int rows, int columns) {
  std::vector<double> y(x.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      y[static_cast<std::size_t>(j * rows + i)] = x[static_cast<std::size_t>(i * columns + j)];
  return y;
}

// The numbers of a kernel's operands, and a run of it; `P` has the shape, types and transposition of a PlainMatmul.
struct Operands {
  std::vector<double> a, b;
};
template <typename P>
Operands operands_of(const P& p) {
  const bool whole = p.in == "int8_t";
  return {small_numbers(static_cast<std::size_t>(p.m * p.k), 1, whole),
          small_numbers(static_cast<std::size_t>(p.k * p.n), 2, whole)};
}
template <typename P>
std::vector<double> product_of(const P& p) {
  const Operands x = operands_of(p);
  return product(x.a, x.b, p.m, p.n, p.k);
}
template <typename P>
proto::CaseResult run_product(const P& p, const std::string& source) {
  const Operands x = operands_of(p);
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", dtype_of(p.in), x.a);
  *run_case.add_inputs() = tensor("b", dtype_of(p.in), p.transposed_b ? transposed(x.b, p.k, p.n) : x.b);
  add_output(run_case, "c", dtype_of(p.out), p.m * p.n);
  return run_kernel(source, "k_", run_case);
}

}  // namespace kg::npu::testing
