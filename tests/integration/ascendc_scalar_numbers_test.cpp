// Numbers of the scalar unit: no double, no casts between floating and unsigned ones, no arithmetic in half. What
// the compiler folds is free.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ascendc_kernel.h"

#ifdef KG_KERNEL_PASSES

namespace kg::npu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDouble = "double precision floating variable is not allowed in aicore function";
constexpr const char* kDoubleOperation = "double precision operation is not allowed in aicore function";
constexpr const char* kUnsigned =
    "cast between floating and unsigned integer variable is not allowed in aicore function";
constexpr const char* kHalf = "half precision operation is not allowed in aicore function";

// The declarations stand on line 3, the body on line 5; `out` is integers in GM, `r`, `n`, `f` and `h` are numbers that
// are not constant.
std::string kernel(const std::string& declarations, const std::string& body) {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\n" + declarations +
         "\nextern \"C\" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y) { __gm__ int* out = (__gm__ int*)y; int r "
         "= ((__gm__ int*)x)[0]; uint32_t n = r; float f = r; half h = r;\n" +
         body + "\n}\n";
}

struct Refused {
  const char* name;
  const char* declarations;
  const char* body;
  const char* message;
  int line = 5;
};
class NoSuchNumber : public ::testing::TestWithParam<Refused> {};

TEST_P(NoSuchNumber, IsRefusedOnItsLine) {
  const auto compiled = compile_kernel(kernel(GetParam().declarations, GetParam().body), "k");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr(GetParam().message));
  EXPECT_THAT(compiled.messages, HasSubstr(".cpp:" + std::to_string(GetParam().line) + ":"));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, NoSuchNumber,
    ::testing::Values(
        Refused{"DoubleOfInteger", "", "double d = r; out[0] = (int)d;", kDouble},
        Refused{"DoubleOfUnsigned", "", "double d = n; out[0] = (int)d;", kDouble},
        Refused{"DoubleOfFloat", "", "double d = f; out[0] = d > 1;", kDouble},
        Refused{"DoubleLiteral", "", "f = f * 0.5; out[0] = (int)f;", kDouble},
        Refused{"DoubleReciprocal", "", "f = 1.0 / r; out[0] = (int)f;", kDouble},
        Refused{"DoubleSum", "", "double sum = 0; for (int i = 0; i < r; ++i) sum += f; out[0] = (int)sum;", kDouble},
        Refused{"DoubleRoot", "", "f = __builtin_sqrt(f); out[0] = (int)f;", kDouble},
        Refused{"DoubleInGm", "", "__gm__ double* d = (__gm__ double*)x; d[0] = d[1] + d[2];", kDoubleOperation},
        Refused{"DoubleCompared", "", "__gm__ double* d = (__gm__ double*)x; out[0] = d[1] < d[2];", kDoubleOperation},
        Refused{"DoubleMember", "struct Scale { double by; __aicore__ inline float of(float v) { return v * by; } };",
                "Scale s{0.5}; out[0] = (int)s.of(f);", kDouble, 3},
        Refused{"LongDouble", "", "long double d = f; out[0] = d > 1;", "'long double'"},
        Refused{"FloatOfUnsigned", "", "f = 1.0f / (float)n; out[0] = (int)f;", kUnsigned},
        Refused{"FloatOfUint64", "", "uint64_t total = r; f = static_cast<float>(total); out[0] = (int)f;", kUnsigned},
        Refused{"FloatOfUint8", "", "uint8_t small = r; f = float(small); out[0] = (int)f;", kUnsigned},
        Refused{"FloatOfASum", "", "f = 2.0f * static_cast<float>(n + r); out[0] = (int)f;", kUnsigned},
        Refused{"FloatOfAMember", "struct Shape { uint32_t rows; };",
                "Shape s{n}; f = 1.0f / static_cast<float>(s.rows); out[0] = (int)f;", kUnsigned},
        Refused{"HalfOfUnsigned", "", "h = (half)n; out[0] = h;", kUnsigned},
        Refused{"UnsignedOfFloat", "", "n = (uint32_t)f; out[0] = n;", kUnsigned},
        Refused{"UnsignedOfHalf", "", "n = static_cast<uint32_t>(h); out[0] = n;", kUnsigned},
        Refused{"InATemplate", "template <typename T> __aicore__ inline float mean(T v) { return 1.0f / (float)v; }",
                "out[0] = (int)mean(n);", kUnsigned, 3},
        Refused{"HalfSum", "", "h = h + h; out[0] = h;", kHalf},
        Refused{"HalfDifference", "", "h -= h; out[0] = h;", kHalf},
        Refused{"HalfProduct", "", "half g = r; h = h * g; out[0] = h;", kHalf},
        Refused{"HalfQuotient", "", "h = (half)1 / h; out[0] = h;", kHalf},
        Refused{"HalfTimesInteger", "", "h = h * 2; out[0] = h;", kHalf}),
    [](const auto& info) { return info.param.name; });

struct Accepted {
  const char* name;
  const char* declarations;
  const char* body;
};
class Number : public ::testing::TestWithParam<Accepted> {};

TEST_P(Number, IsAccepted) {
  const auto compiled = compile_kernel(kernel(GetParam().declarations, GetParam().body), "k");
  EXPECT_TRUE(compiled.ok) << compiled.messages;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Number,
    ::testing::Values(
        Accepted{
            "FoldedDouble",
            "constexpr double kThird = 1.0 / 3; constexpr double power(double b, int e) { double p = 1; for (int i "
            "= 0; i < e; ++i) p *= b; return p; } constexpr float kDecay = 1 - power(0.9, 3); constexpr uint32_t "
            "kCount = 7;",
            "float a = 0.5, b = -1e-5, c = 1.0 / 3 + kThird; constexpr float d = power(2.0, 3) * kThird; const "
            "double eps = 1e-5; float e = eps, g = (float)(3.0 / kCount); f += a + b + c + d + e + g + kDecay + "
            "float(0.1) + f / kCount + f * sizeof(int); half i = 0.25; if (r > 3) f = f > 2.0f ? 1.0 : 0.0; "
            "out[0] = (int)f + (int)i;"},
        Accepted{"FoldedDoubleInACall", "",
                 "TPipe pipe; TBuf<TPosition::VECCALC> b; pipe.InitBuffer(b, 256); LocalTensor<float> t = "
                 "b.Get<float>(); Duplicate<float>(t, 0.5, 64); Muls<float>(t, t, -1.0, 64); Adds(t, t, (float)1.5, "
                 "64);"},
        Accepted{"BySignedNumbers", "",
                 "f = static_cast<float>(static_cast<int32_t>(n)); n = static_cast<uint32_t>(static_cast<int32_t>(f)); "
                 "int64_t l = r; f += l; uint8_t small = r; f += small + 1; f += r > 3; bool t = f; out[0] = n + t;"},
        Accepted{"HalfByFloat", "",
                 "half a = r, b = 0.5; float s = (float)a * (float)b + a; a = s; bool t = a < b || a == b; b = -a; "
                 "b = r > 3 ? a : b; out[0] = t + (int)b;"},
        Accepted{"UnsignedBesideFloat", "",
                 "f = f / n; f = (n + 1) * f; f += n; h = n; n = f; f = static_cast<float>(f / n); out[0] = (int)f;"},
        Accepted{"MovedDouble", "", "__gm__ double* d = (__gm__ double*)x; d[1] = d[0]; d[2] = 0.5; out[0] = r;"},
        Accepted{"Printed", "", "AscendC::printf(\"%f %u %d\", f, n, r); out[0] = r;"},
        Accepted{"OnTheHost", "double half_of(double v) { return v * 0.5; } float count(uint32_t c) { return c; }",
                 "out[0] = r;"}),
    [](const auto& info) { return info.param.name; });

TEST(ScalarNumbers, AreToldOncePerLineAndKind) {
  const auto compiled =
      compile_kernel(kernel("template <typename T> __aicore__ inline float mean(T v) { return 1.0f / (float)v; }",
                            "out[0] = (int)(mean(n) + mean((uint64_t)n));\nf = f * 0.5 + f * 0.25; out[1] = (int)f;"),
                     "k");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr(".cpp:3:"));
  EXPECT_THAT(compiled.messages, HasSubstr(".cpp:6:"));
  EXPECT_THAT(compiled.messages, HasSubstr("0.5f"));
  const std::size_t first = compiled.messages.find(kUnsigned);
  ASSERT_NE(first, std::string::npos);
  EXPECT_THAT(compiled.messages.substr(first + 1), Not(HasSubstr(kUnsigned)));
}

}  // namespace
}  // namespace kg::npu::testing

#endif
