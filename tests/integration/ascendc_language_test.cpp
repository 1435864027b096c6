// The device's language: what of C++ it lacks is refused with what was found and what to do, the rest is accepted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

using ::testing::HasSubstr;

// The declarations stand on line 3, the kernel's body on line 5; `out` is integers in GM, `r` a number that is not
// constant.
std::string kernel(const std::string& declarations, const std::string& body) {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\n" + declarations +
         "\nextern \"C\" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y) { __gm__ int* out = (__gm__ int*)y; int r "
         "= "
         "((__gm__ int*)x)[0];\n" +
         body + "\n}\n";
}

struct Refused {
  const char* name;
  const char* declarations;
  const char* body;
  const char* message;  // found in the output
};
class Language : public ::testing::TestWithParam<Refused> {};

TEST_P(Language, IsRefused) {
  const auto compiled = compile_kernel(kernel(GetParam().declarations, GetParam().body), "k");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Language,
    ::testing::Values(
        // host and device
        Refused{"HostFunction", "int twice(int a) { return 2 * a; }", "out[0] = twice(r);", "'twice'"},
        Refused{"HostMember", "struct S { int v; int get() { return v; } };", "S s{r}; out[0] = s.get();",
                "__host__ function 'get'"},
        Refused{"HostTemplate", "template <typename T> T twice(T a) { return a + a; }", "out[0] = twice(r);",
                "'twice'"},
        Refused{"HostConstructor", "struct S { int v; S(int a) : v(a) {} };", "S s(r); out[0] = s.v;", "'S'"},
        Refused{"CastOfBfloat16", "",
                "bfloat16_t one = AscendC::ToBfloat16((float)r); out[0] = (int)static_cast<float>(one);",
                "use ToFloat"},
        Refused{"HostVariable", "int counter = 0;", "counter += r; out[0] = counter;", "__host__ variable 'counter'"},
        Refused{"Memcpy", "#include <string.h>", "int a[4]; memcpy(a, &r, 4); out[0] = a[0];", "'memcpy'"},
        Refused{"Malloc", "#include <stdlib.h>", "int* p = (int*)malloc(4); out[0] = *p;", "'malloc'"},
        Refused{"Printf", "#include <stdio.h>", "::printf(\"%d\", r);", "'printf'"},
        Refused{"File", "#include <cstdio>", "FILE* f = fopen(\"a\", \"r\"); out[0] = f != nullptr;", "'fopen'"},
        Refused{"Exponential", "#include <cmath>", "out[0] = std::exp((float)r);",
                "'expf' is called but nothing defines it"},
        Refused{"System", "#include <cstdlib>", "out[0] = system(\"true\");", "'system'"},
        // the standard library
        Refused{"Vector", "#include <vector>", "std::vector<int> v(r); out[0] = v[0];", "'std::vector<int>'"},
        Refused{"String", "#include <string>", "std::string s(\"a\"); out[0] = s.size();", "std::string"},
        Refused{"Map", "#include <map>", "std::map<int, int> m; out[0] = m.size();", "std::map<int, int>"},
        Refused{"Stream", "#include <iostream>", "std::cout << r;", "cout"},
        Refused{"Function", "#include <functional>",
                "std::function<int(int)> f = [](int a) { return a; }; out[0] = f(r);", "std::function<int (int)>"},
        Refused{"Minimum", "", "out[0] = std::min(r, 3);", "the device has no std::min"},
        Refused{"MaximumWithHeader", "#include <algorithm>", "out[0] = std::max(r, 3);", "the device has no std::max"},
        Refused{"Sort", "#include <algorithm>", "int a[3] = {r, 2, 1}; std::sort(a, a + 3); out[0] = a[0];", "'sort'"},
        // what needs a run-time system
        Refused{"New", "", "int* p = new int(r); out[0] = *p; delete p;", "the device has no heap"},
        Refused{"NewArray", "", "int* p = new int[4]; p[0] = r; out[0] = p[0]; delete[] p;", "the device has no heap"},
        Refused{"Throw", "", "if (r > 3) throw r;", "'throw'"},
        Refused{"Try", "", "try { out[0] = r; } catch (...) { }", "'try'"},
        Refused{"TypeId", "#include <typeinfo>", "out[0] = typeid(r) == typeid(int);", "typeid"},
        Refused{"DynamicCast", "struct A { virtual __aicore__ ~A() {} }; struct B : A {};",
                "A* a = nullptr; out[0] = dynamic_cast<B*>(a) != nullptr;", "dynamic_cast"},
        Refused{"VirtualFunction", "struct A { __aicore__ A() {} __aicore__ virtual int f() { return 1; } };",
                "A a; A* p = &a; out[0] = p->f();", "'A' has no out-of-line virtual"},
        Refused{"Recursion", "__aicore__ int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }", "out[0] = fact(r);",
                "kernel.cpp:3: error: recursion, which the device does not have: 'fact(int)' calls itself"},
        Refused{"StaticRecursion", "static __aicore__ int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }",
                "out[0] = fact(r);", "'fact(int)' calls itself"},
        Refused{"TailRecursion", "__aicore__ int sum(int n, int s) { return n == 0 ? s : sum(n - 1, s + n); }",
                "out[0] = sum(r, 0);", "'sum(int, int)' calls itself"},
        Refused{"MutualRecursion",
                "__aicore__ int odd(int n); __aicore__ int even(int n) { return n == 0 ? 1 : odd(n - 1); } "
                "__aicore__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }",
                "out[0] = even(r);", "recursion, which the device does not have"},
        Refused{"MemberRecursion",
                "struct S { int v; __aicore__ int f(int n) { return n < 2 ? v : f(n - 1) + f(n - 2); } };",
                "S s{r}; out[0] = s.f(r);", "'S::f(int)' calls itself"},
        Refused{"StaticVariable", "", "static int calls = 0; calls += r; out[0] = calls;",
                "kernel.cpp:5: error: 'k::calls' is a variable that outlives the call"},
        Refused{"ThreadLocal", "", "thread_local int calls = 0; calls += r; out[0] = calls;", "outlives the call"},
        Refused{"Undefined", "__aicore__ int later(int a);", "out[0] = later(r);",
                "kernel.cpp:3: error: 'later(int)' is called but nothing defines it"},
        Refused{"VariableLengthArray", "", "int a[r]; a[0] = 1; out[0] = a[r - 1];", "variable length array"},
        Refused{"InlineAssembler", "", "asm volatile(\"nop\"); out[0] = r;", "poisoned"},
        Refused{"InlineAssemblerGnu", "", "__asm__ volatile(\"nop\"); out[0] = r;", "assembler does not exist"},
        // the insides of the emulator
        Refused{"RuntimeFunction", "", "kgnpu_barrier(1, 2);", "poisoned"},
        Refused{"RuntimeDeclared", "extern \"C\" __aicore__ void kgnpu_barrier(int, int);", "kgnpu_barrier(1, 2);",
                "poisoned"},
        Refused{"RuntimePasted", "#define P(a, b) a##b", "P(kgnpu_, barrier)(1, 2);",
                "a name that belongs to the toolchain"},
        Refused{"RuntimePastedTwice", "#define P(a, b) a##b\n#define Q(a, b) P(a, b)", "Q(kgnpu, _barrier)(1, 2);",
                "a name that belongs to the toolchain"},
        Refused{"RuntimeNamespace", "", "::kgnpu::VectorCall c; out[0] = c.count;", "poisoned"},
        Refused{"RuntimeMember", "", "LocalTensor<float> t; t.kg_view.address = 3;", "poisoned"},
        Refused{"RuntimeMacro", "__aicore__ inline void f(KG_WHERE) {}", "f();", "poisoned"},
        Refused{"AssemblerName", "__aicore__ void f(int, int) asm(\"kgnpu_barrier\");", "f(1, 2);", "poisoned"},
        Refused{"AssemblerNameGnu", "__aicore__ void f(int, int) __asm__(\"kgnpu_barrier\");", "f(1, 2);",
                "assembler does not exist"},
        Refused{"AssemblerNamePasted",
                "#define P(a, b) a##b\n__aicore__ void f(int, int) P(__as, m__)(\"kgnpu_barrier\");", "f(1, 2);",
                "'f(int, int)' is called but nothing defines it"},
        Refused{"WeakReference", "static __aicore__ void f(int, int) __attribute__((weakref(\"kgnpu_barrier\")));",
                "f(1, 2);", "poisoned"},
        Refused{"NakedFunction", "static __aicore__ __attribute__((naked)) void f() {}", "f();", "poisoned"},
        Refused{"NakedFunctionSpelledInFull", "[[gnu::__naked__]] static __aicore__ void f() {}", "f();", "poisoned"},
        Refused{"RedefinedName", "#pragma redefine_extname f kgnpu_barrier\nextern \"C\" __aicore__ void f(int, int);",
                "f(1, 2);", "poisoned"},
        Refused{"StartUpCode",
                "__aicore__ void early(int, int); __attribute__((constructor)) __aicore__ void f() { early(1, 2); }",
                "out[0] = r;", "code that would run before the kernel"},
        // address spaces
        Refused{"GmToPrivate", "", "int* p = out; p[0] = r;", "'__gm__ int *'"},
        Refused{"PrivateToGm", "", "__gm__ int* p = &r; p[0] = r;", "'__gm__ int *'"},
        Refused{"UbToGm", "__aicore__ void f(__gm__ float* p) { p[0] = 0; }",
                "__ubuf__ float* u = (__ubuf__ float*)(uint64_t)0; f(u);", "'f'"},
        Refused{"GmArgument", "__aicore__ void f(float* p) { p[0] = 0; }", "f((__gm__ float*)x);", "'f'"},
        Refused{"GmReference", "__aicore__ void f(int& v) { v = 0; }", "f(out[0]);", "'f'"},
        Refused{"GmTypes", "", "__gm__ float* p = out; p[0] = r;", "'__gm__ float *'"},
        Refused{"CubeMemories", "",
                "__ca__ half* a = (__ca__ half*)(uint64_t)0; __cb__ half* b = a; out[0] = b == nullptr;",
                "'__cb__ half *'"},
        Refused{"StaticCastOfSpaces", "", "int* p = static_cast<int*>(out); p[0] = r;", "static_cast"},
        Refused{"ReinterpretCastOfSpaces", "", "float* p = reinterpret_cast<float*>(out); p[0] = r;",
                "reinterpret_cast"}),
    [](const auto& info) { return info.param.name; });

// Editors of some systems put one there.
// What one core writes to a __BLOCK_LOCAL__ variable no other sees, and each starts from the initial value.
TEST(LanguageBlockLocal, EachCoreHasItsOwnVariables) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
struct Counts { int32_t odd = 5, even = 0; };
constexpr int32_t kTable[3] = {7, 11, 13};
__BLOCK_LOCAL__ __inline__ uint32_t calls;
__BLOCK_LOCAL__ __inline__ Counts counts;
__BLOCK_LOCAL__ static __inline__ const int32_t* place = kTable + 1;
__BLOCK_LOCAL__ __inline__ __gm__ int32_t* out;
template <typename T> __aicore__ inline void count(T n) {
  ++calls;
  (n % 2 == 0 ? counts.even : counts.odd) += n;
  if (n == 2) ++place;
}
__aicore__ inline void write() { out[0] = calls; out[1] = counts.odd; out[2] = counts.even; out[3] = *place; }
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y) {
  out = (__gm__ int32_t*)y + 16 * GetBlockIdx();
  for (int32_t i = 0; i <= ((__gm__ int32_t*)x)[0] + GetBlockIdx(); ++i) count(i);
  write();
}
)";
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::INT32, {1});
  add_output(run_case, "y", proto::INT32, 48);
  const proto::CaseResult result = run_kernel(source, "k", run_case, {.block_dim = 3});
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "");
  const std::vector<double> y = values_of(result.outputs(0));
  const std::vector<std::vector<double>> wanted = {{2, 6, 0, 11}, {3, 6, 2, 13}, {4, 9, 2, 13}};
  for (std::size_t block = 0; block < 3; ++block)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(y[block * 16 + i], wanted[block][i]) << block << " " << i;
}

TEST(LanguageBlockLocal, TooManyBytesAreRefused) {
  const auto compiled =
      compile_kernel(kernel("__BLOCK_LOCAL__ __inline__ int table[20000];", "table[r] = r; out[0] = table[0];"), "k");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr("the __BLOCK_LOCAL__ variables have 80000 bytes; at most 65536"));
}

TEST(LanguageSource, ASourceThatBeginsWithAByteOrderMarkCompiles) {
  const auto compiled = compile_kernel("\xEF\xBB\xBF" + kernel("", "out[0] = r;"), "k");
  EXPECT_TRUE(compiled.ok) << compiled.messages;
}

struct Accepted {
  const char* name;
  const char* declarations;
  const char* body;
};
class LanguageHas : public ::testing::TestWithParam<Accepted> {};

TEST_P(LanguageHas, IsAccepted) {
  const auto compiled = compile_kernel(kernel(GetParam().declarations, GetParam().body), "k");
  EXPECT_TRUE(compiled.ok) << compiled.messages;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, LanguageHas,
    ::testing::Values(
        Accepted{"StructureInGm", "struct T { uint32_t n; float s[4]; struct { int a; } in; };",
                 "__gm__ T* t = (__gm__ T*)x; out[0] = t->n + t->in.a + (int)t->s[t->n]; t->n = 3; t->s[1] += 2.0f;"},
        Accepted{"GmReference", "template <typename T> __aicore__ inline void put(__gm__ T& p, T v) { p = v; }",
                 "put(out[1], r); __gm__ int& q = out[2]; q = r; auto& z = out[3]; z += q;"},
        Accepted{"GmTemplate", "template <typename T> __aicore__ inline T first(__gm__ T* p) { return p[0]; }",
                 "out[0] = first(out + 1) + int(first((__gm__ half*)x));"},
        Accepted{
            "GmCasts", "",
            "__gm__ float* f = (__gm__ float*)out; f = reinterpret_cast<__gm__ float*>(x); uint64_t a = (uint64_t)f; "
            "__ubuf__ half* u = (__ubuf__ half*)a; u[0] = u[1]; const __gm__ float* c = f; __gm__ void* v = f; "
            "out[0] = c[0] + (v != nullptr); __fbuf__ uint64_t* b = nullptr; __cbuf__ half* l = (__cbuf__ half*)a; "
            "out[1] = b == nullptr && l != nullptr;"},
        Accepted{"HalfIsANumber",
                 "constexpr half kOne = 1; __aicore__ inline half twice(half a) { return 2 * float(a); }",
                 "half a = 0.5, b = r; half c = r > 3 ? a : b; float f = r > 3 ? a : 1.0f; a = (float)a * b + kOne; "
                 "int i = a; "
                 "__gm__ half* h = (__gm__ half*)x; h[0] = twice(h[1]); h[3] = f; bool t = a < b && !c; "
                 "out[0] = i + t; switch (r) { case 1: a = -a; break; default: break; }"},
        Accepted{"Lambda", "",
                 "auto add = [&](int z) { out[z] = r; }; add(3); auto twice = [](auto v) { return v + v; }; "
                 "out[0] = twice(r);"},
        Accepted{"ConstantTables", "constexpr float kTable[4] = {1, 2, 3, 4}; const int kConst[3] = {1, 2, 3};",
                 "out[0] = (int)kTable[r & 3] + kConst[r & 1]; static constexpr int kLocal = 4; out[1] = kLocal; "
                 "constexpr int32_t kList[2] = {1, 2}; out[2] = kList[r & 1];"},
        Accepted{"ConstantFunction", "constexpr int twice(int a) { return 2 * a; }",
                 "out[0] = twice(r); int a[twice(2)]; a[0] = r; "
                 "out[1] = a[0];"},
        Accepted{"TypeTraits", "#include <type_traits>\n#include <cstdint>\n#include <utility>",
                 "if constexpr (std::is_same_v<int, int32_t>) out[0] = r; std::conditional_t<true, int, float> v = r; "
                 "out[1] = std::numeric_limits<int>::max() + std::move(v);"},
        Accepted{"HostHeadersUnused",
                 "#include <vector>\n#include <string>\n#include <algorithm>\n#include <cmath>\n#include "
                 "<stdio.h>\n#include "
                 "<iostream>\n#include <map>\n#include <float.h>\n#include <limits.h>\n#include <stddef.h>",
                 "out[0] = r + INT_MAX; float m = FLT_MAX; out[1] = m > r;"},
        Accepted{"HostFunctionUnused",
                 "#include <vector>\nint host() { std::vector<int> v(3); return v[0] + *new int(3); }", "out[0] = r;"},
        Accepted{"Templates",
                 "template <int n> struct Total { static constexpr int value = n + Total<n - 1>::value; }; template <> "
                 "struct Total<0> "
                 "{ static constexpr int value = 0; }; template <typename... T> __aicore__ inline int all(T... t) { "
                 "return (t + "
                 "...); } template <int n> __aicore__ inline int down() { if constexpr (n == 0) return 0; else return "
                 "n + down<n - "
                 "1>(); }",
                 "out[0] = Total<4>::value + all(r, 2, 3) + down<5>();"},
        Accepted{"DesignatedInitialisers", "struct Shape { uint32_t rows = 1, columns = 2; };",
                 "Shape p = {.rows = 3, .columns = (uint32_t)r}; out[0] = p.rows + p.columns;"},
        Accepted{"DerivedClass",
                 "template <typename D> struct Base { __aicore__ int run(int a) { return "
                 "static_cast<D*>(this)->f(a); } }; struct Derived : Base<Derived> { __aicore__ int f(int a) { return "
                 "a + 1; } };",
                 "Derived d; out[0] = d.run(r);"},
        Accepted{"LiteralAttribute", "[aicore] inline int twice(int a) { return 2 * a; }", "out[0] = twice(r);"},
        Accepted{"PrivateArray", "struct P { int a[8]; float f; };",
                 "P p{}; p.a[r & 7] = 1; P q = p; q.a[0] += r; out[0] = q.a[1];"},
        Accepted{"FunctionOverloads",
                 "__aicore__ inline int max(int a, int b) { return a > b ? a : b; } __aicore__ inline float "
                 "max(float a, float b) { return a > b ? a : b; }",
                 "out[0] = max(r, 3) + max(1.0f, 2.0f);"},
        Accepted{"Assertion", "", "ASSERT(r > 0); ASSERT(x != y && \"text\"); AscendC::printf(\"%d\\n\", r);"},
        Accepted{"CastOfBfloat16BehindAReturn", "",
                 "if constexpr (sizeof(int) == 4) { out[0] = r; return; }\n"
                 "bfloat16_t one = AscendC::ToBfloat16((float)r); out[0] = (int)static_cast<float>(one);"},
        Accepted{"AssertionBehindAValue", "",
                 "int32_t tiles = r ASSERT(r > 0 && \"text\"); const float part = 2.0f * tiles ASSERT(tiles == r);\n"
                 "if (part > 0) ASSERT(tiles > 0); else ASSERT(false);"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kg::npu::testing
