#include "hack.h"

// Work of the scalar unit that wants to cost nothing (class D of the reviewed attacks): each kernel is an honest one
// with `operations` steps put before it whose results are kept.
namespace kg::sandbox::testing {
namespace {

constexpr int kRounds = 2000;

// `step` is done kRounds times; `begin` declares what it works on from `seed`, a number that no compiler knows, and
// `end` gives it to `keep`.
Work work(const char* name, int operations, const std::string& begin, const std::string& step, const std::string& end,
          const std::string& before = "") {
  return {name, operations * kRounds,
          before + elementwise("volatile int unknown = GetBlockNum(); const int seed = unknown; volatile float keep; " +
                               begin + "\n  for (int r = 0; r < " + std::to_string(kRounds) + "; ++r) { " + step +
                               " }\n  " + end + "\n  Relu(o, a, n);")};
}
const std::string kTop = "#include \"kernel_operator.h\"\nusing namespace AscendC;\n";
const std::string kMultiply =
    "static __attribute__((noinline)) __aicore__ float multiply(float v) { for (int i = 0; i < 8; ++i) v = v * 1.0001f "
    "+ 0.5f; "
    "return v; }\n";

std::vector<Work> places() {
  const std::string begin = "float v = seed;", step = "v = multiply(v);", end = "keep = v;";
  return {
      work("by a line directive into a header", 16, begin, step, end,
           "#line 1 \"/kgtrain-headers/kgnpu/tensor.h\"\n" + kMultiply),
      work("by a marker into a header", 16, begin, step, end,
           "# 1 \"/kgtrain-headers/kgnpu/tensor.h\" 3\n" + kMultiply),
      work("by a line directive with a relative name", 16, begin, step, end,
           "#line 1 \"kgnpu/tensor.h\"\n" + kMultiply + "#line 1 \"kernel.cpp\"\n"),
      work("in a function without places", 16, begin, step, end, "__attribute__((nodebug)) " + kMultiply),
      work("in an inlined function without places", 2, begin, "v = AscendC_step(v);", end,
           "__attribute__((nodebug, always_inline)) static inline __aicore__ float AscendC_step(float v) { return v * "
           "1.0001f + 0.5f; }\n"),
      work("in a conversion that a call asks for", 16, "Number v{(float)seed};", "keep = ::sqrt(v); v.value += 1;", "",
           kTop + kMultiply +
               "struct Number { float value; __aicore__ operator float() const { return multiply(value); } };\n"),
      work("in a constructor", 16, "float v = seed;", "Number number(v); v = number.value;", end,
           kMultiply + "struct Number { float value; __aicore__ Number(float v) : value(multiply(v)) {} };\n"),
      work("in a function that calls itself", 16, begin, "v = deeper(v, 4);", end,
           "static __attribute__((noinline)) __aicore__ float deeper(float v, int n) { return n == 0 ? v : deeper(v * "
           "1.0001f, n - 1) + 0.5f; }\n"),
      work("in a lambda that a template calls", 2, begin,
           "v = apply([&]() __attribute__((device)) { return v * 1.0001f + 0.5f; });", end,
           "template <typename F> static __aicore__ inline float apply(F f) { return f(); }\n"),
      work("by a line directive to a plain name", 16, begin, step, end, "#line 1 \"other.cpp\"\n" + kMultiply),
      work("in an argument of ASSERT", 2, begin, "ASSERT((v = v * 1.0001f + 0.5f) == v);", end),
      work("in a default argument", 2, begin, "v = later(v);", end,
           "__aicore__ inline float twice(float v) { return v * 1.0001f + 0.5f; }\n__aicore__ inline float later(float "
           "v, "
           "float w = twice(1.0f)) { return twice(v) + w; }\n"),
      work("by the kernel's text included by a header's path", 16, begin, step, end,
           "#include \"kgnpu/../../../work/kernel.cpp\"\n" + kMultiply),
  };
}

std::vector<Work> speculation() {
  const std::string vectors =
      kTop +
      "typedef float V __attribute__((ext_vector_type(64)));\ntypedef int I __attribute__((ext_vector_type(64)));\n"
      "template <typename T> static __attribute__((noinline)) __aicore__ void use(T* v) { volatile char* p = (volatile "
      "char*)v; "
      "p[GetBlockIdx() & 63] = p[5]; }\n";
  return {
      work("a product under a condition", 1, "float v = seed;", "if (r & seed) v = v * 1.0001f;", "keep = v;"),
      work("lanes under a condition", 32, "V v; use(&v); V w = v;", "if (r & seed) w = w * 1.5f;", "v = w; use(&v);",
           vectors),
      work("lanes of whole numbers under a condition", 32, "I v; use(&v); I w = v;", "if (r & seed) w = w + r;",
           "v = w; use(&v);", vectors),
      work("lanes that change places", 16, "I v; use(&v); I w = v;",
           "w = __builtin_shufflevector(w, w, "
           "1,0,3,2,5,4,7,6,9,8,11,10,13,12,15,14,17,16,19,18,21,20,23,22,25,24,27,26,29,28,31,30,33,32,35,"
           "34,37,36,39,38,41,40,43,42,45,44,47,46,49,48,51,50,53,52,55,54,57,56,59,58,61,60,63,62) + r;",
           "v = w; use(&v);", vectors),
      work("the largest of lanes by a builtin", 32, "I v; use(&v); I w = v; int s = 0;",
           "s += __builtin_reduce_max(w); w.x = s;", "keep = s;", vectors),
      work("lanes taken by a number", 1, "I v; use(&v); I w = v; int s = 0;", "s += w[s & 63];", "keep = s;", vectors),
      work("lanes put by a number", 1, "I v; use(&v); I w = v;", "w[(r * seed) & 63] = r;", "v = w; use(&v);", vectors),
      work("lanes chosen by one condition", 16, "V v, u; use(&v); use(&u); V w = v, x2 = u;",
           "V t2 = (r & seed) ? w : x2; x2 = w; w = t2 + 1.0f;", "v = w; u = x2; use(&v); use(&u);", vectors),
      work("sums by addresses", 2, "uint64_t s = seed, q = seed + 1;",
           "s = (uint64_t)&((char*)s)[q]; q = (uint64_t)&((int*)q)[s];", "keep = (float)(int)(s + q);"),
      work("a jump by a table", 2, "int s = seed; static const int add[4] = {1, 2, 3, 4};",
           "switch (s & 3) { case 0: s += add[1]; break; case 1: s ^= 7; break; "
           "case 2: s = s * 3; break; default: s -= add[s & 3]; }",
           "keep = s;"),
  };
}

std::vector<Work> helpers() {
  return {
      work("casts to bfloat16 and back", 4, "float v = seed;",
           "v = ToFloat(ToBfloat16(v + 1.0f)); v = ToFloat(ToBfloat16(v + 2.0f));", "keep = v;"),
      work("quotients by a call for lengths", 12, "uint32_t v = seed;",
           "v = DivCeil(v + 77777u, seed + 3u); v = AlignUp(v, seed + 5u); v = Ceil(v + 99999u, seed + 7u);",
           "keep = (float)(int)v;"),
      work("sums by the places of tensors", 4, "auto u = t;",
           "u = t[(uint32_t)(uint64_t)u.GetPhyAddr() & 1023]; u = t[((uint32_t)(uint64_t)u.GetPhyAddr() >> 2) & 511];",
           "keep = (float)(int)(uint64_t)u.GetPhyAddr();"),
      work("square roots", 2, "float v = seed;", "v = sqrt(sqrt(v + 1.0f) + 1.0f);", "keep = v;"),
      work("counting bits", 8, "uint64_t v = seed;",
           "v += ScalarGetCountOfValue<1>(v) + ScalarCountLeadingZero(v) + ScalarGetSFFValue<0>(v);",
           "keep = (float)(int)v;"),
      work("rounding by a call", 4, "float v = seed;",
           "v += ScalarCast<float, int32_t, RoundMode::CAST_RINT>(v * 0.5f);", "keep = v;"),
      work("copies of the stack by a builtin", 32, "int from2[64] = {seed}, to2[64] = {0};",
           "__builtin_memcpy(to2, from2, 256); from2[r & 63] = to2[(r + 1) & 63];", "keep = to2[seed];"),
      work("reading the tiling again and again", 32, "int room[64];",
           "kgnpu_read_tiling(room, 256, (uint64_t)x, \"Room\", 1, 0); keep = room[r & 63];", ""),
  };
}

}  // namespace

std::vector<Work> free_work() {
  std::vector<Work> all = places();
  for (const auto& part : {speculation(), helpers()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace kg::sandbox::testing
