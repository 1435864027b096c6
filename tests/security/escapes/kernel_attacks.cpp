#include "attack.h"
#include "tests/joined.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {
namespace {

Attack in_kernel(const char* name, const char* body, End end, const char* words, const std::string& before = "") {
  return {name, kernel(body, before), end, words};
}

constexpr const char* kPaste = "#define JOIN2(a, b) a##b\n#define JOIN(a, b) JOIN2(a, b)\n";

// functions of the host
std::vector<Attack> functions_of_the_host() {
  return {
      in_kernel("declares a function of the C library", "socket(2, 1, 0);", End::kNoCompile, "socket",
                "extern \"C\" __aicore__ int socket(int, int, int);\n"),
      in_kernel("a weak function of the C library", "if (&system) system(\"id\");", End::kNoCompile, "system",
                "extern \"C\" __attribute__((weak)) __aicore__ int system(const char*);\n"),
      in_kernel("a distance from a function of the C library", "((int (*)())((char*)&memmove + 4096))();",
                End::kNoCompile, "memmove",
                "extern \"C\" __aicore__ void* memmove(void*, const void*, unsigned long);\n"),
      in_kernel("memmove behind the device's back", "memmove(z, x, 64);", End::kNoCompile, "memmove",
                "extern \"C\" __aicore__ void* memmove(void*, const void*, unsigned long);\n"),
      in_kernel("memcpy under another type",
                "((void (*)(unsigned long, unsigned long, long))&memcpy)((unsigned long)z, (unsigned long)x, 64);",
                End::kNoCompile, "memcpy",
                "extern \"C\" __aicore__ void* memcpy(void*, const void*, unsigned long);\n"),
      in_kernel("an address written as a number", "((void (*)())0x401000)();", End::kStopped,
                "not one of the kernel's functions"),
      in_kernel("an address from the tensors", "((void (*)())x)();", End::kStopped,
                "not one of the kernel's functions"),
      in_kernel("its own stack as code", "volatile unsigned char code[16] = {0x0f, 0x05, 0xc3}; ((void (*)())code)();",
                End::kStopped, "not one of the kernel's functions"),
      in_kernel("assembler", "asm(\"syscall\");", End::kNoCompile, "assembler"),
      in_kernel("assembler spelled otherwise", "__asm__ volatile(\"syscall\");", End::kNoCompile, "assembler"),
      in_kernel("assembler from pieces", "JOIN(as, m)(\"syscall\");", End::kHarmless, "", kPaste),
      in_kernel("name of the runtime", "kgnpu_launch(1, nullptr, nullptr, 0);", End::kNoCompile, "kgnpu_launch"),
      in_kernel("name of the runtime from pieces",
                "JOIN(kgnpu_pointer_, load)((unsigned long)x, 1, (void*)0x1000, 8, 0);", End::kNoCompile, "",
                std::string(kPaste) +
                    "extern \"C\" void JOIN(kgnpu_pointer_, load)(unsigned long, int, void*, unsigned long, int);\n"),
      in_kernel("name of the runtime from many pieces", "RT;", End::kNoCompile, "",
                std::string(kPaste) + "#define RT JOIN(kg, JOIN(npu_, own_stack))[0] = 0\nextern \"C\" unsigned long "
                                      "JOIN(kg, JOIN(npu_, own_stack))[2];\n"),
      in_kernel("another name in the object", "hidden(1, x, 64);", End::kNoCompile, "",
                "extern \"C\" __aicore__ long hidden(int, void*, unsigned long) __asm__(\"write\");\n"),
      in_kernel(
          "another name by pragma", "hidden(1, x, 64);", End::kNoCompile, "",
          "#pragma redefine_extname hidden write\nextern \"C\" __aicore__ long hidden(int, void*, unsigned long);\n"),
      in_kernel("another name by _Pragma", "hidden(z, x, 64);", End::kNoCompile, "",
                "_Pragma(\"redefine_extname hidden memmove\")\nextern \"C\" __aicore__ void* hidden(void*, const "
                "void*, unsigned long);\n"),
      in_kernel("alias of the runtime", "", End::kNoCompile, "",
                "extern \"C\" __aicore__ void other() __attribute__((alias(\"write\")));\n"),
  };
}

// code before or after the kernel
std::vector<Attack> code_around_the_kernel() {
  return {
      in_kernel("constructor function", "", End::kNoCompile, "before the kernel",
                "__attribute__((constructor)) __aicore__ void early() { __builtin_trap(); }\n"),
      in_kernel("destructor function", "", End::kNoCompile, "before the kernel",
                "__attribute__((destructor)) __aicore__ void late() {}\n"),
      in_kernel("constructors by the heap", "", End::kNoCompile, "",
                "#pragma clang attribute push(__attribute__((constructor)), apply_to = function)\n__aicore__ void "
                "early() { __builtin_trap(); }\n#pragma clang attribute pop\n"),
      in_kernel("static object with a constructor", "", End::kNoCompile, "",
                "struct Early { __aicore__ Early() { n = 1; } int n; };\nstatic Early early;\n"),
      in_kernel(
          "resolver that the loader calls", "go();", End::kNoCompile, "",
          "extern \"C\" __aicore__ void body() {}\nextern \"C\" __aicore__ void* resolve() { return (void*)&body; }\n"
          "extern \"C\" __aicore__ void go() __attribute__((ifunc(\"resolve\")));\n"),
      in_kernel("_init", "", End::kNoCompile, "before the kernel",
                "extern \"C\" __attribute__((used, visibility(\"default\"))) __aicore__ void _init() {}\n"),
      in_kernel("_fini", "", End::kNoCompile, "before the kernel",
                "extern \"C\" __attribute__((used)) __aicore__ void _fini() {}\n"),
      in_kernel("section of constructors", "", End::kNoCompile, "before the kernel",
                "__aicore__ void early() { __builtin_trap(); }\n__attribute__((section(\".init_array\"), used)) static "
                "__aicore__ void (*const kEarly)() = &early;\n"),
      in_kernel("section of early constructors", "", End::kNoCompile, "",
                "__aicore__ void early() { __builtin_trap(); }\n__attribute__((section(\".preinit_array\"), used)) "
                "static __aicore__ void (*const kEarly)() = &early;\n"),
      in_kernel("section of start-up code", "early();", End::kHarmless, "",
                "__attribute__((section(\".init\"), used)) __aicore__ void early() { __builtin_trap(); }\n"),
      in_kernel("library to link", "", End::kHarmless, "",
                "#pragma comment(lib, \"/usr/lib/x86_64-linux-gnu/libc.so.6\")\n"),
      in_kernel("linker options", "", End::kHarmless, "", "#pragma comment(linker, \"--init=probe\")\n"),
      in_kernel(
          "another launcher", "", End::kHarmless, "",
          "extern \"C\" __attribute__((used, visibility(\"default\"))) __aicore__ int kgtrain_entry() { return 0; }\n"),
  };
}

// what outlives a call
std::vector<Attack> what_outlives_a_call() {
  return {
      in_kernel("static variable", "count = count + 1;", End::kNoCompile, "variable", "static volatile int count;\n"),
      in_kernel("variable of a function", "static volatile int count; count = count + 1;", End::kNoCompile,
                "outlives the call"),
      in_kernel("thread-local variable", "count = count + 1;", End::kNoCompile, "variable",
                "thread_local volatile int count;\n"),
      in_kernel("writable section of constants", "*(volatile int*)&kTable = 7;", End::kHarmless, "",
                "__attribute__((section(\".data\"))) const int kTable = 3;\n"),
      in_kernel("virtual functions", "Derived d; Base* b = &d; b->f();", End::kNoCompile, "virtual",
                "struct Base { __aicore__ virtual void f() {} };\nstruct Derived : Base { __aicore__ void f() override "
                "{} };\n"),
      in_kernel("exceptions", "throw 1;", End::kNoCompile, "throw"),
      in_kernel("operator new", "int* p = new int[1000]; *p = 1;", End::kNoCompile, "new"),
  };
}

// memory of the process
std::vector<Attack> memory_of_the_process() {
  return {
      in_kernel("null pointer", "*(volatile int*)nullptr = 1;", End::kStopped, ""),
      in_kernel("wild store", "*(volatile int*)0x7ffff7dd0000 = 1;", End::kStopped, "outside the core's own variables"),
      in_kernel("wild load", "*(volatile int*)(x + 8) = *(volatile int*)0x7ffff7dd0000;", End::kStopped,
                "outside the core's own variables"),
      in_kernel("store into its own code", "*(volatile char*)(void*)&other = 0x90;", End::kStopped,
                "a store to a constant or to code", "__attribute__((noinline)) __aicore__ void other() {}\n"),
      in_kernel("beyond a variable", "volatile int here[4]; volatile int at = 100000; here[at] = 1;", End::kStopped,
                "of a variable that has"),
      in_kernel("before the stack",
                "volatile char* p = (volatile char*)__builtin_frame_address(0); for (long i = 0; i < 1l << 40; i += "
                "4096) p[-i] = 1;",
                End::kStopped, ""),
      in_kernel("behind the stack",
                "volatile char* p = (volatile char*)__builtin_frame_address(0); for (long i = 0; i < 1l << 40; i += "
                "4096) p[i] = 1;",
                End::kStopped, ""),
      in_kernel("overwrites what it returns to",
                "volatile long* p = (volatile long*)__builtin_frame_address(0); for (int i = 0; i < 16; ++i) p[i] = "
                "0x41414141;",
                End::kStopped, ""),
      in_kernel("a frame larger than the stack",
                "volatile char much[1 << 28]; for (int i = 0; i < 1 << 28; i += 4096) much[i] = 1;", End::kStopped,
                "outside the core's own variables"),
      in_kernel("before a tensor",
                "GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float*)z, 16); g.SetValue((uint64_t)-100000, 1.0f);",
                End::kStopped, "", "using namespace AscendC;\n"),
      in_kernel("behind a tensor",
                "GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float*)z, 1 << 30); g.SetValue(1 << 28, 1.0f);",
                End::kStopped, "", "using namespace AscendC;\n"),
      in_kernel("a tensor at a number",
                "GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float*)0x7ffff7dd0000, 16); g.SetValue(0, 1.0f);",
                End::kStopped, "", "using namespace AscendC;\n"),
      in_kernel("copies over the end of UB",
                "TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 1024); GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ "
                "float*)x, 1 << 20); auto t = buf.Get<float>(); DataCopy(t, g, 1 << 18);",
                End::kStopped, "", "using namespace AscendC;\n"),
      in_kernel("UB by a wild pointer", "*(__ubuf__ volatile int*)0x10000000 = 1;", End::kStopped, "outside UB"),
  };
}

// time and output
std::vector<Attack> time_and_output() {
  return {
      in_kernel("loops for ever", "for (volatile int i = 0;;) i = i + 1;", End::kStopped, "time limit"),
      in_kernel("waits for a flag that nobody sets", "AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);", End::kStopped,
                ""),
      in_kernel("recursion without end", "z[0] = (unsigned char)deep(1, (void*)&deep);", End::kStopped, "",
                "__attribute__((noinline)) __aicore__ int deep(int n, void* self) { volatile int here[1000]; here[n % "
                "1000] = n; "
                "return ((int (*)(int, void*))self)(n + 1, self) + here[n % 7]; }\n"),
      in_kernel("prints from the device for ever", "for (int i = 0;; ++i) AscendC::printf(\"for ever %d\\n\", i);",
                End::kStopped, "limit"),
      in_kernel("divides by zero", "volatile int zero = 0, some = 5; z[0] = (unsigned char)(some / zero);",
                End::kHarmless, ""),
      in_kernel("traps", "__builtin_trap();", End::kStopped, ""),
      in_kernel("jumps out of its function", "void* place[5]; __builtin_longjmp(place, 1);", End::kHarmless, ""),
  };
}

}  // namespace

const std::vector<Attack>& kernel_attacks() {
  static const std::vector<Attack> attacks =
      kg::testing::joined({functions_of_the_host(), code_around_the_kernel(), what_outlives_a_call(),
                           memory_of_the_process(), time_and_output()});
  return attacks;
}

}  // namespace kg::sandbox::testing
