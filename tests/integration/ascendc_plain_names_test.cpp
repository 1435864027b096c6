// What a device translation unit has without asking: scalar functions by their plain names, constants; and forms of
// calls that foreign kernels use. Every number is worked out by hand.

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

class PlainNames : public ::testing::TestWithParam<ValueKernel> {};
TEST_P(PlainNames, GiveTheNumbers) { expect_values(GetParam(), shuffled_values(89, 17), shuffled_values(151, 60)); }

#undef KG_GIVES
#define KG_GIVES(...) [](const Values&, const Values&) { return Values{__VA_ARGS__}; }

INSTANTIATE_TEST_SUITE_P(
    Scalars, PlainNames,
    ::testing::Values(
        ValueKernel{
            "LeastAndGreatest", "int32_t", "int32_t",
            "size_t places = 3; int64_t wide = -5; uint32_t plain = 7;\n"
            "z.SetValue(0, min(3, 2)); z.SetValue(1, max(3, 2)); z.SetValue(2, (int32_t)min(wide, int64_t(4)));\n"
            "z.SetValue(3, (int32_t)max(plain, 9u)); z.SetValue(4, abs(-12)); z.SetValue(5, (int32_t)abs(-2.5f));\n"
            "z.SetValue(6, (int32_t)places); z.SetValue(7, Ceil(7, 3)); z.SetValue(8, Ceil(6u, 3u)); "
            "z.SetValue(9, (int32_t)min(1.5f, 2.5f));",
            KG_GIVES(2, 3, -5, 9, 12, 2, 3, 3, 2, 1)},
        ValueKernel{"OwnFunctionsOfTheseNamesGoFirst", "int32_t", "int32_t",
                    "struct Mine { static __aicore__ int32_t min(int32_t, int32_t) { return 77; } };\n"
                    "z.SetValue(0, Mine::min(1, 2)); z.SetValue(1, min(1, 2));",
                    KG_GIVES(77, 1)},
        ValueKernel{"TuplesHoldNumbersAndTensors", "int32_t", "int32_t",
                    "auto both = Std::make_tuple(x, x[32], int8_t(-3), 2.5f); Std::get<0>(both).SetValue(0, 41);\n"
                    "Std::tuple<LocalTensor<int32_t>, int64_t, bool, half> other(x[8], 7, true, half(1.5)), none;\n"
                    "Std::get<0>(other).SetValue(0, 43); none = other; Std::get<1>(other) = 9;\n"
                    "static_assert(Std::tuple_size<decltype(both)>::value == 4);\n"
                    "static_assert(Std::is_same_v<Std::tuple_element<1, decltype(other)>::type, int64_t>);\n"
                    "z.SetValue(0, x.GetValue(0)); z.SetValue(1, Std::get<2>(both)); "
                    "z.SetValue(2, (int32_t)Std::get<3>(both)); z.SetValue(3, x.GetValue(8));\n"
                    "z.SetValue(4, (int32_t)Std::get<1>(none)); z.SetValue(5, (int32_t)Std::get<1>(other)); "
                    "z.SetValue(6, Std::get<2>(none)); const auto [first, second, third, fourth] = other;\n"
                    "int64_t five = 0; int8_t six = 0; Std::tie(five, six) = Std::make_tuple(int8_t(5), int8_t(6));\n"
                    "const Std::tuple<int32_t> one(8); z.SetValue(7, (int32_t)second + (int32_t)five + six);\n"
                    "z.SetValue(8, Std::get<0>(one)); z.SetValue(9, Std::get<1>(Std::tuple<half, int32_t>(1, 2)));",
                    KG_GIVES(41, -3, 2, 43, 7, 9, 1, 20, 8, 2)},
        ValueKernel{"TraitsOfTypes", "int32_t", "int32_t",
                    "using namespace AscendC::Std; using Int = const volatile int32_t;\n"
                    "static_assert(is_same_v<remove_cv<Int>::type, int32_t> && is_same_v<add_cv_t<int32_t>, Int>);\n"
                    "static_assert(is_same_v<remove_volatile<Int>::type, const int32_t>);\n"
                    "static_assert(is_same_v<remove_reference<half&&>::type, half>);\n"
                    "static_assert(is_same_v<add_lvalue_reference_t<half&&>, half&>);\n"
                    "static_assert(is_same_v<add_rvalue_reference<half>::type, half&&>);\n"
                    "static_assert(is_array<float[2]>::value && !is_array_v<float*> && is_reference_v<float&>);\n"
                    "z.SetValue(0, 5); asc_time_stamp(12);",
                    KG_GIVES(5)},
        ValueKernel{"Bits", "int32_t", "int32_t",
                    "z.SetValue(0, (int32_t)sbitset0(15ul, 1)); z.SetValue(1, (int32_t)sbitset1(8ul, 2));\n"
                    "z.SetValue(2, get_subblockid()); z.SetValue(3, (int32_t)TOTAL_UB_SIZE); "
                    "z.SetValue(4, (int32_t)ONE_REPEAT_FLOAT_SIZE); z.SetValue(5, (int32_t)B32_DATA_NUM_PER_REPEAT);\n"
                    "z.SetValue(6, FULL_MASK == ~uint64_t{0}); z.SetValue(7, (int32_t)DEFAULT_C0_SIZE);",
                    KG_GIVES(13, 12, 0, 196608, 64, 64, 1, 32)},
        ValueKernel{"RoundsOfAScalar", "int32_t", "int32_t",
                    "float v[] = {2.5f, -2.5f, 3.5f, -0.25f, 1e10f, -7.0f};\n"
                    "for (int i = 0; i < 6; ++i) {\n"
                    "z.SetValue(i, ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(v[i]));\n"
                    "z.SetValue(6 + i, ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(v[i]));\n"
                    "z.SetValue(12 + i, ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(v[i]));\n"
                    "z.SetValue(18 + i, ScalarCast<float, int32_t, RoundMode::CAST_RINT>(v[i])); }",
                    KG_GIVES(2, -3, 3, -1, 2147483647, -7, 3, -2, 4, 0, 2147483647, -7, 3, -3, 4, 0, 2147483647, -7, 2,
                             -2, 4, 0, 2147483647, -7)},
        ValueKernel{"BfloatWrittenOut", "float", "float",
                    "bfloat16_t a = static_cast<bfloat16_t>(1.00390625f), b(half(2.5)), c = bfloat16_t(1.01171875f);\n"
                    "z.SetValue(0, ToFloat(a)); z.SetValue(1, ToFloat(b)); z.SetValue(2, ToFloat(c));",
                    KG_GIVES(1.0, 2.5, 1.015625)},  // ties to even: 1 + 2^-8 falls, 1 + 3 * 2^-8 rises
        ValueKernel{"BfloatOfAnInteger", "float", "float",
                    "uint32_t n = 257; DataCopyPadExtParams<bfloat16_t> pad(true, 0, 0, (bfloat16_t)1);\n"
                    "z.SetValue(0, ToFloat(pad.paddingValue)); z.SetValue(1, ToFloat(static_cast<bfloat16_t>(-3)));\n"
                    "z.SetValue(2, ToFloat(bfloat16_t(n))); z.SetValue(3, ToFloat(static_cast<bfloat16_t>(0)));",
                    KG_GIVES(1, -3, 256, 0)}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Calls, PlainNames,
    ::testing::Values(
        ValueKernel{"MasksOfBytes", "int32_t", "int32_t",
                    "TBuf<TPosition::VECCALC> more; pipe.InitBuffer(more, 96);\n"
                    "LocalTensor<uint8_t> a = more.Get<uint8_t>(), b = a[32], c = a[64];\n"
                    "for (int i = 0; i < 32; ++i) { a.SetValue(i, 0x0F + i); b.SetValue(i, 0x3C); }\n"
                    "And(c, a, b, 32); z.SetValue(0, c.GetValue(0)); z.SetValue(1, c.GetValue(31));\n"
                    "Or(c, a, b, 32); z.SetValue(2, c.GetValue(0)); z.SetValue(3, c.GetValue(31));",
                    KG_GIVES(0x0C, 0x2C, 0x3F, 0x3E)},
        ValueKernel{"ABufferTakenAndGivenBack", "float", "float",
                    "TBuf<TPosition::VECCALC> more; pipe.InitBuffer(more, 256);\n"
                    "LocalTensor<float> t = more.AllocTensor<float>(); Duplicate(t, 4.0f, 64);\n"
                    "z.SetValue(0, t.GetValue(63)); more.FreeTensor(t); z.SetValue(1, more.Get<float>().GetValue(0));",
                    KG_GIVES(4, 4)},
        ValueKernel{"AxpyByBits", "float", "float",
                    "uint64_t bits[2] = {0x5, 0}; Duplicate(z, 1.0f, 64);\n"
                    "Axpy(z, x, 2.0f, bits, 1, {1, 1, 8, 8});",
                    [](const Values& x, const Values&) { return Values{1 + 2 * x[0], 1, 1 + 2 * x[2], 1}; }},
        ValueKernel{"EnhancedCopyWithItsDefaults", "float", "float",
                    "DataCopy(z, x, DataCopyParams(2, 64, 0, 0), DataCopyEnhancedParams());",
                    [](const Values& x, const Values&) { return x; }},
        ValueKernel{"GlobalMemoryFilled", "float", "float",
                    "PipeBarrier<PIPE_ALL>(); InitGlobalMemory(zGm, 128, 5.0f); PipeBarrier<PIPE_ALL>();\n"
                    "DataCopy(y, zGm, 128); PipeBarrier<PIPE_ALL>(); Adds(z, y, 0.0f, 128);",
                    [](const Values&, const Values&) { return Values(128, 5.0); }},
        ValueKernel{"BroadCastOfIntegers", "int32_t", "int32_t",
                    "const uint32_t to[2] = {4, 8}, from[2] = {1, 8}; BroadCast<int32_t, 2, 0>(z, x, to, from);",
                    [](const Values& x, const Values&) { return map(32, [&](std::size_t i) { return x[i % 8]; }); }}),
    [](const auto& info) { return info.param.name; });

constexpr const char* kKernelOfNumbers = R"(
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
  AscendC::GlobalTensor<int32_t> out;
  out.SetGlobalBuffer((__gm__ int32_t*)z, 8);
  int32_t numbers[8] = {};
  fill(numbers);
  for (int32_t i = 0; i < 8; ++i) out.SetValue(i, numbers[i]);
  AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE, AscendC::DcciDst::CACHELINE_OUT>(out);
}
)";

Values numbers_of(const std::string& source) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::INT32, {0});
  add_output(run_case, "z", proto::INT32, 8);
  const proto::CaseResult result = run_kernel(source + kKernelOfNumbers, "k", run_case);
  EXPECT_EQ(errors_of(result), "");
  return result.outputs_size() == 1 ? values_of(result.outputs(0)) : Values{};
}

// The figures are those of the pages of MakeLayout and Crd2Idx.
TEST(LayoutNames, GiveTheNumbersOfTheirPages) {
  EXPECT_EQ(numbers_of(R"(#include "kernel_operator.h"
#include "kernel_operator_layout.h"
__aicore__ inline void fill(int32_t* z) {
  AscendC::Shape<int, int, int> shape = AscendC::MakeShape(10, 20, 30);
  AscendC::Stride<int, int, int> stride = AscendC::MakeStride(1, 100, 200);
  auto made = AscendC::MakeLayout(shape, stride);
  AscendC::Layout<AscendC::Shape<int, int, int>, AscendC::Stride<int, int, int>> built(shape, stride);
  z[0] = AscendC::Std::get<2>(made.GetShape());
  z[1] = AscendC::Std::get<1>(built.GetStride());
  z[2] = AscendC::Crd2Idx(AscendC::MakeCoord(1, 2, 3), AscendC::MakeShape(3, 4, 5), AscendC::MakeStride(20, 5, 1));
  const auto nested = AscendC::MakeLayout(AscendC::MakeShape(AscendC::MakeShape(2, 4), AscendC::MakeShape(3, 5)),
                                          AscendC::MakeStride(AscendC::MakeStride(3, 6), AscendC::MakeStride(1, 24)));
  z[3] = AscendC::Crd2Idx(AscendC::MakeCoord(11, 12), nested);
  z[4] = AscendC::Crd2Idx(AscendC::MakeCoord(AscendC::Std::Int<11>{}, AscendC::Std::Int<12>{}), nested);
  z[5] = AscendC::Crd2Idx(7, made);
  z[6] = AscendC::is_layout<decltype(made)>::value + 2 * AscendC::is_layout<int>::value;
  AscendC::Std::get<0>(made.layout().GetShape()) = 7;
  z[7] = AscendC::Crd2Idx(9, made);
}
)"),
            (Values{30, 100, 33, 129, 129, 7, 1, 2 + 100}));
}

TEST(LayoutNames, BelongToTheKernelThatDoesNotAskForThem) {
  EXPECT_EQ(numbers_of(R"(#include "kernel_operator.h"
using namespace AscendC;
struct Shape { int32_t rows, columns; };
struct Layout { Shape shape; };
__aicore__ inline void fill(int32_t* z) { Layout layout{Shape{3, 4}}; z[0] = layout.shape.rows * layout.shape.columns; }
)"),
            (Values{12, 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace kg::npu::testing
