// Raw intrinsics: each gives the bits of the call that it stands behind (those are compared with numpy), and raw copies
// and atomics move what the documentation of their parameters says.

#include <algorithm>

#include "ascendc_value_kernel.h"

namespace kg::sandbox::ascendc::testing {
namespace {

struct Raw {
  const char* name;
  const char* in;
  const char* out;
  const char* raw;   // into z, with a, b (pointers to x and y) and c (to z); `repeats` and strides for 512 elements
  const char* call;  // the same into z2
};
class RawCalls : public ::testing::TestWithParam<Raw> {};

proto::DType wide_dtype_of(const std::string& type) { return type == "int64_t" ? proto::INT64 : dtype_of(type); }

TEST_P(RawCalls, GiveTheBitsOfTheCall) {
  const Raw& one = GetParam();
  const std::string source = std::string("#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing I = ") +
                             one.in + "; using O = " + one.out + R"(;
constexpr int n = 512, widest = sizeof(I) > sizeof(O) ? sizeof(I) : sizeof(O), repeats = n * widest / 256;
constexpr int dr = 8 * sizeof(O) / widest, sr = 8 * sizeof(I) / widest;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe; TBuf<> bx, by, bz, bw; pipe.InitBuffer(bx, n * sizeof(I)); pipe.InitBuffer(by, n * sizeof(I)); pipe.InitBuffer(bz, n * sizeof(O)); pipe.InitBuffer(bw, n * sizeof(O));
  GlobalTensor<I> xGm, yGm; GlobalTensor<O> zGm; xGm.SetGlobalBuffer((__gm__ I*)xg); yGm.SetGlobalBuffer((__gm__ I*)yg); zGm.SetGlobalBuffer((__gm__ O*)zg);
  LocalTensor<I> x = bx.Get<I>(), y = by.Get<I>(); LocalTensor<O> z = bz.Get<O>(), z2 = bw.Get<O>();
  DataCopy(x, xGm, n); DataCopy(y, yGm, n); PipeBarrier<PIPE_ALL>();
  Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)0x3A00, n * sizeof(O) / 2); Duplicate(z2.ReinterpretCast<int16_t>(), (int16_t)0x3A00, n * sizeof(O) / 2);
  __ubuf__ I* a = x.GetPhyAddr(); __ubuf__ I* b = y.GetPhyAddr(); __ubuf__ O* c = z.GetPhyAddr();
  set_mask_norm(); set_vector_mask(~0ULL, ~0ULL);
  )" + one.raw + "\n  " + one.call +
                             R"(
  PipeBarrier<PIPE_ALL>(); DataCopy(zGm, z, n); DataCopy(zGm[n], z2, n);
})";
  const bool real = std::string(one.in).find("int") == std::string::npos;
  const auto input = [&](std::size_t step) {
    return map(512, [&](std::size_t i) { return (static_cast<double>(i * step % 251) - 125) / (real ? 8 : 1); });
  };
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", wide_dtype_of(one.in), input(37));
  *run_case.add_inputs() = tensor("y", wide_dtype_of(one.in), input(53));
  add_output(run_case, "z", wide_dtype_of(one.out), 1024);
  const auto result = run_kernel(source, "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const std::string& data = result.outputs(0).data();
  EXPECT_EQ(data.substr(0, data.size() / 2), data.substr(data.size() / 2));
  const Values z = values_of(result.outputs(0));
  EXPECT_NE(*std::max_element(z.begin(), z.end()), *std::min_element(z.begin(), z.end()));
}

#define KG_BINARY(name) #name "(c, a, b, repeats, 1, 1, 1, dr, sr, sr);"
#define KG_UNARY(name) #name "(c, a, repeats, 1, 1, dr, sr);"
#define KG_SCALAR(name) #name "(c, a, (I)0.75f, repeats, 1, 1, dr, sr);"
#define KG_CAST(mode) "Cast(z2, x, RoundMode::CAST_" #mode ", n);"

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, RawCalls,
    ::testing::Values(Raw{"vaddHalf", "half", "half", KG_BINARY(vadd), "Add(z2, x, y, n);"},
                      Raw{"vaddInt16", "int16_t", "int16_t", KG_BINARY(vadd), "Add(z2, x, y, n);"},
                      Raw{"vaddInt32", "int32_t", "int32_t", KG_BINARY(vadd), "Add(z2, x, y, n);"},
                      Raw{"vsub", "float", "float", KG_BINARY(vsub), "Sub(z2, x, y, n);"},
                      Raw{"vmul", "half", "half", KG_BINARY(vmul), "Mul(z2, x, y, n);"},
                      Raw{"vmax", "float", "float", KG_BINARY(vmax), "Max(z2, x, y, n);"},
                      Raw{"vmin", "half", "half", KG_BINARY(vmin), "Min(z2, x, y, n);"},
                      Raw{"vdivHalf", "half", "half", KG_BINARY(vdiv), "Div(z2, x, y, n);"},
                      Raw{"vdivFloat", "float", "float", KG_BINARY(vdiv), "Div(z2, x, y, n);"},
                      Raw{"vmla", "half", "half", KG_BINARY(vmla), "MulAddDst(z2, x, y, n);"},
                      Raw{"vmadd", "float", "float", KG_BINARY(vmadd), "FusedMulAdd(z2, x, y, n);"},
                      Raw{"vaddrelu", "float", "float", KG_BINARY(vaddrelu), "AddRelu(z2, x, y, n);"},
                      Raw{"vsubrelu", "half", "half", KG_BINARY(vsubrelu), "SubRelu(z2, x, y, n);"},
                      Raw{"vaxpy", "float", "float", KG_SCALAR(vaxpy), "Axpy(z2, x, 0.75f, n);"},
                      Raw{"vlrelu", "half", "half", KG_SCALAR(vlrelu), "LeakyRelu(z2, x, (half)0.75f, n);"},
                      Raw{"vadds", "half", "half", KG_SCALAR(vadds), "Adds(z2, x, (half)0.75f, n);"},
                      Raw{"vmuls", "float", "float", KG_SCALAR(vmuls), "Muls(z2, x, 0.75f, n);"},
                      Raw{"vmaxs", "float", "float", KG_SCALAR(vmaxs), "Maxs(z2, x, 0.75f, n);"},
                      Raw{"vmins", "half", "half", KG_SCALAR(vmins), "Mins(z2, x, (half)0.75f, n);"},
                      Raw{"vabs", "half", "half", KG_UNARY(vabs), "Abs(z2, x, n);"},
                      Raw{"vexp", "half", "half", KG_UNARY(vexp), "Exp(z2, x, n);"},
                      Raw{"vln", "float", "float", KG_UNARY(vln), "Ln(z2, x, n);"},
                      Raw{"vsqrt", "float", "float", KG_UNARY(vsqrt), "Sqrt(z2, x, n);"},
                      Raw{"vrsqrt", "half", "half", KG_UNARY(vrsqrt), "Rsqrt(z2, x, n);"},
                      Raw{"vrec", "float", "float", KG_UNARY(vrec), "Reciprocal(z2, x, n);"},
                      Raw{"vreluInt32", "int32_t", "int32_t", KG_UNARY(vrelu), "Relu(z2, x, n);"},
                      Raw{"vreluHalf", "half", "half", KG_UNARY(vrelu), "Relu(z2, x, n);"},
                      Raw{"vnotInt16", "int16_t", "int16_t", KG_UNARY(vnot), "Not(z2, x, n);"},
                      Raw{"vnotUint16", "uint16_t", "uint16_t", KG_UNARY(vnot), "Not(z2, x, n);"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Casts, RawCalls,
    ::testing::Values(Raw{"f162f32", "half", "float", KG_UNARY(vconv_f162f32), KG_CAST(NONE)},
                      Raw{"f322f16", "float", "half", KG_UNARY(vconv_f322f16), KG_CAST(NONE)},
                      Raw{"f322f16o", "float", "half", KG_UNARY(vconv_f322f16o), KG_CAST(ODD)},
                      Raw{"f322f16r", "float", "half", KG_UNARY(vconv_f322f16r), KG_CAST(RINT)},
                      Raw{"f322bf16r", "float", "bfloat16_t", KG_UNARY(vconv_f322bf16r), KG_CAST(RINT)},
                      Raw{"f322bf16a", "float", "bfloat16_t", KG_UNARY(vconv_f322bf16a), KG_CAST(ROUND)},
                      Raw{"bf162f32", "bfloat16_t", "float", KG_UNARY(vconv_bf162f32), KG_CAST(NONE)},
                      Raw{"bf162s32f", "bfloat16_t", "int32_t", KG_UNARY(vconv_bf162s32f), KG_CAST(FLOOR)},
                      Raw{"f162s8", "half", "int8_t", KG_UNARY(vconv_f162s8), KG_CAST(NONE)},
                      Raw{"f162s8c", "half", "int8_t", KG_UNARY(vconv_f162s8c), KG_CAST(CEIL)},
                      Raw{"f162u8", "half", "uint8_t", KG_UNARY(vconv_f162u8), KG_CAST(NONE)},
                      Raw{"f162u8z", "half", "uint8_t", KG_UNARY(vconv_f162u8z), KG_CAST(TRUNC)},
                      Raw{"f162s16a", "half", "int16_t", KG_UNARY(vconv_f162s16a), KG_CAST(ROUND)},
                      Raw{"f162s32z", "half", "int32_t", KG_UNARY(vconv_f162s32z), KG_CAST(TRUNC)},
                      Raw{"f322s32r", "float", "int32_t", KG_UNARY(vconv_f322s32r), KG_CAST(RINT)},
                      Raw{"f322s32f", "float", "int32_t", KG_UNARY(vconv_f322s32f), KG_CAST(FLOOR)},
                      Raw{"f322s32c", "float", "int32_t", KG_UNARY(vconv_f322s32c), KG_CAST(CEIL)},
                      Raw{"f322s32a", "float", "int32_t", KG_UNARY(vconv_f322s32a), KG_CAST(ROUND)},
                      Raw{"f322s32z", "float", "int32_t", KG_UNARY(vconv_f322s32z), KG_CAST(TRUNC)},
                      Raw{"f322s16c", "float", "int16_t", KG_UNARY(vconv_f322s16c), KG_CAST(CEIL)},
                      Raw{"f322s64r", "float", "int64_t", KG_UNARY(vconv_f322s64r), KG_CAST(RINT)},
                      Raw{"f322f32c", "float", "float", KG_UNARY(vconv_f322f32c), KG_CAST(CEIL)},
                      Raw{"s82f16", "int8_t", "half", KG_UNARY(vconv_s82f16), KG_CAST(NONE)},
                      Raw{"u82f16", "uint8_t", "half", KG_UNARY(vconv_u82f16), KG_CAST(NONE)},
                      Raw{"s162f16", "int16_t", "half", KG_UNARY(vconv_s162f16), KG_CAST(NONE)},
                      Raw{"s162f32", "int16_t", "float", KG_UNARY(vconv_s162f32), KG_CAST(NONE)},
                      Raw{"s322f32", "int32_t", "float", KG_UNARY(vconv_s322f32), KG_CAST(NONE)},
                      Raw{"s322f32z", "int32_t", "float", KG_UNARY(vconv_s322f32z), KG_CAST(TRUNC)},
                      Raw{"s322s16", "int32_t", "int16_t", KG_UNARY(vconv_s322s16), KG_CAST(NONE)},
                      Raw{"s322s64", "int32_t", "int64_t", KG_UNARY(vconv_s322s64), KG_CAST(NONE)},
                      Raw{"s642s32", "int64_t", "int32_t", KG_UNARY(vconv_s642s32), KG_CAST(NONE)},
                      Raw{"s642f32r", "int64_t", "float", KG_UNARY(vconv_s642f32r), KG_CAST(RINT)},
                      Raw{"deq", "int32_t", "half", "SetDeqScale((half)0.5f); vconv_deq(c, a, repeats, 1, 1, dr, sr);",
                          KG_CAST(NONE)}),
    [](const auto& info) { return info.param.name; });

class RawMoves : public ::testing::TestWithParam<ValueKernel> {};
TEST_P(RawMoves, MoveWhatTheirParametersSay) {
  expect_values(GetParam(), shuffled_values(89, 17), shuffled_values(151, 60));
}
#define KG_COPIED                                                                                            \
  "PipeBarrier<PIPE_ALL>(); __gm__ O* from = (__gm__ O*)xg; __gm__ O* to = (__gm__ O*)zg; __ubuf__ O* ub = " \
  "z.GetPhyAddr();\n"

// Blocks of `length` elements `step` apart.
Values blocks(const Values& x, std::size_t count, std::size_t length, std::size_t step, std::size_t to_step) {
  Values z((count - 1) * to_step + length);
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t i = 0; i < length; ++i) z[b * to_step + i] = x[b * step + i];
  return z;
}

INSTANTIATE_TEST_SUITE_P(
    Copies, RawMoves,
    ::testing::Values(
        ValueKernel{"InBlocks", "float", "float",
                    KG_COPIED "copy_gm_to_ubuf(ub, from, 0, 3, 2, 4, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 16, 48, 24); }},
        ValueKernel{"OutBlocks", "float", "float",
                    KG_COPIED "DataCopy(z, x, n); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm(to, ub, 0, 3, 2, 4, 1); "
                              "PipeBarrier<PIPE_ALL>(); Duplicate(z, 0.0f, n); PipeBarrier<PIPE_ALL>(); "
                              "copy_gm_to_ubuf(ub, to, 0, 3, 2, 1, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 16, 48, 24); }},
        ValueKernel{"InBytes8", "uint8_t", "uint8_t",
                    KG_COPIED "copy_gm_to_ubuf_align_b8(ub, from, 0, 3, 32, 0, 0, 5, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 32, 37, 64); }},
        ValueKernel{"InBytes16", "half", "half",
                    KG_COPIED "copy_gm_to_ubuf_align_b16(ub, from, 0, 3, 32, 0, 0, 6, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 16, 19, 32); }},
        ValueKernel{"InBytes32Padded", "float", "float",
                    KG_COPIED "set_mov_pad_val(0x40E00000); copy_gm_to_ubuf_align_b32(ub, from, 0, 3, 20, 1, 2, 4, 0); "
                              "PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) {
                      return map(
                          24, [&](std::size_t i) { return i % 8 == 0 || i % 8 > 5 ? 7.0 : x[i / 8 * 6 + i % 8 - 1]; });
                    }},
        ValueKernel{"OutBytes32", "float", "float",
                    KG_COPIED
                    "DataCopy(z, x, n); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm_align_b32(to, ub, 0, 3, 12, 0, 0, "
                    "1, 4); PipeBarrier<PIPE_ALL>(); Duplicate(z, 0.0f, n); PipeBarrier<PIPE_ALL>(); "
                    "copy_gm_to_ubuf_align_b32(ub, to, 0, 3, 12, 0, 0, 4, 0); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) {
                      return map(24, [&](std::size_t i) { return i % 8 < 3 ? x[i / 8 * 16 + i % 8] : NAN; });
                    }},
        ValueKernel{"OutBytes16And8", "half", "half",
                    KG_COPIED
                    "DataCopy(z, x, n); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm_align_b16(to, ub, 0, 1, 6, 0, 0, 0, "
                    "0); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm_align_b8(to + 3, ub + 64, 0, 1, 4, 0, 0, 0, 0);\n"
                    "PipeBarrier<PIPE_ALL>(); copy_gm_to_ubuf_align_b16(ub, to, 0, 1, 10, 0, 0, 0, 0); "
                    "PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return Values{x[0], x[1], x[2], x[64], x[65]}; }},
        ValueKernel{
            "TransposeOfWords", "float", "float",
            "uint64_t d[16], s[16]; for (int i = 0; i < 16; ++i) { d[i] = (uint64_t)z[i * 8].GetPhyAddr(); s[i] = "
            "(uint64_t)x[i * 8].GetPhyAddr(); }\n"
            "set_va_reg(VA0, d); set_va_reg(VA1, d + 8); set_va_reg(VA2, s); set_va_reg(VA3, s + 8); "
            "scatter_vnchwconv_b32(VA0, VA2, 1, 0, 0);",
            [](const Values& x, const Values&) {  // 16 rows of 8 become 8 rows of 16, two blocks a row
              return map(128, [&](std::size_t i) { return x[i % 16 * 8 + i / 16]; });
            }}),
    [](const auto& info) { return info.param.name; });

TEST(RawAtomics, AddInTheTypeOfTheirName) {
  struct Atomic {
    const char *type, *set;
  };
  for (const auto& [type, set] :
       {Atomic{"float", "set_atomic_f32"}, Atomic{"half", "set_atomic_f16"}, Atomic{"bfloat16_t", "set_atomic_bf16"},
        Atomic{"int32_t", "set_atomic_s32"}, Atomic{"int16_t", "set_atomic_s16"}, Atomic{"int8_t", "set_atomic_s8"}}) {
    const std::string source = std::string("#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing T = ") +
                               type +
                               R"(;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 256); GlobalTensor<T> x, z;
  x.SetGlobalBuffer((__gm__ T*)xg); z.SetGlobalBuffer((__gm__ T*)zg); LocalTensor<T> a = buffer.Get<T>();
  DataCopy(a, x, 64); PipeBarrier<PIPE_ALL>(); DataCopy(z, a, 64); PipeBarrier<PIPE_ALL>();
  )" + set + R"((); DataCopy(z, a, 64); PipeBarrier<PIPE_ALL>(); DataCopy(z, a, 64); set_atomic_none();
})";
    const Values x = map(64, [](std::size_t i) { return static_cast<double>(i % 13) - 6; });
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("x", dtype_of(type), x);
    add_output(run_case, "z", dtype_of(type), 64);
    const auto result = run_kernel(source, "k", run_case);
    EXPECT_EQ(errors_of(result), "") << type << result.ShortDebugString();
    EXPECT_EQ(values_of(result.outputs(0)), map(64, [&](std::size_t i) { return 3 * x[i]; })) << type;
  }
}

}  // namespace
}  // namespace kg::sandbox::ascendc::testing
