// Library calls with and without a temporary buffer, and names of one call under another: both of a pair run on the
// same operands and have to leave the same bits.

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

struct Twins {
  const char* name;
  const char* in;
  const char* out;
  const char* first;   // into z
  const char* second;  // into w
};
class TwinCalls : public ::testing::TestWithParam<Twins> {};

// 512 elements in 8 rows of 64; u is a third operand, v and s are space for results beside.
TEST_P(TwinCalls, LeaveTheSameBits) {
  const Twins& twins = GetParam();
  const std::string source = std::string("#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing I = ") +
                             twins.in + "; using O = " + twins.out + R"(;
constexpr uint32_t n = 512;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe; TBuf<> bx, by, bu, bz, bw, bv, bs; pipe.InitBuffer(bx, n * sizeof(I)); pipe.InitBuffer(by, n * sizeof(I)); pipe.InitBuffer(bu, n * sizeof(I));
  pipe.InitBuffer(bz, n * sizeof(O)); pipe.InitBuffer(bw, n * sizeof(O)); pipe.InitBuffer(bv, 4096); pipe.InitBuffer(bs, 8192);
  GlobalTensor<I> xGm, yGm; GlobalTensor<O> zGm; xGm.SetGlobalBuffer((__gm__ I*)xg); yGm.SetGlobalBuffer((__gm__ I*)yg); zGm.SetGlobalBuffer((__gm__ O*)zg);
  LocalTensor<I> x = bx.Get<I>(), y = by.Get<I>(), u = bu.Get<I>(); LocalTensor<O> z = bz.Get<O>(), w = bw.Get<O>();
  LocalTensor<float> v = bv.Get<float>(); LocalTensor<uint8_t> s = bs.Get<uint8_t>();
  DataCopy(x, xGm, n); DataCopy(y, yGm, n); DataCopy(u, yGm[256], 256); DataCopy(u[256], xGm[256], 256); PipeBarrier<PIPE_ALL>();
  Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)0, n * sizeof(O) / 2); Duplicate(w.ReinterpretCast<int16_t>(), (int16_t)0, n * sizeof(O) / 2); Duplicate(v, 1.0f, 1024);
  { )" + twins.first + " }\n  { " +
                             twins.second + R"( }
  PipeBarrier<PIPE_ALL>(); DataCopy(zGm, z, n); DataCopy(zGm[n], w, n);
})";
  const bool real = std::string(twins.in).find("int") == std::string::npos;
  const auto input = [&](std::size_t step) {
    return map(512, [&](std::size_t i) { return (static_cast<double>(i * step % 121) - 60) / (real ? 32 : 1); });
  };
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of(twins.in), input(37));
  *run_case.add_inputs() = tensor("y", dtype_of(twins.in), input(53));
  add_output(run_case, "z", dtype_of(twins.out), 1024);
  const auto result = run_kernel(source, "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const std::string& data = result.outputs(0).data();
  EXPECT_EQ(data.substr(0, data.size() / 2), data.substr(data.size() / 2));
  EXPECT_NE(data.find_first_not_of('\0'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Buffers, TwinCalls,
    ::testing::Values(
        Twins{"Mean", "float", "float", "Mean<float>(z, x, MeanParams{8, 64, 60});",
              "Mean<float>(w, x, s, MeanParams{8, 64, 60});"},
        Twins{"Sum", "half", "half", "Sum(z, x, SumParams{8, 64, 60});", "Sum(w, x, s, SumParams{8, 64, 60});"},
        Twins{"CumSum", "float", "float", "CumSum<float>(z, v, x, CumSumInfo{8, 64});",
              "CumSum<float>(w, v, x, s, CumSumInfo{8, 64});"},
        Twins{"RmsNorm", "float", "float",
              "RmsNormTiling t; t.bLength = 2; t.sLength = 4; t.hLength = 64; RmsNorm<float>(z, x, y, 0.5f, t);",
              "RmsNormTiling t; t.bLength = 2; t.sLength = 4; t.hLength = 64; RmsNorm<float>(w, x, y, s, 0.5f, t);"},
        Twins{"LayerNorm", "float", "float",
              "LayerNormTiling t; t.bLength = 2; t.sLength = 4; t.hLength = 64; LayerNorm<float>(z, v, v[64], x, y, u, "
              "0.5f, "
              "t);",
              "LayerNormTiling t; t.bLength = 2; t.sLength = 4; t.hLength = 64; LayerNorm<float>(w, v, v[64], x, y, u, "
              "s, "
              "0.5f, t);"},
        Twins{"LayerNormOfRows", "float", "float",
              "LayerNormSeparateTiling t; LayerNorm<float, float>(z, v, v[64], x, y, u, 0.5f, LayerNormPara{8, 64, "
              "64}, t);",
              "LayerNormSeparateTiling t; LayerNorm<float, float>(w, v, v[64], x, y, u, 0.5f, s, LayerNormPara{8, 64, "
              "64}, "
              "t);"},
        Twins{"DeepNorm", "float", "float",
              "DeepNormTiling t; t.bLength = 1; t.sLength = 8; t.hLength = 64; DeepNorm<float>(z, v, v[64], x, y, u, "
              "u[64], "
              "2.0f, 0.5f, t);",
              "DeepNormTiling t; t.bLength = 1; t.sLength = 8; t.hLength = 64; DeepNorm<float>(w, v, v[64], x, y, u, "
              "u[64], "
              "s, 2.0f, 0.5f, t);"},
        Twins{"GroupNorm", "float", "float",
              "GroupNormTiling t; t.n = 1; t.c = 8; t.hw = 64; t.g = 4; t.hwAlignSize = 64; GroupNorm<float>(z, v, "
              "v[64], "
              "x, y, u, 0.5f, t);",
              "GroupNormTiling t; t.n = 1; t.c = 8; t.hw = 64; t.g = 4; t.hwAlignSize = 64; GroupNorm<float>(w, v, "
              "v[64], "
              "x, y, u, s, 0.5f, t);"},
        Twins{"Normalize", "float", "float",
              "Normalize<float, float>(z, v, v[64], v[128], x, y, u, 0.5f, NormalizePara{8, 64, 64});",
              "Normalize<float, float>(w, v, v[64], v[128], x, y, u, s, 0.5f, NormalizePara{8, 64, 64});"},
        Twins{"DropOut", "float", "float",
              "Duplicate(y.ReinterpretCast<int16_t>(), (int16_t)0x0100, 512); DropOut(z, x, "
              "y.ReinterpretCast<uint8_t>(), "
              "0.5f, DropOutShapeInfo{8, 64, 64});",
              "DropOut(w, x, y.ReinterpretCast<uint8_t>(), s, 0.5f, DropOutShapeInfo{8, 64, 64});"},
        Twins{"BroadcastOfARow", "float", "float",
              "uint32_t to[] = {8, 64}, from[] = {1, 64}; Broadcast<float, 2, 0>(z, x, to, from);",
              "uint32_t to[] = {8, 64}, from[] = {1, 64}; Broadcast<float, 2, 0>(w, x, to, from, s);"},
        Twins{"MeanByPattern", "float", "float",
              "uint32_t shape[] = {8, 64}; ReduceMean<float, Pattern::Reduce::RA>(z, x, shape, true);",
              "uint32_t shape[] = {8, 64}; ReduceMean<float, Pattern::Reduce::RA>(w, x, s, shape, true);"},
        Twins{"ProductByPattern", "float", "float",
              "uint32_t shape[] = {8, 64}; ReduceProd<float, Pattern::Reduce::RA>(z, x, shape, true);",
              "uint32_t shape[] = {8, 64}; ReduceProd<float, Pattern::Reduce::RA>(w, x, s, shape, true);"},
        Twins{"QuantOfAll", "float", "int8_t", "AscendQuant(z, x, 10.0f, 3.0f);", "AscendQuant(w, x, 10.0f, 3.0f, n);"},
        Twins{"QuantBuffered", "float", "int8_t", "AscendQuant(z, x, s, 10.0f, 3.0f);",
              "AscendQuant(w, x, s, 10.0f, 3.0f, n);"},
        Twins{"DequantOfAScalar", "int32_t", "float",
              "Duplicate(v, 0.5f, 64); AscendDequant(z, x, v, DequantParams{8, 64, 64});",
              "AscendDequant(w, x, 0.5f, s, DequantParams{8, 64, 64});"},
        Twins{"DequantBuffered", "int32_t", "float",
              "ArithProgression(v, 0.5f, 0.25f, 64); AscendDequant(z, x, v, DequantParams{8, 64, 64});",
              "AscendDequant(w, x, v, s, DequantParams{8, 64, 64});"},
        Twins{"SoftMaxWithSums", "float", "float",
              "SoftMaxTiling t; SoftMax<float>(z, v, v[128], x, t, SoftMaxShapeInfo{8, 64, 8, 64});",
              "SoftMaxTiling t; SoftMax<float>(w, v, v[128], x, s, t, SoftMaxShapeInfo{8, 64, 8, 64});"},
        Twins{"SoftmaxFlash", "float", "float",
              "SoftMaxTiling t; SoftmaxFlash<float>(z, v, v[128], x, v[256], v, v[128], t, false, SoftMaxShapeInfo{8, "
              "64, 8, "
              "64});",
              "SoftMaxTiling t; SoftmaxFlash<float>(w, v, v[128], x, v[256], v, v[128], s, t, false, "
              "SoftMaxShapeInfo{8, 64, "
              "8, 64});"},
        Twins{"SwiGluOfAll", "float", "float", "SwiGLU(z, x, y, 1.5f);", "SwiGLU(w, x, y, 1.5f, s);"},
        Twins{"PowerOfABase", "float", "float", "Power(z, 2.0f, x);", "Power(w, 2.0f, x, n);"},
        Twins{"ExpWithTerms", "float", "float", "Exp<float, 15>(z, x, n);", "Exp<float, 15>(w, x, s, n);"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Names, TwinCalls,
    ::testing::Values(
        Twins{"Compares", "float", "uint8_t", "Compares(z, x, 0.5f, CMPMODE::GT, n);",
              "CompareScalar(w, x, 0.5f, CMPMODE::GT, n);"},
        Twins{"CompareScalarMasked", "float", "uint8_t",
              "CompareScalar(z, x, 0.5f, CMPMODE::GT, (uint64_t)64, 8, {1, 1, 8, 8});",
              "CompareScalar(w, x, 0.5f, CMPMODE::GT, n);"},
        Twins{"Arange", "float", "float", "Arange(z, 1.0f, 0.5f, n);", "ArithProgression(w, 1.0f, 0.5f, n);"},
        Twins{"Log2Counted", "float", "float", "Abs(x, x, n); Log2(z, x, n);", "Log2(w, x);"},
        Twins{"Log10Counted", "float", "float", "Abs(x, x, n); Log10(z, x, n);", "Log10(w, x);"},
        Twins{"SelectMasked", "float", "float",
              "Select(z, s, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, (uint64_t)64, 8, {1, 1, 1, 8, 8, 8});",
              "CompareScalar(s, x, 0.0f, CMPMODE::GT, n);\n    "
              "Select(z, s, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, (uint64_t)64, 8, {1, 1, 1, 8, 8, 8}); "
              "Select(w, s, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);"},
        Twins{"AxpyMasked", "half", "float", "Axpy(z, x, (half)0.75f, (uint64_t)64, 8, {1, 1, 8, 4});",
              "Axpy(w, x, (half)0.75f, n);"},
        Twins{"AddReluCastMasked", "float", "half", "AddReluCast(z, x, y, (uint64_t)64, 8, {1, 1, 1, 4, 8, 8});",
              "AddReluCast(w, x, y, n);"},
        Twins{"SubReluCastMasked", "half", "int8_t", "SubReluCast(z, x, y, (uint64_t)128, 4, {1, 1, 1, 4, 8, 8});",
              "SubReluCast(w, x, y, n);"},
        Twins{"MulCastMasked", "half", "int8_t", "MulCast(z, x, y, (uint64_t)128, 4, {1, 1, 1, 4, 8, 8});",
              "MulCast(w, x, y, n);"},
        Twins{"AddDeqReluMasked", "int32_t", "half",
              "SetDeqScale((half)0.5f); AddDeqRelu(z, x, y, (uint64_t)64, 8, {1, 1, 1, 4, 8, 8});",
              "AddDeqRelu(w, x, y, n);"},
        Twins{"FilledOutput", "float", "float",
              "PipeBarrier<PIPE_ALL>(); Fill(zGm, (uint64_t)n, 2.5f); PipeBarrier<PIPE_ALL>(); DataCopy(z, zGm, n); "
              "PipeBarrier<PIPE_ALL>();",
              "Duplicate(w, 2.5f, n);"},
        Twins{"PadValueForCopies", "float", "float",
              "PipeBarrier<PIPE_ALL>(); SetPadValue(7.0f); copy_gm_to_ubuf_align_b32(z.GetPhyAddr(), (__gm__ "
              "float*)xg, 0, 1, "
              "20, 1, 2, 0, 0); PipeBarrier<PIPE_ALL>();",
              "DataCopyPad(w, xGm, DataCopyExtParams(1, 20, 0, 0, 0), DataCopyPadExtParams<float>(true, 1, 2, 7.0f)); "
              "PipeBarrier<PIPE_ALL>();"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kg::npu::testing
