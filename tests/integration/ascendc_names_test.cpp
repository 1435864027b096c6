// What kernels use beside the calls that compute: scalar functions, constants, parts of tensors and buffers, registers.

#include <algorithm>

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

class Names : public ::testing::TestWithParam<ValueKernel> {};
TEST_P(Names, GiveTheNumbers) { expect_values(GetParam(), shuffled_values(89, 17), shuffled_values(151, 60)); }

Values constant(Values values) { return values; }
#define KG_GIVES(...) [](const Values&, const Values&) { return constant({__VA_ARGS__}); }

INSTANTIATE_TEST_SUITE_P(
    Scalars, Names,
    ::testing::Values(
        ValueKernel{
            "Roundings", "int32_t", "int32_t",
            "z.SetValue(0, DivCeil(7, 3)); z.SetValue(1, DivCeil(6, 3)); z.SetValue(2, AlignUp(33, 32)); "
            "z.SetValue(3, AlignUp(64, 32)); z.SetValue(4, AlignUp(0, 32)); z.SetValue(5, CeilDivision(7, 3)); "
            "constexpr int32_t four = CeilDivision(8, 2); z.SetValue(6, four); z.SetValue(7, CeilDivision(8, 0));",
            KG_GIVES(3, 2, 64, 64, 0, 3, 4, 0)},
        ValueKernel{
            "ParametersOfCallsFromTheirConstructors", "int32_t", "int32_t",
            "GatherRepeatParams g(2, 3); z.SetValue(0, g.dstBlkStride * 10 + g.dstRepStride);\n"
            "GatherMaskParams m(1, 2, 3, 4); z.SetValue(1, m.src0BlockStride * 1000 + m.repeatTimes * 100 + "
            "m.src0RepeatStride * 10 + m.src1RepeatStride);\n"
            "TransDataTo5HDParams t(true, false, 2, 3, 4); z.SetValue(2, t.dstHighHalf * 10000 + t.srcHighHalf * "
            "1000 + t.repeatTimes * 100 + t.dstRepStride * 10 + t.srcRepStride);\n"
            "LoadDataRepeatParam l(2, 3, 1); z.SetValue(3, l.repeatStride * 100 + l.repeatTime * 10 + "
            "l.repeatMode);\n"
            "MmadParams p(1, 2, 3, 0, true, false); z.SetValue(4, p.m * 10000 + p.n * 1000 + p.k * 100 + "
            "p.cmatrixSource * 10 + p.cmatrixInitVal);",
            KG_GIVES(23, 1234, 10234, 231, 12310)},
        ValueKernel{
            "ResultsOfReductionsByTheirLaterNames", "float", "float",
            "LocalTensor<TensorTrait<float>> a = work; Duplicate(a, 2.0f, 64); ReduceSum(a[64], a, a[128], 64); "
            "PipeBarrier<PIPE_ALL>(); z.SetValue(0, GetReduceRepeatSumSpr<float>());\n"
            "DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_UB>(a);",
            KG_GIVES(128)},
        ValueKernel{"TypeTraits", "int32_t", "int32_t",
                    "z.SetValue(0, IsSameType<I, int32_t>::value); z.SetValue(1, IsSameType<I, float>::value);\n"
                    "z.SetValue(2, sizeof(Conditional<true, half, float>::type)); z.SetValue(3, "
                    "sizeof(Conditional<false, half, float>::type));\n"
                    "z.SetValue(4, sizeof(float16_t)); z.SetValue(5, sizeof(float32_t)); z.SetValue(6, "
                    "IsSameType<float16_t, half>::value);",
                    KG_GIVES(1, 0, 2, 4, 2, 4, 1)},
        ValueKernel{
            "Likelihoods", "int32_t", "int32_t",
            "z.SetValue(0, likely(x.GetValue(0) == 17) ? 1 : 2); z.SetValue(1, likely(x.GetValue(0) == 18) ? 1 : "
            "2);\n"
            "z.SetValue(2, unlikely(x.GetValue(0) == 17) ? 3 : 4); z.SetValue(3, unlikely(x.GetValue(0) == 18) ? "
            "3 : 4);",
            KG_GIVES(1, 2, 3, 4)},
        ValueKernel{"WhoAmI", "int32_t", "int32_t",
                    "z.SetValue(0, get_block_idx()); z.SetValue(1, GetBlockIdx()); z.SetValue(2, block_idx); "
                    "z.SetValue(3, GetBlockNum());\n"
                    "z.SetValue(4, g_coreType == AIV); z.SetValue(5, g_coreType == AIC);\n"
                    "if ASCEND_IS_AIV { z.SetValue(6, 7); } else { z.SetValue(6, 8); }",
                    KG_GIVES(0, 0, 0, 1, 1, 0, 7)},
        ValueKernel{
            "Sizes", "int32_t", "int32_t",
            "z.SetValue(0, ONE_BLK_SIZE); z.SetValue(1, ONE_REPEAT_BYTE_SIZE); z.SetValue(2, ONE_BLK_FLOAT_NUM);\n"
            "z.SetValue(3, DEFAULT_REPEAT_STRIDE); z.SetValue(4, BRCB_BROADCAST_NUMBER); z.SetValue(5, "
            "MAX_REPEAT_TIMES);\n"
            "z.SetValue(6, EVENT_ID0); z.SetValue(7, EVENT_ID1); z.SetValue(8, EVENT_ID2); z.SetValue(9, "
            "EVENT_ID3); z.SetValue(10, AscendCUtils::GetC0Count(2));",
            KG_GIVES(32, 256, 8, 8, 8, 255, 0, 1, 2, 3, 16)},
        ValueKernel{
            "OrderOfEnumerators", "int32_t", "int32_t",
            "z.SetValue(0, (int)CMPMODE::LT); z.SetValue(1, (int)CMPMODE::GT); z.SetValue(2, (int)CMPMODE::EQ); "
            "z.SetValue(3, (int)CMPMODE::LE); z.SetValue(4, (int)CMPMODE::GE); z.SetValue(5, (int)CMPMODE::NE);\n"
            "z.SetValue(6, (int)RoundMode::CAST_NONE); z.SetValue(7, (int)RoundMode::CAST_ODD); z.SetValue(8, "
            "(int)DataFormat::ND); z.SetValue(9, (int)DataFormat::NZ);\n"
            "z.SetValue(10, (int)CubeFormat::ND); z.SetValue(11, (int)CubeFormat::NZ); z.SetValue(12, "
            "(int)LayoutMode::NONE);\n"
            "pipe_t pipes[] = {PIPE_S, PIPE_V, PIPE_M, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL};\n"
            "int different = 0; for (int i = 0; i < 7; ++i) for (int j = 0; j < i; ++j) different += pipes[i] != "
            "pipes[j]; z.SetValue(13, different);\n"
            "z.SetValue(14, (int)TPosition::MAX > (int)TPosition::VECCALC); z.SetValue(15, "
            "TPosition::LCM == TPosition::VECCALC);",
            KG_GIVES(0, 1, 2, 3, 4, 5, 0, 6, 0, 1, 0, 1, 0, 21, 1, 1)}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Queries, Names,
    ::testing::Values(
        ValueKernel{
            "BitsOfNumbers", "int32_t", "int32_t",
            "z.SetValue(0, GetBitCount<1>(0xF0)); z.SetValue(1, GetBitCount<0>(0xF0)); z.SetValue(2, "
            "GetSFFValue<1>(0x50)); z.SetValue(3, GetSFFValue<0>(7)); z.SetValue(4, "
            "CountBitsCntSameAsSignBit(1)); z.SetValue(5, CountBitsCntSameAsSignBit(-1));\n"
            "const uint32_t shape[] = {3, 5, 7}; z.SetValue(6, AscendCUtils::CalShapeSize(shape, 3)); z.SetValue(7, "
            "AscendCUtils::GetBitSize(4)); z.SetValue(8, AscendCUtils::GetC0Size());",
            KG_GIVES(4, 60, 4, 3, 62, -1, 105, 32, 32)},
        ValueKernel{
            "StatesOfAQueue", "int32_t", "int32_t",
            "TQue<QuePosition::VECIN, 2> queue; pipe.InitBuffer(queue, 2, 64); int i = 0;\n"
            "const auto note = [&]() { z.SetValue(i++, queue.VacantInQue()); z.SetValue(i++, queue.HasTensorInQue()); "
            "z.SetValue(i++, queue.GetTensorCountInQue()); z.SetValue(i++, queue.HasIdleBuffer()); };\n"
            "note(); LocalTensor<int32_t> a, b; queue.AllocTensor<int32_t>(a); queue.EnQue(a); note(); "
            "queue.AllocTensor<int32_t>(b); queue.EnQue(b); note();\n"
            "queue.DeQue<int32_t>(a); queue.FreeTensor(a); note(); queue.DeQue<int32_t>(b); queue.FreeTensor(b); "
            "note();",
            KG_GIVES(1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 2, 0, 1, 1, 1, 1, 1, 0, 0, 1)},
        ValueKernel{"APlaceInATensorOfAnotherType", "int32_t", "int32_t",
                    "LocalTensor<int16_t> part; part.SetAddrWithOffset(x, 100); z.SetValue(0, part.GetValue(0) == "
                    "(int16_t)x.GetValue(100)); z.SetValue(1, part.GetUserTag()); part.SetUserTag(7); z.SetValue(2, "
                    "part[8].GetUserTag()); SetNextTaskStart<PIPE_MTE3, PIPE_FIX>(); WaitPreTaskEnd();",
                    KG_GIVES(1, 0, 7)},
        ValueKernel{
            "PlacesOfTensors", "int32_t", "int32_t",
            "LocalTensor<int32_t> part; part.SetAddrWithOffset(x, 100); z.SetValue(0, part.GetValue(0) == "
            "x.GetValue(100)); z.SetValue(1, x.GetLength()); z.SetValue(2, x.GetPosition() == "
            "(int32_t)TPosition::VECIN); z.SetValue(3, GetTaskRatio()); z.SetValue(4, GetTaskRation());\n"
            "int64_t before = GetSystemCycle(); for (int i = 0; i < 100; ++i) x.SetValue(5, x.GetValue(5) + 1); "
            "z.SetValue(5, GetSystemCycle() > before); z.SetValue(6, get_sys_cnt() > before); z.SetValue(7, "
            "get_imm(9));",
            KG_GIVES(1, 4096, 1, 1, 1, 1, 1, 9)}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Tensors, Names,
    ::testing::Values(
        ValueKernel{
            "SizesAndShapes", "float", "float",
            "LocalTensor<float> a = x; z.SetValue(0, (float)(int32_t)a.GetSize()); a.SetSize(40); z.SetValue(1, "
            "(float)(int32_t)a.GetSize());\n"
            "const uint32_t dims[2] = {4, 64}, original[2] = {4, 60}; a.SetShapeInfo(ShapeInfo(2, dims, 2, "
            "original, DataFormat::ND)); ShapeInfo s = a.GetShapeInfo();\n"
            "z.SetValue(2, (float)(int32_t)s.shapeDim); z.SetValue(3, (float)(int32_t)s.shape[1]); z.SetValue(4, "
            "(float)(int32_t)s.originalShape[1]);\n"
            "xGm.SetShapeInfo(ShapeInfo(2, dims)); z.SetValue(5, (float)(int32_t)xGm.GetShapeInfo().shape[0]);\n"
            "GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float*)xg, 77); z.SetValue(6, "
            "(float)(int32_t)g.GetSize()); z.SetValue(7, (float)GetShapeSize(s) + GetShapeSize(ShapeInfo()));",
            KG_GIVES(1024, 40, 2, 64, 60, 4, 77, 257)},
        ValueKernel{"PartsOfABuffer", "float", "float",
                    "TBuf<TPosition::VECCALC> more; pipe.InitBuffer(more, 4096);\n"
                    "LocalTensor<float> whole = more.Get<float>(), part = more.GetWithOffset<float>(64, 128), first = "
                    "more.Get<float>(96);\n"
                    "Duplicate(whole, 1.0f, n); Duplicate(part, 2.0f, 64); DataCopy(z, whole, n);\n"
                    "z.SetValue(0, (float)(int32_t)part.GetSize()); z.SetValue(1, (float)(int32_t)first.GetSize());",
                    [](const Values&, const Values&) {
                      return map(kValues, [](std::size_t i) {
                        return i == 0 ? 64.0 : i == 1 ? 96.0 : i >= 32 && i < 96 ? 2.0 : 1.0;
                      });
                    }},
        ValueKernel{
            "CacheHintChangesNoNumber", "float", "float",
            "PipeBarrier<PIPE_ALL>(); xGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE); DataCopy(y, xGm, n); "
            "PipeBarrier<PIPE_ALL>(); Adds(z, y, 1.0f, n);",
            [](const Values& x, const Values&) { return map(kValues, [&](std::size_t i) { return x[i] + 1; }); }},
        ValueKernel{"CopiesBeneathDataCopy", "float", "float",
                    "PipeBarrier<PIPE_ALL>();\n"
                    "DataCopyUB2GMImpl(zGm.GetPhyAddr(0), x.GetPhyAddr(), DataCopyParams(2, 64, 0, 0)); "
                    "PipeBarrier<PIPE_ALL>();\n"
                    "DataCopyGM2UBImpl(z.GetPhyAddr(), zGm.GetPhyAddr(0), DataCopyParams(2, 64, 0, 0)); "
                    "PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return x; }},
        ValueKernel{"PaddedCopyOfTheOlderForm", "float", "float",
                    "PipeBarrier<PIPE_ALL>(); DataCopyPadParams pad(true, 1, 2, 0);\n"
                    "DataCopyPad(y, xGm, DataCopyParams(1, 5 * sizeof(float), 0, 0), pad); PipeBarrier<PIPE_ALL>(); "
                    "DataCopy(z, y, 8);",
                    [](const Values& x, const Values&) { return Values{0, x[0], x[1], x[2], x[3], x[4], 0, 0}; }},
        ValueKernel{
            "EventIds", "int32_t", "int32_t",
            "TEventID a = pipe.AllocEventID<HardEvent::V_MTE2>(), b = pipe.AllocEventID<HardEvent::V_MTE2>();\n"
            "z.SetValue(0, a != b); pipe.ReleaseEventID<HardEvent::V_MTE2>(a); TEventID c = "
            "pipe.AllocEventID<HardEvent::V_MTE2>(); z.SetValue(1, c == a);\n"
            "z.SetValue(2, pipe.FetchEventID(HardEvent::V_MTE2) != a && pipe.FetchEventID(HardEvent::V_MTE2) != "
            "b); z.SetValue(3, pipe.FetchEventID<HardEvent::MTE3_V>() == "
            "GetTPipePtr()->FetchEventID(HardEvent::MTE3_V));\n"
            "pipe.ReleaseEventID<HardEvent::V_MTE2>(b); pipe.ReleaseEventID<HardEvent::V_MTE2>(c);",
            KG_GIVES(1, 1, 1, 1)},
        ValueKernel{"RegistersOfReductions", "float", "float",
                    "float value, index; ReduceMax(z, x, work, n, true); GetReduceMaxMinCount<float>(value, index);\n"
                    "z.SetValue(2, value); z.SetValue(3, (float)(int32_t)*reinterpret_cast<uint32_t*>(&index));\n"
                    "ReduceMin(z[8], x, work, n); GetReduceMaxMinCount<float>(value, index); z.SetValue(4, value); "
                    "z.SetValue(5, (float)(int32_t)*reinterpret_cast<uint32_t*>(&index));\n"
                    "GetReduceMaxMinCount<float>(value); z.SetValue(7, value);\n"
                    "ReduceSum(z[8], x, work, n); z.SetValue(6, GetAccVal<float>());",
                    [](const Values& x, const Values&) {
                      Values z = {1023, NAN, 1023, 0, 0, 0, 0, 0};
                      for (std::size_t i = 0; i < x.size(); ++i) {
                        if (x[i] == 1023) z[3] = static_cast<double>(i);
                        if (x[i] == 0) z[5] = static_cast<double>(i);
                        z[6] += x[i];
                      }
                      return z;
                    }},
        ValueKernel{
            "MergeOfFourProposalLists", "half", "half",
            "for (int f = 0; f < 6; ++f) ProposalConcat(work, f == 4 ? x : y, 4, f);\n"
            "for (int i = 0; i < 64; ++i) { work.SetValue(i * 8 + 6, (half)0); work.SetValue(i * 8 + 7, (half)0); "
            "}\n"
            "RpSort16(z, work, 4); const uint16_t lengths[4] = {16, 16, 16, 16};\n"
            "MrgSort4(work, MrgSortSrcList<half>(z[0], z[128], z[256], z[384]), MrgSort4Info(lengths, false, 15, "
            "1)); ProposalExtract(x, work, 4, 4); DataCopy(z, x, 64);",
            [](const Values& x, const Values&) {
              Values sorted(x.begin(), x.begin() + 64);
              std::sort(sorted.rbegin(), sorted.rend());
              return sorted;
            }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Configurations, Names,
    ::testing::Values(
        ValueKernel{
            "TilingOfAKernelsOwn", "float", "float",
            "constexpr SoftMaxTiling t = SoftMaxFlashV2TilingFuncImpl(16, 64, sizeof(float), sizeof(float), 8192, "
            "false, false);\n"
            "LocalTensor<float> s = work[0], m = work[128], f = work[256]; SoftMaxShapeInfo shape{16, 64, 16, "
            "64};\n"
            "static constexpr SoftmaxConfig config{true, 0, 0}; Muls(x, x, 0.001f, n);\n"
            "SoftmaxFlashV2<float, false, false, false, false, config>(z, s, m, x, f, s, m, t, shape); z.SetValue(0, "
            "s.GetValue(8)); z.SetValue(1, m.GetValue(8)); z.SetValue(2, (float)t.srcK);",
            [](const Values& x, const Values&) {
              double most = 0, sum = 0;
              for (std::size_t i = 64; i < 128; ++i) most = std::max(most, x[i] * 0.001);
              for (std::size_t i = 64; i < 128; ++i) sum += std::exp(x[i] * 0.001 - most);
              Values z = {sum, most, 64};
              for (std::size_t i = 64; i < 128; ++i) {
                z.resize(i, NAN);
                z.push_back(std::exp(x[i] * 0.001 - most));
              }
              return z;
            },
            1e-5},
        ValueKernel{"QueueWithAConfiguration", "float", "float",
                    "static constexpr TQueConfig config{}; TQue<QuePosition::VECOUT, 1, &config> queue; "
                    "pipe.InitBuffer(queue, 1, 4096);\n"
                    "LocalTensor<float> a = queue.AllocTensor<float>(); Duplicate(a, 3.0f, n); queue.EnQue(a); a = "
                    "queue.DeQue<float>(); PipeBarrier<PIPE_ALL>(); DataCopy(z, a, n); queue.FreeTensor(a);",
                    [](const Values&, const Values&) { return Values(kValues, 3); }},
        ValueKernel{"GatherMaskParameters", "half", "half",
                    "uint64_t kept = 0; GatherMask(z, x, (uint8_t)1, false, (uint32_t)0, GatherMaskParams{1, 2, 8, 0}, "
                    "kept); z.SetValue(200, (half)(int64_t)kept);",
                    [](const Values& x, const Values&) {
                      return map(201, [&](std::size_t i) { return i < 128 ? x[2 * i] : i == 200 ? 128.0 : 0.0; });
                    }}),
    [](const auto& info) { return info.param.name; });

const char* const kHead = R"(#include "kernel_operator.h"
using namespace AscendC;
)";

proto::CaseResult run(const std::string& source, std::uint32_t block_dim, std::int64_t outputs = 64) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::INT32, Values(8192, 0));
  add_output(run_case, "z", proto::INT32, outputs);
  return run_kernel(kHead + source, "k", run_case, {.block_dim = block_dim});
}

TEST(PipeObject, ResetGivesTheMemoryBack) {
  const std::string kernel = R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  TPipe pipe; TBuf<> first, second; GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  pipe.InitBuffer(first, 150 * 1024); LocalTensor<int32_t> a = first.Get<int32_t>(); Duplicate(a, 1, 64);
  pipe.Reset();
  pipe.InitBuffer(second, 150 * 1024); LocalTensor<int32_t> b = second.Get<int32_t>(); Duplicate(b, 2, 64);
  PipeBarrier<PIPE_ALL>(); DataCopy(out, b, 64);
})";
  const auto result = run(kernel, 1);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0)), Values(64, 2));
  std::string without = kernel;
  without.erase(without.find("pipe.Reset();"), 13);
  EXPECT_EQ(errors_of(run(without, 1)), "ub:7");
}

// InitBuffer only gives out addresses: what the kernel wrote there is there still. The rest is garbage.
TEST(PipeObject, ABufferHasWhatTheKernelWroteBeforeIt) {
  const std::string kernel = R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  TPipe pipe; TBuf<> first, second; GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  pipe.InitBuffer(first, 256); LocalTensor<int32_t> a = first.Get<int32_t>(); Duplicate(a, 3, 64);
  PipeBarrier<PIPE_ALL>(); pipe.Reset();
  pipe.InitBuffer(second, 512); LocalTensor<int32_t> b = second.Get<int32_t>();
  DataCopy(out, b[0], 64);
})";
  const auto result = run(kernel, 1);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0)), Values(64, 3));
  std::string behind = kernel;
  behind.replace(behind.find("b[0]"), 4, "b[64]");
  EXPECT_EQ(errors_of(run(behind, 1)), "memory:8");
}

TEST(PipeObject, AfterDestroyAnotherPipeGivesOutTheWholeMemory) {
  const auto result = run(R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  TPipe pipe; TBuf<> first, second; GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  pipe.InitBuffer(first, 150 * 1024); LocalTensor<int32_t> a = first.Get<int32_t>(); Duplicate(a, 1, 64);
  pipe.Destroy();
  TPipe other; other.InitBuffer(second, 150 * 1024); LocalTensor<int32_t> b = second.Get<int32_t>(); Duplicate(b, 2, 64);
  PipeBarrier<PIPE_ALL>(); DataCopy(out, b, 64);
})",
                          1);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0)), Values(64, 2));
}

TEST(PipeObject, TheNinthEventIdIsRefused) {
  const auto result = run(R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  TPipe pipe;
  for (int i = 0; i < 9; ++i)
    pipe.AllocEventID<HardEvent::V_MTE2>();
})",
                          1);
  EXPECT_EQ(errors_of(result), "synchronisation:6") << result.ShortDebugString();
}

TEST(Workspaces, TheUsersBeginsBehindTheSystems) {
  const auto result = run(R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  SetSysWorkspace(ws);
  out.SetValue(0, GetSysWorkSpacePtr() == ws);
  out.SetValue(1, (int32_t)(GetUserWorkspace(ws) - ws));
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(out);
})",
                          1, 2);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0)), (Values{1, 16 << 20}));
}

// A kernel brings its own scalar helpers; those of the same name as a call of the device do not disturb.
TEST(OwnNames, AKernelsOwnScalarMinStandsBesideTheCall) {
  const auto result = run(R"(template <typename T>
__aicore__ inline T Min(T a, T b) { return a < b ? a : b; }
__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 768); GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  LocalTensor<int32_t> a = buffer.Get<int32_t>(64), b = a[64], c = a[128];
  b = buffer.GetWithOffset<int32_t>(64, 256); c = buffer.GetWithOffset<int32_t>(64, 512);
  Duplicate(a, 5, 64); Duplicate(b, (int32_t)Min(CeilDiv(9, 4), 7u), 64); Min(c, a, b, 64);
  PipeBarrier<PIPE_ALL>(); DataCopy(out, c, 64);
})",
                          1);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0)), Values(64, 3));
}

// Specialisations by the kind of core, as mixed kernels have them.
TEST(CoreTypes, TheVectorHalfTakesItsSpecialisation) {
  const auto result = run(R"(template <int32_t CORE> struct Work;
template <> struct Work<AscendC::AIC> { static constexpr int32_t number = 1; };
template <> struct Work<AscendC::AIV> { static constexpr int32_t number = 2; };
extern "C" __global__ [aicore] void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  out.SetValue(GetBlockIdx() * 16, Work<g_coreType>::number + 10 * (int32_t)GetSubBlockNum() + 100 * (int32_t)GetSubBlockIdx());
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
})",
                          2, 32);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  const Values z = values_of(result.outputs(0));
  EXPECT_EQ(z[0], 12);
  EXPECT_EQ(z[16], 12);
}

class TaskTypes : public ::testing::TestWithParam<const char*> {};
TEST_P(TaskTypes, RunOnVectorCoresOnly) {
  const auto result = run(std::string(R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  KERNEL_TASK_TYPE_DEFAULT()") +
                              GetParam() +
                              R"();
  GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  out.SetValue(GetBlockIdx() * 16, 1 + (int32_t)GetBlockIdx());
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
})",
                          3, 48);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(values_of(result.outputs(0))[16 * i], static_cast<double>(i + 1));
}
INSTANTIATE_TEST_SUITE_P(Names, TaskTypes,
                         ::testing::Values("KERNEL_TYPE_AIV_ONLY", "KERNEL_TYPE_MIX_AIV_1_0",
                                           "KERNEL_TYPE_MIX_VECTOR_CORE"),
                         [](const auto& info) { return info.param; });

// Sum, largest and smallest over cores, in every data type that atomics take.
TEST(Atomics, EightCoresAddTheirNumbersTakeTheLargestAndTheSmallest) {
  for (const char* type : {"float", "half", "bfloat16_t", "int32_t", "int16_t", "int8_t"}) {
    const std::string source = std::string("#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing T = ") +
                               type +
                               R"(;
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
  TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 256); GlobalTensor<T> in, out;
  in.SetGlobalBuffer((__gm__ T*)x); out.SetGlobalBuffer((__gm__ T*)z); LocalTensor<T> a = buffer.Get<T>();
  if (GetBlockIdx() == 0) {
    DataCopy(a, in[8 * 64], 64); PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < 3; ++i) DataCopy(out[i * 64], a, 64);
    PipeBarrier<PIPE_ALL>();
  }
  SyncAll();
  DataCopy(a, in[GetBlockIdx() * 64], 64); PipeBarrier<PIPE_ALL>();
  SetAtomicAdd<T>(); DataCopy(out, a, 64); SetAtomicNone();
  SetAtomicMax<T>(); DataCopy(out[64], a, 64); SetAtomicNone();
  SetAtomicMin<T>(); DataCopy(out[128], a, 64); SetAtomicNone();
})";
    Values x(9 * 64), expected(192);
    for (std::size_t i = 0; i < 64; ++i) {
      for (std::size_t core = 0; core < 8; ++core) {
        const double value = static_cast<double>((i * 7 + core * 5) % 13) - 6;
        x[core * 64 + i] = value;
        expected[i] += value;
        expected[64 + i] = std::max(expected[64 + i], value);
        expected[128 + i] = std::min(expected[128 + i], value);
      }
    }
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("x", dtype_of(type), x);
    add_output(run_case, "z", dtype_of(type), 192);
    const auto result = run_kernel(source, "k", run_case, {.block_dim = 8});
    EXPECT_EQ(errors_of(result), "") << type << result.ShortDebugString();
    EXPECT_EQ(values_of(result.outputs(0)), expected) << type;
  }
}

// What production code writes that does nothing on the device, whatever it names, and what it takes from beside the
// calls.
TEST(OwnNames, DebuggingOfTheCpusLibraryIsNothing) {
  const auto result = run(R"(#include "lib/matmul_intf.h"
using namespace matmul;
template <typename T1, typename T2> __aicore__ inline T1 CeilDiv(T1 a, T2 b) { return (a + b - 1) / b; }
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
  ASCENDC_ASSERT((not_declared > 0), { KERNEL_LOG(KERNEL_ERROR, "%d", not_declared); });
  KERNEL_LOG(KERNEL_INFO, "a word");
  PRELOAD(8);
  TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 64);
  GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t*)z);
  LocalTensor<int32_t> a = buffer.Get<int32_t>();
  assert(GetBlockNum() == 4);
  ascendc_assert(GetBlockNum() == 4, "blocks %d", (int)GetBlockNum());
  Duplicate(a, (int32_t)(matmul::CeilDiv(33, BLOCK_CUBE) + CeilDiv(40, 8) - 5), 16);
  DataSyncBarrier<MemDsbT::ALL>();
  if (GetBlockIdx() == 0) DataCopy(out, a, 16);
})",
                          4, 16);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0))[5], 3);
  const auto failed = run(R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
#line 1
  ascendc_assert(GetBlockNum() == 3, "blocks %d", (int)GetBlockNum());
})",
                          4);
  EXPECT_EQ(errors_of(failed), "assert:1");
}

// SyncAll through a workspace of zeroed words: each core reads what its neighbour wrote.
TEST(SoftSyncAll, OrdersTheCoresThroughAWorkspace) {
  const auto result = run(R"(extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z, GM_ADDR ws) {
  TPipe pipe; TBuf<> buffer, words; pipe.InitBuffer(buffer, 64); pipe.InitBuffer(words, 48 * 32);
  GlobalTensor<int32_t> out, shared; out.SetGlobalBuffer((__gm__ int32_t*)z); shared.SetGlobalBuffer((__gm__ int32_t*)x);
  LocalTensor<int32_t> a = buffer.Get<int32_t>(), w = words.Get<int32_t>();
  const int32_t me = GetBlockIdx(), next = (me + 1) % GetBlockNum();
  Duplicate(a, 10 + me, 16); PipeBarrier<PIPE_ALL>(); DataCopy(out[me * 8], a, 8); PipeBarrier<PIPE_ALL>();
  SyncAll(shared, w);
  DataCopy(a, out[next * 8], 8); PipeBarrier<PIPE_ALL>(); DataCopy(out[32 + me * 8], a, 8);
})",
                          4);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  const Values z = values_of(result.outputs(0));
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(z[i], 10.0 + static_cast<double>(i / 8));
    EXPECT_EQ(z[32 + i], 10.0 + static_cast<double>((i / 8 + 1) % 4));
  }
}

}  // namespace
}  // namespace kg::npu::testing
