// int4b_t: two elements a byte, the first in the low four bits. Tensors, copies, Cast, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kN = 256, kBytes = kN / 2;

// A kernel `k(x, h, z, g)`: x and z are kN elements of int4b_t, h and g as many halves, and z and g begin as zeros.
// `compute` is line 32 and sees xGm too.
std::string int4_kernel(const std::string& compute) {
  return R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xAddress, GM_ADDR hAddress, GM_ADDR zAddress, GM_ADDR gAddress) {
  constexpr int n = 256;
  TPipe pipe;
  TQue<TPosition::VECIN, 1> xQueue, hQueue;
  TQue<TPosition::VECOUT, 1> zQueue, gQueue;
  TBuf<TPosition::VECCALC> work;
  pipe.InitBuffer(xQueue, 1, n / 2);
  pipe.InitBuffer(hQueue, 1, n * sizeof(half));
  pipe.InitBuffer(zQueue, 1, n / 2);
  pipe.InitBuffer(gQueue, 1, n * sizeof(half));
  pipe.InitBuffer(work, 1024);
  GlobalTensor<int4b_t> xGm, zGm;
  GlobalTensor<half> hGm, gGm;
  xGm.SetGlobalBuffer((__gm__ AscendC::int4b_t*)xAddress, n);
  hGm.SetGlobalBuffer((__gm__ half*)hAddress, n);
  zGm.SetGlobalBuffer((__gm__ int4b_t*)zAddress, n);
  gGm.SetGlobalBuffer((__gm__ half*)gAddress, n);
  LocalTensor<int4b_t> x = xQueue.AllocTensor<int4b_t>();
  DataCopy(x, xGm, DataCopyParams{1, n / 64, 0, 0});
  xQueue.EnQue(x);
  LocalTensor<half> h = hQueue.AllocTensor<half>();
  DataCopy(h, hGm, n);
  hQueue.EnQue(h);
  x = xQueue.DeQue<int4b_t>();
  h = hQueue.DeQue<half>();
  LocalTensor<int4b_t> z = zQueue.AllocTensor<int4b_t>();
  LocalTensor<half> g = gQueue.AllocTensor<half>();
  Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)0, n / 4); Duplicate(g, (half)0, n);
#line 32
)" + compute +
         R"(
  zQueue.EnQue(z); gQueue.EnQue(g);
  z = zQueue.DeQue<int4b_t>(); g = gQueue.DeQue<half>();
  DataCopy(zGm, z, DataCopyParams{1, n / 64, 0, 0});
  DataCopy(gGm, g, n);
  xQueue.FreeTensor(x); hQueue.FreeTensor(h); zQueue.FreeTensor(z); gQueue.FreeTensor(g);
}
)";
}

// Byte i of x holds i, so every pair of two values with a first of 0 to 7 is there. Halves from -16 to 15.875.
std::vector<double> pairs() {
  std::vector<double> bytes(kBytes);
  for (int i = 0; i < kBytes; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i * 2 + i / 8 % 2);
  return bytes;
}
std::vector<double> eighths() {
  std::vector<double> halves(kN);
  for (int i = 0; i < kN; ++i) halves[static_cast<std::size_t>(i)] = (i - kN / 2) / 8.0;
  return halves;
}

struct Results {
  proto::CaseResult result;
  std::vector<int> z;     // elements
  std::vector<double> g;  // halves
};

std::vector<int> elements_of(const std::vector<double>& bytes) {
  std::vector<int> elements;
  for (const double byte : bytes) {
    const int bits = static_cast<int>(byte) & 255;
    elements.push_back(((bits & 15) ^ 8) - 8);
    elements.push_back((bits >> 4 ^ 8) - 8);
  }
  return elements;
}

Results run(const std::string& compute, const std::vector<double>& halves = eighths()) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::INT8, pairs());
  *run_case.add_inputs() = tensor("h", proto::FLOAT16, halves);
  add_output(run_case, "z", proto::INT8, kBytes);
  add_output(run_case, "g", proto::FLOAT16, kN);
  Results results{run_kernel(int4_kernel(compute), "k", run_case), {}, {}};
  if (results.result.outputs_size() == 2) {
    results.z = elements_of(values_of(results.result.outputs(0)));
    results.g = values_of(results.result.outputs(1));
  }
  return results;
}

std::string first_message(const Results& results) {
  return results.result.faults_size() > 0 ? results.result.faults(0).message() : "";
}

// What Cast gives: rounded, then saturated.
int rounded(double value, const std::string& mode) {
  if (std::isnan(value)) return 0;
  const double whole = mode == "FLOOR"   ? std::floor(value)
                       : mode == "CEIL"  ? std::ceil(value)
                       : mode == "ROUND" ? std::round(value)
                       : mode == "TRUNC" ? std::trunc(value)
                                         : std::nearbyint(value);
  return static_cast<int>(std::clamp(whole, -8.0, 7.0));
}
std::vector<int> all_rounded(const std::vector<double>& values, const std::string& mode) {
  std::vector<int> result;
  for (const double value : values) result.push_back(rounded(value, mode));
  return result;
}

// A is m x k; B is k x n, stored by columns if it is transposed.
struct Int4Product {
  int m = 20, n = 34, k = 70;
  bool transposed = true;
  std::string format_b = "ND";
};

std::vector<double> packed(const std::vector<double>& elements) {
  std::vector<double> bytes;
  for (std::size_t i = 0; i < elements.size(); i += 2)
    bytes.push_back(
        static_cast<std::int8_t>((static_cast<int>(elements[i]) & 15) | (static_cast<int>(elements[i + 1]) & 15) << 4));
  return bytes;
}
std::vector<double> int4_numbers(int count, int step) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i * step % 16 - 8);
  return numbers;
}

// `prepare`: statements about the Matmul object mm in front of the product.
proto::CaseResult multiply_int4(const Int4Product& x, const std::string& c, proto::DType c_type,
                                const std::vector<double>& a, const std::vector<double>& b,
                                const std::string& prepare = "") {
  const std::string source = R"(#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC; using namespace matmul;
constexpr int m = )" + std::to_string(x.m) +
                             ", n = " + std::to_string(x.n) + ", l = " + std::to_string(x.k) +
                             "; constexpr bool turned = " + (x.transposed ? "true" : "false") +
                             "; constexpr CubeFormat format = CubeFormat::" + x.format_b + "; using Out = " + c +
                             R"(;
extern "C" __global__ __aicore__ void k(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  TPipe pipe; TCubeTiling t;
  t.usedCoreNum = 1; t.M = t.singleCoreM = m; t.N = t.singleCoreN = n; t.Ka = t.Kb = t.singleCoreK = l;
  t.baseM = 16; t.baseN = 16; t.baseK = 64; t.depthA1 = 2; t.depthB1 = 2; t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, int4b_t>, MatmulType<TPosition::GM, format, int4b_t, turned>,
         MatmulType<TPosition::GM, CubeFormat::ND, Out>, MatmulType<TPosition::GM, CubeFormat::ND, int32_t>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  if (GetBlockIdx() != 0) return;
  GlobalTensor<int4b_t> a, b; GlobalTensor<Out> c;
  a.SetGlobalBuffer((__gm__ int4b_t*)ag); b.SetGlobalBuffer((__gm__ int4b_t*)bg); c.SetGlobalBuffer((__gm__ Out*)cg);
  )" + prepare + R"(
  mm.SetTensorA(a); mm.SetTensorB(b, turned);
  mm.IterateAll(c);
  mm.End();
}
)";
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::INT8, packed(a));
  *run_case.add_inputs() = tensor("b", proto::INT8, packed(b));
  add_output(run_case, "c", c_type, static_cast<std::size_t>(x.m * x.n));
  return run_kernel(source, "k", run_case, {.block_dim = 1});
}

TEST(Int4, EveryValueGoesToHalfAndBack) {
  const Results got = run("Cast(g, x, RoundMode::CAST_NONE, n); Cast(z, g, RoundMode::CAST_RINT, n);");
  EXPECT_EQ(errors_of(got.result), "") << first_message(got);
  const std::vector<int> x = elements_of(pairs());
  for (int value = -8; value < 8; ++value)
    for (const std::size_t place : {0u, 1u}) {
      bool found = false;
      for (std::size_t i = place; i < x.size(); i += 2) found = found || x[i] == value;
      EXPECT_TRUE(found) << value << " as element " << place << " of a byte";
    }
  EXPECT_EQ(got.g, std::vector<double>(x.begin(), x.end()));
  EXPECT_EQ(got.z, x);
}

TEST(Int4, DataCopyPadMovesBytes) {
  const Results got = run(R"(LocalTensor<int4b_t> w = work.Get<int4b_t>();
  DataCopyPad(w, xGm[64], DataCopyExtParams{2, 12, 4, 0, 0}, DataCopyPadExtParams<int4b_t>());
  SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
  SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
  DataCopyPad(zGm[32], w[64], DataCopyExtParams{1, 10, 0, 0, 0});
  DataCopyPad(zGm[96], w, DataCopyExtParams{1, 12, 0, 0, 0});
  PipeBarrier<PIPE_ALL>();
  zQueue.FreeTensor(z); gQueue.FreeTensor(g); return;)");
  EXPECT_EQ(errors_of(got.result), "") << first_message(got);
  const std::vector<int> x = elements_of(pairs());
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(got.z[32 + i], x[64 + 32 + i]) << i;
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(got.z[96 + i], x[64 + i]) << i;
}

// NZ: columns of 64 elements, each as high as the rows up to a multiple of 16.
TEST(Int4, MatmulObjectMultipliesThem) {
  for (const Int4Product& x : {Int4Product{}, Int4Product{.transposed = false}, Int4Product{.m = 1, .k = 128},
                               Int4Product{.transposed = false, .format_b = "NZ"}}) {
    const bool nz = x.format_b == "NZ";
    const int stored_rows = nz ? (x.k + 15) / 16 * 16 : x.k;
    const std::vector<double> a = int4_numbers(x.m * x.k, 7), b = int4_numbers(nz ? stored_rows * 64 : x.n * x.k, 5);
    const auto at_b = [&](int row, int column) {
      return nz ? b[static_cast<std::size_t>(row * 64 + column)]
                : b[static_cast<std::size_t>(x.transposed ? column * x.k + row : row * x.n + column)];
    };
    const std::string scale =
        "float factor = 0.25f; mm.SetQuantScalar(static_cast<uint64_t>(*reinterpret_cast<int32_t*>(&factor)));";
    for (const bool whole : {true, false}) {
      const proto::CaseResult result =
          multiply_int4(x, whole ? "int32_t" : "half", whole ? proto::INT32 : proto::FLOAT16, a, b, whole ? "" : scale);
      ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1500);
      EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 1500);
      const std::vector<double> c = values_of(result.outputs(0));
      for (int i = 0; i < x.m; ++i)
        for (int j = 0; j < x.n; ++j) {
          double sum = 0;
          for (int l = 0; l < x.k; ++l) sum += a[static_cast<std::size_t>(i * x.k + l)] * at_b(l, j);
          ASSERT_EQ(c[static_cast<std::size_t>(i * x.n + j)], whole ? sum : sum / 4) << i << " " << j << x.format_b;
        }
    }
  }
}

TEST(Int4, MatmulObjectNeedsRowsOfWholeBytes) {
  const Int4Product odd{.k = 71};
  const proto::CaseResult result =
      multiply_int4(odd, "int32_t", proto::INT32, int4_numbers(20 * 72, 1), int4_numbers(34 * 72, 1));
  ASSERT_FALSE(result.ran());
  EXPECT_THAT(result.faults(0).message(), HasSubstr("an even number"));
}

class Int4Rounding : public ::testing::TestWithParam<const char*> {};

TEST_P(Int4Rounding, RoundsAndSaturates) {
  std::vector<double> halves = eighths();
  const double infinity = std::numeric_limits<double>::infinity();
  const double special[] = {infinity, -infinity, std::nan(""), 65504, -65504, 7.4921875, -8.5, 0x1p-24, -0x1p-24};
  std::copy(std::begin(special), std::end(special), halves.begin() + 3);
  const std::string mode = GetParam();
  const Results got = run("Cast(z, h, RoundMode::CAST_" + mode + ", n);", halves);
  EXPECT_EQ(errors_of(got.result), "") << first_message(got);
  EXPECT_EQ(got.z, all_rounded(halves, mode));
}

INSTANTIATE_TEST_SUITE_P(Modes, Int4Rounding, ::testing::Values("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC"),
                         [](const auto& info) { return info.param; });

TEST(Int4, ARoundModeThatThePairDoesNotTakeIsAnArgumentFault) {
  EXPECT_EQ(errors_of(run("Cast(z, h, RoundMode::CAST_ODD, n);").result), "argument:32");
  const Results got = run("Cast(g, x, RoundMode::CAST_RINT, n);");
  EXPECT_EQ(errors_of(got.result), "argument:32");
  EXPECT_THAT(first_message(got), HasSubstr("from int4b_t to half does not take RoundMode::CAST_RINT"));
}

// A repeat is 128 elements: 256 bytes of halves, 64 of int4b_t.
TEST(Int4, TheFormsWithMasksAreTheFormByCount) {
  const std::vector<int> expected = all_rounded(eighths(), "FLOOR");
  for (const char* compute :
       {"Cast(z, h, RoundMode::CAST_FLOOR, 128, 2, {1, 1, 2, 8});",
        "uint64_t all[2] = {~0ULL, ~0ULL}; Cast(z, h, RoundMode::CAST_FLOOR, all, 2, {1, 1, 2, 8});",
        "uint64_t even[2] = {0x3333333333333333, 0x3333333333333333}, odd[2] = {~even[0], ~even[1]};"
        "Cast(z, h, RoundMode::CAST_FLOOR, even, 2, {1, 1, 2, 8});"
        "Cast(z, h, RoundMode::CAST_FLOOR, odd, 2, {1, 1, 2, 8});",
        "SetVectorMask<half>(~0ULL, ~0ULL);"
        "Cast<int4b_t, half, false>(z, h, RoundMode::CAST_FLOOR, MASK_PLACEHOLDER, 2, {1, 1, 2, 8});",
        "SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(n);"
        "Cast<int4b_t, half, false>(z, h, RoundMode::CAST_FLOOR, MASK_PLACEHOLDER, 1, {1, 1, 2, 8});"
        "SetMaskNorm(); ResetMask();"}) {
    const Results got = run(compute);
    EXPECT_EQ(errors_of(got.result), "") << compute << "\n" << first_message(got);
    EXPECT_EQ(got.z, expected) << compute;
  }
  const Results back = run("Cast(g, x, RoundMode::CAST_NONE, 128, 2, {1, 1, 8, 2});");
  EXPECT_EQ(errors_of(back.result), "") << first_message(back);
  const std::vector<int> x = elements_of(pairs());
  EXPECT_EQ(back.g, std::vector<double>(x.begin(), x.end()));
}

TEST(Int4, AMaskLeavesTheOtherElementsAlone) {
  std::vector<int> expected = all_rounded(eighths(), "FLOOR");
  for (int i = 0; i < kN; ++i)
    if (i % 128 >= 100) expected[static_cast<std::size_t>(i)] = 0;
  const Results got = run("Cast(z, h, RoundMode::CAST_FLOOR, 100, 2, {1, 1, 2, 8});");
  EXPECT_EQ(errors_of(got.result), "") << first_message(got);
  EXPECT_EQ(got.z, expected);
}

TEST(Int4, ACountOrMaskThatSplitsAByteIsAnArgumentFault) {
  const Results got = run("Cast(z, h, RoundMode::CAST_NONE, 33);");
  EXPECT_EQ(errors_of(got.result), "argument:32");
  EXPECT_THAT(first_message(got), HasSubstr("the count 33 is not even"));
  for (const char* compute : {"Cast(z, h, RoundMode::CAST_NONE, 63, 1, {1, 1, 2, 8});",
                              "uint64_t bits[2] = {7, 0}; Cast(g, x, RoundMode::CAST_NONE, bits, 1, {1, 1, 8, 2});",
                              "SetVectorMask<half>(0, 6);"
                              "Cast<int4b_t, half, false>(z, h, RoundMode::CAST_NONE, MASK_PLACEHOLDER, 1, {1, 1, 2, "
                              "8}); ResetMask();"})
    EXPECT_EQ(errors_of(run(compute).result), "argument:32") << compute;
}

TEST(Int4, OffsetsAndSizesCountElements) {
  const Results got =
      run("LocalTensor<int4b_t> part = work.Get<int4b_t>(192);"
          "g.SetValue(0, (half)(float)(int)part.GetSize()); g.SetValue(1, (half)(float)(int)part.GetLength());"
          "part.SetSize(64); g.SetValue(2, (half)(float)(int)part.GetSize());"
          "g.SetValue(3, (half)(float)(int)part.ReinterpretCast<int8_t>().GetSize());"
          "g.SetValue(4, (half)(float)(int)h.ReinterpretCast<int4b_t>().GetSize());"
          "g.SetValue(5, (half)(float)(int)z[64].GetSize()); g.SetValue(6, (half)(float)(int)xGm[64].GetSize());"
          "g.SetValue(7, (half)(float)(int)sizeof(int4b_t));"
          "SetFlag<HardEvent::S_V>(EVENT_ID0); WaitFlag<HardEvent::S_V>(EVENT_ID0);"
          "Cast(z[64], h[128], RoundMode::CAST_RINT, 64);");
  EXPECT_EQ(errors_of(got.result), "") << first_message(got);
  EXPECT_EQ(std::vector<double>(got.g.begin(), got.g.begin() + 8),
            (std::vector<double>{192, 96, 64, 32, 1024, 192, 192, 1}));
  std::vector<int> expected(kN);
  const std::vector<int> all = all_rounded(eighths(), "RINT");
  std::copy(all.begin() + 128, all.begin() + 192, expected.begin() + 64);
  EXPECT_EQ(got.z, expected);
}

TEST(Int4, AnOddOffsetEndsTheKernel) {
  for (const char* compute : {"LocalTensor<int4b_t> part = x[3];", "GlobalTensor<int4b_t> part = xGm[1];"}) {
    const Results got = run(compute);
    EXPECT_THAT(errors_of(got.result), HasSubstr("assert")) << compute;
    EXPECT_THAT(first_message(got), HasSubstr("an offset in a tensor of int4b_t is even")) << compute;
  }
}

// A count of elements moves as many bytes, as sizeof says, in whole blocks of 32.
TEST(Int4, DataCopyByCountMovesAByteForEachElement) {
  const std::string load =
      "LocalTensor<int4b_t> part = work.Get<int4b_t>(); DataCopy(part, xGm[64], COUNT);"
      "SetFlag<HardEvent::MTE2_V>(EVENT_ID0); WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);"
      "Cast(g, part, RoundMode::CAST_NONE, 64);";
  const auto with_count = [&](const std::string& count) {
    std::string compute = load;
    return run(compute.replace(compute.find("COUNT"), 5, count));
  };
  const Results got = with_count("32");
  EXPECT_EQ(errors_of(got.result), "") << first_message(got);
  const std::vector<int> x = elements_of(pairs());
  EXPECT_EQ(std::vector<double>(got.g.begin(), got.g.begin() + 64),
            std::vector<double>(x.begin() + 64, x.begin() + 128));
  EXPECT_THAT(errors_of(with_count("31").result), HasSubstr("memory"));  // nothing is moved
  EXPECT_THAT(errors_of(with_count("512").result), HasSubstr("gm:32"));  // beyond the end of x
}

TEST(Int4, ACastOfUndefinedHalvesLeavesTheirBytesUndefined) {
  EXPECT_EQ(errors_of(run("LocalTensor<half> u = work.Get<half>(); Cast(u.ReinterpretCast<int4b_t>(), h, "
                          "RoundMode::CAST_NONE, 64); Cast(g, u.ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, 64);")
                          .result),
            "");
  EXPECT_THAT(errors_of(run("LocalTensor<half> u = work.Get<half>(); Cast(u.ReinterpretCast<int4b_t>(), h, "
                            "RoundMode::CAST_NONE, 64); Cast(g, u.ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, "
                            "66);")
                            .result),
              HasSubstr("memory"));
  EXPECT_THAT(errors_of(run("Cast(z, work.Get<half>(), RoundMode::CAST_NONE, 2);").result), HasSubstr("memory"));
}

TEST(Int4, ACastBeyondTheTensorIsReported) {
  const Results got = run("Cast(z[192], h, RoundMode::CAST_NONE, 66);");
  EXPECT_THAT(errors_of(got.result) + warnings_of(got.result), HasSubstr("ub:32"));
  const Results inside = run("Cast(z[192], h, RoundMode::CAST_NONE, 64);");
  EXPECT_EQ(errors_of(inside.result) + warnings_of(inside.result), "");
}

// Both have as many repeats of the wider type.
TEST(Int4, ACastTakesTheTimeOfOneToInt8) {
  const auto cycles = [](const std::string& type) {
    const Results got = run("LocalTensor<" + type + "> t = work.Get<" + type +
                            ">(); for (int i = 0; i < 100; ++i) Cast(t, h, RoundMode::CAST_NONE, n);");
    EXPECT_EQ(errors_of(got.result), "") << first_message(got);
    return got.result.cycles();
  };
  EXPECT_EQ(cycles("int4b_t"), cycles("int8_t"));
}

TEST(Int4, WhatTheDeviceDoesNotHaveIsRefused) {
  struct Refused {
    const char *compute, *message;
  };
  for (const Refused& refused : {
           Refused{"Add(z, x, x, n);", "Add does not take this data type on this device"},
           Refused{"Duplicate(z, int4b_t(), n);", "Duplicate does not take this data type"},
           Refused{"LocalTensor<float> f = work.Get<float>(); Cast(f, x, RoundMode::CAST_NONE, n);",
                   "Cast has no such pair of types"},
           Refused{"LocalTensor<int8_t> b = work.Get<int8_t>(); Cast(b, x, RoundMode::CAST_NONE, n);",
                   "Cast has no such pair of types"},
           Refused{"x.GetValue(0);", "there is no scalar of int4b_t"},
           Refused{"x.SetValue(0, int4b_t());", "there is no scalar of int4b_t"},
           Refused{"xGm.GetValue(0);", "there is no scalar of int4b_t"},
           Refused{"int4b_t number = 3;", "no viable conversion from 'int' to 'int4b_t'"},
           Refused{"int4b_t number{3};", "no matching constructor"},
           Refused{"Brcb(z, x, 1, BrcbRepeatParams());", "Brcb does not take this data type"},
           Refused{"SetCmpMask(x);", "does not take int4b_t on this device"},
           Refused{"SetAtomicAdd<int4b_t>();", "SetAtomicAdd does not take this data type"},
       }) {
    const Compiled compiled = compile_kernel(int4_kernel(refused.compute), "k");
    EXPECT_FALSE(compiled.ok) << refused.compute;
    EXPECT_THAT(compiled.messages, HasSubstr(refused.message)) << refused.compute;
    EXPECT_THAT(compiled.messages, HasSubstr(".cpp:32:")) << refused.compute;
  }
}

}  // namespace
}  // namespace kg::npu::testing
