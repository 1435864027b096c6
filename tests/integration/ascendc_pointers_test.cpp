// What kernels do through their own __gm__ and __ubuf__ pointers: checked, ordered, cached and timed as the API's
// scalar calls are.

#include <gtest/gtest.h>

#include <numeric>

#include "ascendc_kernel.h"

#ifdef KG_KERNEL_PASSES

namespace kg::npu::testing {
namespace {

constexpr int kCount = 64;

// `body` sees float pointers x, z of GM (kCount elements each) and a tensor t of kCount floats in UB.
proto::CaseResult run_body(const std::string& body, const RunOptions& options = {}) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
struct Pair { float first; int32_t second; int64_t third; };
__aicore__ inline float second_of(__gm__ const float* p) { return p[1]; }
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<TPosition::VECCALC> buffer; pipe.InitBuffer(buffer, 256);
  LocalTensor<float> t = buffer.Get<float>();
  __gm__ float* x = (__gm__ float*)xg; __gm__ float* z = (__gm__ float*)zg;
  GlobalTensor<float> zt; zt.SetGlobalBuffer(z);
#line 100
)" + body + "\n}\n";
  proto::RunCase run_case;
  std::vector<double> x(kCount);
  std::iota(x.begin(), x.end(), 1);
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, x);
  add_output(run_case, "z", proto::FLOAT32, kCount);
  return run_kernel(source, "k", run_case, options);
}

std::string all_z(const std::string& value) { return "for (int i = 0; i < 64; ++i) z[i] = " + value + ";"; }

void expect_z(const std::string& body, double first, double last) {
  const auto result = run_body(body);
  EXPECT_TRUE(result.ran()) << body;
  EXPECT_EQ(errors_of(result), "") << body << result.ShortDebugString().substr(0, 600);
  const auto z = values_of(result.outputs(0));
  EXPECT_EQ(z.front(), first) << body;
  EXPECT_EQ(z.back(), last) << body;
}

TEST(Pointers, GiveTheNumbersThatMemoryHolds) {
  expect_z(all_z("x[i] * 2"), 2, 128);
  expect_z(all_z("second_of(x + i / 2) + 0 * i"), 2, 33);
  // Through UB, by value and by member.
  expect_z("__ubuf__ float* u = t.GetPhyAddr(); for (int i = 0; i < 64; ++i) u[i] = x[i] + 1;\n" + all_z("u[i]"), 2,
           65);
  expect_z("__ubuf__ Pair* u = (__ubuf__ Pair*)t.GetPhyAddr(); u->first = 1.5f; u->second = 2; u->third = 3;\n" +
               all_z("u->first + u->second + (float)u->third"),
           6.5, 6.5);
  expect_z("Pair p = *(Pair*)(uint64_t)x; int second = p.second;\n" + all_z("(float)(second - 0x40000000)"), 0, 0);
  // A pointer made from a number, and one that lost its address space.
  expect_z("uint64_t a = (uint64_t)x; __gm__ float* p = (__gm__ float*)(a + 4);\n" + all_z("p[0]"), 2, 2);
  expect_z("float* p = (float*)x;\n" + all_z("p[i]"), 1, 64);
  // What a vector call leaves, a pointer sees; and the other way round.
  expect_z("Duplicate(t, 7.0f, 64); __ubuf__ float* u = t.GetPhyAddr();\n" + all_z("u[i]"), 7, 7);
  expect_z(
      "__ubuf__ float* u = t.GetPhyAddr(); for (int i = 0; i < 64; ++i) u[i] = (float)i;\n"
      "Adds(t, t, 1.0f, 64); SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(zt, t, 64);",
      1, 64);
  // The core's own memory needs no check.
  expect_z("float own[64]; for (int i = 0; i < 64; ++i) own[i] = x[63 - i]; float* p = own;\n" + all_z("p[i]"), 64, 1);
}

TEST(Pointers, ThatLeaveTheirMemoryAreTold) {
  EXPECT_EQ(errors_of(run_body("\n\nz[0] = x[4096];")), "gm:102");
  EXPECT_EQ(errors_of(run_body("\nz[100000] = 1;")), "gm:101");
  EXPECT_EQ(errors_of(run_body("float s = 0; for (int i = 0; i < 64; ++i) s += x[i * 1000];\nz[0] = s;")), "gm:100");
  EXPECT_EQ(errors_of(run_body("__gm__ float* none = nullptr;\nz[0] = none[3];")), "gm:101");
  EXPECT_EQ(errors_of(run_body("__ubuf__ float* u = t.GetPhyAddr();\nu[60000] = x[0];")), "ub:101");
}

TEST(Pointers, MessageNamesTheNearestTensorOnlyIfItIsNear) {
  EXPECT_EQ(run_body("z[0] = x[4096];").faults(0).message(),
            "a load through a __gm__ pointer out of bounds: byte 16384 of input \"x\", which has 256");
  EXPECT_EQ(run_body("__gm__ float* none = nullptr; z[0] = none[3];").faults(0).message(),
            "a load through a __gm__ pointer out of bounds: address 12, far from every tensor");
}

TEST(Pointers, OfUndefinedDataAreTold) {
  EXPECT_EQ(errors_of(run_body("__ubuf__ float* u = t.GetPhyAddr();\n" + all_z("u[i]"))), "memory:101");
  EXPECT_EQ(errors_of(run_body(all_z("x[i]") + "\n__ubuf__ float* u = t.GetPhyAddr(); u[0] = 1; z[0] = u[0];")), "");
}

TEST(Pointers, MissingOrderWithCopiesIsTold) {
  // MTE3 and S: the device's compiler orders them in UB; GM it does not.
  const auto stale = run_body(all_z("1") +
                              "\nDuplicate(t, 2.0f, 64); SetFlag<HardEvent::V_MTE3>(0); "
                              "WaitFlag<HardEvent::V_MTE3>(0); DataCopy(zt, t, 64);");
  EXPECT_EQ(errors_of(stale).substr(0, 6), "cache:") << stale.ShortDebugString().substr(0, 600);
}

TEST(Pointers, OfSeveralCoresInOneLineOfTheCacheAreTold) {
  const auto result = run_body("z[GetBlockIdx()] = 1;", {.block_dim = 4});
  EXPECT_EQ(errors_of(result).substr(0, 6), "cache:") << result.ShortDebugString().substr(0, 600);
}

// A kernel that computes by its scalar unit pays for it.
TEST(Pointers, CostWhatScalarAccessesCost) {
  const auto by_pointer = run_body(all_z("x[i] + 1"));
  const auto by_call = run_body(
      "GlobalTensor<float> xt; xt.SetGlobalBuffer(x); for (int i = 0; i < 64; ++i) zt.SetValue(i, xt.GetValue(i) + "
      "1);");
  EXPECT_NEAR(static_cast<double>(by_pointer.cycles()), static_cast<double>(by_call.cycles()),
              0.001 * static_cast<double>(by_call.cycles()));  // the loops around them are compiled apart
  EXPECT_EQ(values_of(by_pointer.outputs(0)), values_of(by_call.outputs(0)));
}

TEST(Pointers, IntoTheCoresOwnVariablesAreHeldToTheirExtent) {
  expect_z("float own[64] = {}; for (int i = 0; i < (int)x[63]; ++i) own[i] = x[i];\n" + all_z("own[i]"), 1, 64);
  EXPECT_EQ(errors_of(run_body("float own[8]; for (int i = 0; i < 8; ++i) own[i] = 1;\nz[0] = own[(int)x[63]];")),
            "memory:101");
  EXPECT_EQ(
      errors_of(run_body("float own[8];\nfor (int i = 0; i < (int)x[63]; ++i) own[i] = x[i];\n" + all_z("own[i % 8]"))),
      "memory:101");
  // Tables and functions of the kernel, structures handed on by reference, a lambda.
  expect_z("constexpr float table[4] = {1, 2, 3, 4}; int k = (int)x[1];\n" + all_z("table[k + i % 2]"), 3, 4);
  expect_z("auto twice = [&](int i) { return x[i] * 2; };\n" + all_z("twice(i)"), 2, 128);
}

// A table that the source keeps in global memory, read as a tensor, element by element and through its name.
TEST(Pointers, OfATableInGlobalMemoryServeCopiesToo) {
  for (const char* table : {"constexpr __gm__ float", "const static __gm__ float", "static __gm__ const float"}) {
    const std::string head = std::string("#include \"kernel_operator.h\"\nusing namespace AscendC;\n") + table +
                             " kTable[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};\n";
    const auto run = [&](const std::string& body) {
      proto::RunCase run_case;
      *run_case.add_inputs() = tensor("x", proto::FLOAT32, {1});
      add_output(run_case, "z", proto::FLOAT32, 16);
      return run_kernel(head + R"(extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<TPosition::VECCALC> buffer; pipe.InitBuffer(buffer, 64); LocalTensor<float> t = buffer.Get<float>();
  GlobalTensor<float> table, z; table.SetGlobalBuffer((__gm__ float*)kTable, 16); z.SetGlobalBuffer((__gm__ float*)zg, 16);
#line 100
)" + body + "\n}\n",
                        "k", run_case);
    };
    for (const char* body :
         {"DataCopy(t, table, 16); PipeBarrier<PIPE_ALL>(); DataCopy(z, t, 16);",
          "for (int i = 0; i < 16; ++i) t.SetValue(i, table.GetValue(i)); PipeBarrier<PIPE_ALL>(); DataCopy(z, t, 16);",
          "for (int i = 0; i < 16; ++i) t.SetValue(i, kTable[i]); PipeBarrier<PIPE_ALL>(); DataCopy(z, t, 16);"}) {
      const auto result = run(body);
      EXPECT_EQ(errors_of(result), "") << table << body << result.ShortDebugString();
      const auto z = values_of(result.outputs(0));
      for (std::size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z[i], static_cast<double>(i + 1)) << table << body;
    }
    EXPECT_EQ(errors_of(run("DataCopy(t, table[1 << 20], 16);")), "gm:100");
    EXPECT_EQ(errors_of(run("DataCopy(t, z, 16); PipeBarrier<PIPE_ALL>(); DataCopy(table, t, 16);")), "gm:100");
  }
}

// A tensor that a kernel makes from a pointer, as code without queues does.
TEST(Pointers, BecomeTensorsByTheirAddress) {
  const std::string make =
      "LocalTensor<float> u; u.address_.logicPos = static_cast<uint8_t>(TPosition::VECIN);\n"
      "u.address_.bufferAddr = reinterpret_cast<uint64_t>(t.GetPhyAddr(8));\n"
      "GlobalTensor<float> xt; xt.SetGlobalBuffer(x);\n";
  expect_z(make +
               "DataCopy(t, xt, 64); PipeBarrier<PIPE_ALL>(); Muls(u, u, 2.0f, 56); PipeBarrier<PIPE_ALL>(); "
               "DataCopy(zt, t, 64); "
               "if (zt.address_ != z) z[0] = 5;",
           1, 128);
  EXPECT_EQ(warnings_of(run_body(make + "DataCopy(u, xt, 64); z[0] = 1;")).substr(0, 6),
            "ub:103");  // beyond its buffer
  EXPECT_EQ(errors_of(run_body("LocalTensor<float> u; u.address_.logicPos = static_cast<uint8_t>(TPosition::VECIN);\n"
                               "u.address_.bufferAddr = 1 << 20; Muls(u, u, 2.0f, 8);")),
            "memory:101");
}

TEST(Pointers, ThatLeadIntoTheLauncherAreRefused) {
  EXPECT_EQ(errors_of(run_body("int* none = (int*)(uint64_t)(int64_t)(x[0] - 1);\nz[0] = *none;")), "trap:101");
  EXPECT_EQ(errors_of(run_body("int* none = (int*)(uint64_t)(int64_t)(x[0] - 1);\n*none = 1;")), "trap:101");
  // Above the core's stack, and wherever a number leads.
  EXPECT_EQ(errors_of(run_body("uint64_t here; uint64_t* p = (uint64_t*)((uint64_t)&here + (1 << 24));\n*p = 1;")),
            "trap:101");
  EXPECT_EQ(errors_of(run_body("void (*p)(int) = (void (*)(int))(0x401000 + (uint64_t)(int64_t)x[0]);\np(1);")),
            "trap:101");
}

}  // namespace
}  // namespace kg::npu::testing

#endif
