// Wrong kernels: the right class at the right line. And what is no fault.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

constexpr int kN = 256;

struct Wrong {
  const char* name;
  std::string source;
  std::string errors;  // class:line ...
  bool ran;
};

// One core, two inputs, one output of 256 floats. Line 1 is the first line of `body`.
std::string bare_kernel(const std::string& body) {
  return R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe; TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out; TBuf<> buf;
  GlobalTensor<float> x, y, z;
  x.SetGlobalBuffer((__gm__ float*)xg, 256); y.SetGlobalBuffer((__gm__ float*)yg, 256); z.SetGlobalBuffer((__gm__ float*)zg, 256);
#line 1
)" + body +
         "\n}\n";
}

// Loads x, adds it to itself, stores z, with the steps in the order of AddCustom.
const std::string kInit = "pipe.InitBuffer(in, 1, 1024); pipe.InitBuffer(out, 1, 1024); pipe.InitBuffer(buf, 1024);\n";

const std::string kStore = "out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); out.FreeTensor(o);";

proto::CaseResult run(const std::string& source, const RunOptions& options = {}) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, std::vector<double>(kN, 1.5));
  *run_case.add_inputs() = tensor("y", proto::FLOAT32, std::vector<double>(kN, 2));
  add_output(run_case, "z", proto::FLOAT32, kN);
  return run_kernel(source, "k", run_case, options);
}

class Faults : public ::testing::TestWithParam<Wrong> {};

TEST_P(Faults, NamesClassAndLine) {
  const auto result = run(GetParam().source);
  EXPECT_EQ(errors_of(result), GetParam().errors) << result.ShortDebugString();
  EXPECT_EQ(result.ran(), GetParam().ran);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Faults,
    ::testing::Values(
        // queue
        Wrong{"DeQueOnEmpty", bare_kernel(kInit + "auto a = in.DeQue<float>();"), "queue:2", false},
        Wrong{"AllocWithoutFreeBuffer",
              bare_kernel(kInit + "auto a = in.AllocTensor<float>();\nauto b = in.AllocTensor<float>();"), "queue:3",
              false},
        Wrong{"DoubleFree",
              bare_kernel(kInit + "auto a = in.AllocTensor<float>();\nin.FreeTensor(a);\nin.FreeTensor(a);"), "queue:4",
              true},
        Wrong{"EnQueBeyondDepth",
              bare_kernel("pipe.InitBuffer(in, 2, 1024);\nauto a = in.AllocTensor<float>(); in.EnQue(a);\nauto b = "
                          "in.AllocTensor<float>();\nin.EnQue(b);"),
              "queue:4", true},
        Wrong{"EnQueOnForeignQueue", bare_kernel(kInit + "auto a = in.AllocTensor<float>();\nout.EnQue(a);"), "queue:3",
              true},
        Wrong{"UseAfterFree",
              bare_kernel(kInit + "auto a = out.AllocTensor<float>(); out.FreeTensor(a); auto b = "
                                  "out.AllocTensor<float>();\nDuplicate(a, 1.0f, 256);"),
              "queue:3", true},
        Wrong{"QueueWithoutInitBuffer", bare_kernel("auto a = in.AllocTensor<float>();"), "queue:1", false},
        Wrong{"TooManyBuffers", bare_kernel("pipe.InitBuffer(in, 60, 32);\npipe.InitBuffer(out, 5, 32);"), "queue:2",
              false},
        // UB
        Wrong{"InitBufferOverflow", bare_kernel("pipe.InitBuffer(in, 2, 65536);\npipe.InitBuffer(out, 1, 65536 + 32);"),
              "ub:2", false},
        Wrong{"VectorBeyondTensor", bare_kernel(kInit + "auto a = in.AllocTensor<float>();\nDuplicate(a, 1.0f, 300);"),
              "ub:3", true},
        Wrong{"MisalignedOffset", bare_kernel(kInit + "auto a = buf.Get<float>();\nDuplicate(a[3], 1.0f, 8);"), "ub:3",
              false},
        Wrong{"PartialOverlap",
              bare_kernel(kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 256);\nAdds(a[8], a, 1.0f, 64);"),
              "ub:3", true},
        Wrong{"CopyLargerThanTensor", bare_kernel(kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x, 264);"),
              "ub:3", true},
        // GM
        Wrong{"ReadOutOfBounds", bare_kernel(kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x[512], 256);"),
              "gm:3", false},
        Wrong{"WriteOutOfBounds",
              bare_kernel(kInit + "auto a = out.AllocTensor<float>(); Duplicate(a, 1.0f, 256);\nout.EnQue(a); a = "
                                  "out.DeQue<float>();\nDataCopy(z[4096], a, 256);"),
              "gm:4", false},
        Wrong{"ScalarReadOutOfBounds", bare_kernel("float v = x.GetValue(100000);\nz.SetValue(0, v);"), "gm:1", false},
        // memory
        Wrong{"UninitialisedOutput",
              bare_kernel(kInit + "auto a = out.AllocTensor<float>(); Duplicate(a, 1.0f, 128);\nout.EnQue(a); a = "
                                  "out.DeQue<float>();\nDataCopy(z, a, 256);\nout.FreeTensor(a);"),
              "memory:4", true},
        Wrong{"UninitialisedThroughAdd", vector_kernel("float", "float", kN, "Add(z, x, work, n);"), "memory:24", true},
        Wrong{"NeverAllocatedTensor", bare_kernel(kInit + "LocalTensor<float> a;\nDuplicate(a, 1.0f, 8);"), "memory:3",
              false},
        // synchronisation
        Wrong{
            "ComputeBeforeLoadArrives",
            bare_kernel(kInit +
                        "auto a = in.AllocTensor<float>(); auto b = out.AllocTensor<float>();\nDataCopy(a, "
                        "x, 256);\nAdds(b, a, 1.0f, 256);\nout.EnQue(b); b = out.DeQue<float>(); DataCopy(z, b, 256);"),
            "synchronisation:4", true},
        Wrong{"StoreBeforeComputeEnds",
              bare_kernel(kInit + "auto b = out.AllocTensor<float>();\nDuplicate(b, 1.0f, 256);\nDataCopy(z, b, 256);"),
              "synchronisation:4", true},
        Wrong{"LoadOverwritesWhatIsStored",
              bare_kernel(kInit + "auto a = buf.Get<float>();\nDataCopy(a, x, 256); SetFlag<HardEvent::MTE2_MTE3>(0); "
                                  "WaitFlag<HardEvent::MTE2_MTE3>(0);\nDataCopy(z, a, 256);\nDataCopy(a, y, 256);"),
              "synchronisation:5", true},
        Wrong{"TwoLoadsToOnePlace",
              bare_kernel(kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x, 256);\nDataCopy(a, y, "
                                  "256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256);"),
              "synchronisation:4", true},
        Wrong{"WaitWithoutSet", bare_kernel("WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);"), "synchronisation:1", false},
        Wrong{"SetTwice",
              bare_kernel(
                  "SetFlag<HardEvent::V_MTE3>(1);\nSetFlag<HardEvent::V_MTE3>(1);\nWaitFlag<HardEvent::V_MTE3>(1);"),
              "synchronisation:2", true},
        // arguments, traps, assertions
        Wrong{"RoundModeThatCastLacks", vector_kernel("half", "float", kN, "Cast(z, x, RoundMode::CAST_RINT, n);"),
              "argument:20", true},
        Wrong{"CompareOfPartOfARepeat",
              bare_kernel(kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 128);\nauto m = "
                                  "a[128].ReinterpretCast<uint8_t>();\nCompareScalar(m, a, 1.0f, CMPMODE::EQ, 100);"),
              "argument:4", true},
        Wrong{"NullPointer", bare_kernel(kInit + "int* volatile p = nullptr;\n*p = 1;"), "trap:3", false},
        Wrong{"DivisionByZero", bare_kernel("volatile int zero = 0;\nz.SetValue(0, 1.0f);\nvolatile int q = 7 / zero;"),
              "trap:3", false},
        Wrong{"DumpTensorWithAShapeOf255Dimensions",
              bare_kernel("ShapeInfo shape; shape.shapeDim = 255;\nDumpTensor(x, 1, 8, shape);"), "argument:2", true},
        Wrong{"Assertion", bare_kernel(kInit + "ASSERT(GetBlockNum() == 7);"), "assert:2", false}),
    [](const auto& info) { return info.param.name; });

TEST(Faults, MessageSaysWhatToChange) {
  const auto result =
      run(bare_kernel("pipe.InitBuffer(in, 1, 1024);\nauto a = in.AllocTensor<float>();\nDataCopy(a, x, 256);\nMuls(a, "
                      "a, 2.0f, 256);"));
  ASSERT_GE(result.faults_size(), 1);
  EXPECT_EQ(result.faults(0).message(),
            "Muls on pipe V reads UB that pipe MTE2 may still write (line 3); order them with EnQue and DeQue, or "
            "SetFlag and "
            "WaitFlag<HardEvent::MTE2_V>");
  EXPECT_EQ(result.faults(0).core(), 0);
}

TEST(Faults, AVectorCallBehindAPlainEnQueOfATQueBindIsToldThePositions) {
  const std::string before =
                        "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; pipe.InitBuffer(q, 2, 1024);\nauto a = "
                        "q.AllocTensor<float>(); DataCopy(a, x, 256);\n",
                    behind = "Muls(a, a, 2.0f, 256); PipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256); q.FreeTensor(a);";
  const auto result = run(bare_kernel(before + "q.EnQue(a); a = q.DeQue<float>();\n" + behind));
  ASSERT_GE(result.faults_size(), 1);
  EXPECT_EQ(
      result.faults(0).message(),
      "Muls on pipe V reads UB that pipe MTE2 may still write (line 2); a TQueBind's EnQue() and DeQue() order MTE2 "
      "before MTE3 only; write EnQue<TPosition::GM, TPosition::VECIN> and DeQue of the same positions");
  const auto right = run(bare_kernel(before +
                                     "q.EnQue<TPosition::GM, TPosition::VECIN, float>(a); a = q.DeQue<TPosition::GM, "
                                     "TPosition::VECIN, float>();\n" +
                                     behind));
  EXPECT_EQ(right.faults_size(), 0) << right.ShortDebugString();
}

// A copy into a buffer that a vector call may still read, whose last copy came before that: the flag orders both.
TEST(Faults, TheFlagBetweenTwoPipesIsNamedBeforeABarrierOfOne) {
  const auto result =
      run(bare_kernel("pipe.InitBuffer(in, 1, 1024); pipe.InitBuffer(buf, 1024);\n"
                      "auto a = in.AllocTensor<float>(); auto b = buf.Get<float>(); DataCopy(a, x, 256);\n"
                      "SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0); Adds(b, a, 1.0f, 256);\n"
                      "DataCopy(a, x, 256);"));
  ASSERT_GE(result.faults_size(), 1);
  EXPECT_THAT(result.faults(0).message(), ::testing::HasSubstr("that pipe V may still read (line 3)"));
  EXPECT_THAT(result.faults(0).message(), ::testing::HasSubstr("WaitFlag<HardEvent::V_MTE2>"));
}

std::string warnings_of(const std::string& source) {
  const auto result = run(source);
  std::string messages;
  for (const auto& fault : result.faults()) {
    EXPECT_EQ(fault.severity(), proto::WARNING) << fault.message();
    messages += fault.message() + "\n";
  }
  return messages;
}

TEST(Faults, AMaskOfMoreElementsThanARepeatHasIsTold) {
  const std::string body = kInit + "auto o = out.AllocTensor<float>(); Duplicate(o, 1.0f, 256); Adds(o, o, 1.0f, ";
  const std::string rest = ", 4, {1, 1, 8, 8});" + kStore;
  EXPECT_EQ(warnings_of(bare_kernel(body + "64" + rest)), "");
  EXPECT_EQ(warnings_of(bare_kernel(body + "100" + rest)),
            "Adds: the mask asks for 100 elements of a repeat, which has 64 of the widest type; give more repeats "
            "instead\n");
}

// The chip drops the rest in silence. The copy is told, and what is missing at the end leads back to it.
TEST(Faults, ACopyByCountThatDropsTheRestIsNamedAsTheCause) {
  const std::string body = kInit +
                           "auto o = out.AllocTensor<float>(); Duplicate(o, 1.0f, 256); out.EnQue(o); o = "
                           "out.DeQue<float>();\n";
  EXPECT_EQ(
      warnings_of(bare_kernel(body + "DataCopy(z, o, 253); out.FreeTensor(o);")),
      "DataCopy of 1012 bytes, no multiple of 32: the chip copies 992 and leaves out the last 20 without an error; "
      "round "
      "the count up, or copy the exact bytes with DataCopyPad\n"
      "32 of 1024 bytes of output \"z\" were never written, the first at byte 992; DataCopy (line 3) moves 992 of "
      "the 1012 bytes that it is asked for, because it moves whole blocks of 32; DataCopyPad moves all\n");
  EXPECT_EQ(warnings_of(bare_kernel(body + "DataCopy(z, o, 248); out.FreeTensor(o);")),
            "32 of 1024 bytes of output \"z\" were never written, the first at byte 992; check the number of cores, "
            "tiles and the last tile's length\n");
  const auto result = run(bare_kernel(kInit +
                                      "auto a = in.AllocTensor<float>();\nDataCopy(a, x, 255); in.EnQue(a); a = "
                                      "in.DeQue<float>(); auto o = out.AllocTensor<float>(); Adds(o, a, 1.0f, "
                                      "256); in.FreeTensor(a);" +
                                      kStore));
  ASSERT_EQ(result.faults_size(), 2) << result.ShortDebugString();
  EXPECT_EQ(
      result.faults(1).message(),
      "uninitialised UB data reach output \"z\" at byte 992; DataCopy (line 3) moves 992 of the 1020 bytes that it "
      "is asked for, because it moves whole blocks of 32; DataCopyPad moves all");
}

TEST(Faults, AnAtomicStateLeftOnIsTold) {
  const std::string body = kInit +
                           "auto o = out.AllocTensor<float>(); Duplicate(o, 1.0f, 256); out.EnQue(o); o = "
                           "out.DeQue<float>(); DataCopy(z, o, 256); PipeBarrier<PIPE_ALL>(); "
                           "SetAtomicMax<float>(); DataCopy(z, o, 256); out.FreeTensor(o);";
  EXPECT_EQ(warnings_of(bare_kernel(body + "DisableDmaAtomic();")), "");
  EXPECT_EQ(
      warnings_of(bare_kernel(body)),
      "SetAtomicMax is still on at the end of the kernel; call SetAtomicNone after the last copy that needs it\n");
}

std::size_t scalar_warnings(const std::string& body) {
  const auto result = run(bare_kernel(body));
  EXPECT_EQ(errors_of(result), "") << body;
  return static_cast<std::size_t>(std::count_if(result.faults().begin(), result.faults().end(), [](const auto& fault) {
    return fault.fault_class() == "scalar" && fault.severity() == proto::WARNING;
  }));
}

TEST(Faults, WorkOfTheScalarUnitAloneIsTold) {
  const std::string each = "for (int i = 0; i < 256; ++i) ";
  EXPECT_EQ(scalar_warnings(each + "z.SetValue(i, x.GetValue(i) + y.GetValue(i));"), 1u);
  const std::string in_ub =
      kInit + "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a); a = in.DeQue<float>();\n";
  const std::string store = "out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); out.FreeTensor(o);";
  EXPECT_EQ(scalar_warnings(in_ub + "auto o = out.AllocTensor<float>(); " + each +
                            "o.SetValue(i, a.GetValue(i) * 2.0f); in.FreeTensor(a); " + store),
            1u);
  // One vector instruction for show changes nothing.
  EXPECT_EQ(scalar_warnings(in_ub + "auto o = out.AllocTensor<float>(); Duplicate(o, 0.0f, 64); " + each +
                            "o.SetValue(i, a.GetValue(i) * 2.0f); in.FreeTensor(a); " + store),
            1u);
  // Vector work with some elements set by hand, and copies without any work, are no scalar kernels.
  EXPECT_EQ(scalar_warnings(in_ub + "auto o = out.AllocTensor<float>(); Adds(o, a, 1.0f, 256); " + each +
                            "if (i % 2 == 0) o.SetValue(i, 1.0f);\nin.FreeTensor(a); " + store),
            0u);
  EXPECT_EQ(scalar_warnings("TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; pipe.InitBuffer(q, 2, 1024); auto a = "
                            "q.AllocTensor<float>(); DataCopy(a, x, 256); q.EnQue(a); a = q.DeQue<float>(); "
                            "DataCopy(z, a, 256); q.FreeTensor(a);"),
            0u);
}

TEST(Faults, CoresThatOverwriteEachOtherAreTold) {
  const auto result =
      run(bare_kernel(kInit + "auto a = out.AllocTensor<float>(); Duplicate(a, (float)GetBlockIdx(), "
                              "256);\nout.EnQue(a); a = out.DeQue<float>();\nDataCopy(z, a, 256);\nout.FreeTensor(a);"),
          {.block_dim = 4});
  EXPECT_EQ(errors_of(result), "gm:4") << result.ShortDebugString();
}

TEST(Faults, AKernelThatIssuesForEverStopsAtTheCycleLimit) {
  const auto result =
      run(bare_kernel(kInit + "auto a = buf.Get<float>();\nfor (;;) Duplicate(a, 1.0f, 64);"), {.cycle_limit = 100000});
  EXPECT_EQ(errors_of(result), "limit:3");
  EXPECT_FALSE(result.ran());
}

TEST(Faults, AKernelThatOnlyComputesStopsAtTheCycleLimitWithItsNextAccess) {
  const auto result =
      run(bare_kernel(kInit + "volatile int n = 0;\nfor (int i = 0; i < 100000; ++i) n = n + 1;\nz.SetValue(0, n);"),
          {.cycle_limit = 10000});
  EXPECT_EQ(errors_of(result), "limit:4");
  EXPECT_FALSE(result.ran());
}

TEST(Faults, SyncAllThatNotEveryCoreReachesIsADeadlock) {
  const auto result = run(bare_kernel("if (GetBlockIdx() != 2)\n  SyncAll();"), {.block_dim = 4});
  EXPECT_EQ(errors_of(result), "synchronisation:2");
  EXPECT_FALSE(result.ran());
}

struct Right {
  const char* name;
  std::string body;
  std::uint32_t block_dim = 1;
};
class NoFaults : public ::testing::TestWithParam<Right> {};

TEST_P(NoFaults, HasNoError) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto result = run(bare_kernel(GetParam().body), {.block_dim = GetParam().block_dim, .seed = seed});
    EXPECT_TRUE(result.ran());
    EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, NoFaults,
    ::testing::Values(
        Right{"NoBarrierBetweenVectorInstructions",
              kInit + "auto o = out.AllocTensor<float>(); Duplicate(o, 1.0f, 256); Adds(o, o, 1.0f, 256);" + kStore},
        Right{"ScalarReadsWithoutFlags",
              kInit +
                  "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); float s = a.GetValue(3); "
                  "in.FreeTensor(a);\nauto o = out.AllocTensor<float>(); Duplicate(o, s, 256);" +
                  kStore},
        Right{"UninitialisedLanesStayInside",
              kInit +
                  "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 100); Adds(a, a, 1.0f, 256);\nauto o = "
                  "out.AllocTensor<float>(); Duplicate(o, 0.0f, 256); Adds(o, a, 1.0f, 96);" +
                  kStore},
        Right{"ManyCoresWriteTheSameBytes",
              kInit + "auto o = out.AllocTensor<float>(); Duplicate(o, 4.0f, 256);" + kStore, 8},
        Right{"ReadUpToTheRoundedEnd",
              "pipe.InitBuffer(in, 1, 2048); auto a = in.AllocTensor<float>(); DataCopy(a, x, 264); in.EnQue(a); a = "
              "in.DeQue<float>(); in.FreeTensor(a);"},
        Right{"ManualFlags",
              kInit + "auto a = buf.Get<float>(); DataCopy(a, x, 256); event_t e = "
                      "static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));\n"
                      "SetFlag<HardEvent::MTE2_V>(e); WaitFlag<HardEvent::MTE2_V>(e); Adds(a, a, 1.0f, "
                      "256);\nSetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(z, a, 256);"},
        Right{"RawIntrinsicFlags", kInit + "auto a = buf.Get<float>(); DataCopy(a, x, 256); set_flag(PIPE_MTE2, "
                                           "PIPE_V, EVENT_ID1); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\nMuls(a, a, "
                                           "2.0f, 256); pipe_barrier(PIPE_ALL); DataCopy(z, a, 256);"},
        Right{"DoubleBuffering",
              "TQue<QuePosition::VECIN, 2> q; pipe.InitBuffer(q, 2, 256); pipe.InitBuffer(out, 2, 256);\nfor (int i = "
              "0; i < 4; ++i) { auto a = q.AllocTensor<float>(); DataCopy(a, x[i * 64], 64); q.EnQue(a);\n"
              "a = q.DeQue<float>(); auto o = out.AllocTensor<float>(); Adds(o, a, 1.0f, 64); out.EnQue(o); "
              "q.FreeTensor(a);\no = out.DeQue<float>(); DataCopy(z[i * 64], o, 64); out.FreeTensor(o); }"},
        Right{"BoundQueue",
              "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; pipe.InitBuffer(q, 2, 1024); auto a = "
              "q.AllocTensor<float>(); DataCopy(a, x, 256); q.EnQue(a); a = q.DeQue<float>(); DataCopy(z, a, 256); "
              "q.FreeTensor(a);"},
        Right{
            "PadFillsTheLastUnit",
            kInit +
                "auto a = in.AllocTensor<float>(); DataCopyExtParams p{1, 50 * sizeof(float), 0, 0, 0}; "
                "DataCopyPadExtParams<float> pad{true, 0, 2, 0.0f};\nDataCopyPad(a, x, p, pad); in.EnQue(a); a = "
                "in.DeQue<float>();\n"
                "auto o = out.AllocTensor<float>(); Duplicate(o, 0.0f, 256); Adds(o, a, 1.0f, 52); in.FreeTensor(a);" +
                kStore},
        Right{"SyncAllOnEveryCore",
              kInit + "if (GetBlockIdx() == 0) { z.SetValue(0, 1.0f); DataCacheCleanAndInvalid<float, "
                      "CacheLine::ENTIRE_DATA_CACHE>(z); }\nSyncAll();\nif (GetBlockIdx() == 3) z.SetValue(0, 2.0f);",
              4},
        Right{"AtomicAddFromManyCores",
              kInit + "auto o = out.AllocTensor<float>(); Duplicate(o, 1.0f, 256); out.EnQue(o); o = "
                      "out.DeQue<float>(); if (GetBlockIdx() == 0) DataCopy(z, o, 256); "
                      "SyncAll();\nSetAtomicAdd<float>(); DataCopy(z, o, 256); SetAtomicNone(); out.FreeTensor(o);",
              8},
        Right{"CountOfNoWholeUnitIsRoundedDown",
              kInit +
                  "auto a = in.AllocTensor<float>(); DataCopy(a, x, 63); in.EnQue(a); a = in.DeQue<float>();\nauto o = "
                  "out.AllocTensor<float>(); Duplicate(o, 0.0f, 256); Adds(o, a, 1.0f, 56); in.FreeTensor(a);" +
                  kStore}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kg::npu::testing
