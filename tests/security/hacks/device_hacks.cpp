#include "hack.h"
#include "tests/joined.h"

namespace kg::sandbox::testing {
namespace {

// relu by the first core alone, `load` the number i of x into v, `store` it to number i of z; `attribute` of the
// kernel.
std::string past_the_device(const std::string& before, const std::string& load, const std::string& store,
                            const std::string& attribute = "") {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\n" + before + "\nextern \"C\" __global__ " +
         attribute +
         " __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {\n  if (GetBlockIdx() != 0) return;\n  const uint64_t from "
         "= (uint64_t)x, to = (uint64_t)z;\n"
         "  for (int i = 0; i < 4096; ++i) { float v; " +
         load + " v = v > 0 ? v : 0; " + store + " }\n}\n";
}

// the processor that emulates the device: none of these is paid for in cycles
std::vector<Hack> pointers_and_instructions() {
  return {
      {"pointers of no address space of the device", relu_task(),
       past_the_device("typedef __attribute__((address_space(77))) float Free;", "v = ((Free*)from)[i];",
                       "((Free*)to)[i] = v;"),
       "address space 77"},
      {"pointers into L1 that lead to global memory", relu_task(),
       past_the_device("typedef __cbuf__ float Free;", "v = ((Free*)from)[i];", "((Free*)to)[i] = v;"),
       "address space 3"},
      {"copies of another address space", identity_task(),
       bare("typedef __attribute__((address_space(77))) char Free; if (GetBlockIdx() == 0) __builtin_memcpy((void*)z, "
            "(const Free*)(uint64_t)x, 16384);"),
       ""},
      {"variables of its thread", relu_task(),
       bare("for (int i = 0; i < 64; ++i) ((volatile __attribute__((address_space(257))) long*)0)[-i] = 0;"),
       "address space 257"},
      {"the processor's masked stores", relu_task(),
       past_the_device(
           "typedef float F4 __attribute__((vector_size(16)));\ntypedef char C16 __attribute__((vector_size(16)));",
           "F4 f = (F4)__builtin_ia32_lddqu((const char*)(from + i * 4)); v = f[0];",
           "f[0] = v; const C16 m = {-1, -1, -1, -1}; __builtin_ia32_maskmovdqu((C16)f, m, (char*)(to + i * 4));",
           "__attribute__((target(\"sse3\")))"),
       "undeclared identifier"},
      {"the processor's registers to memory", relu_task(), bare("__builtin_ia32_fxsave((void*)(uint64_t)z);"),
       "undeclared identifier"},
      {"the processor's rounding", relu_task(), bare("__builtin_ia32_ldmxcsr(0xffff);"), "undeclared identifier"},
  };
}

// names of the toolchain, jumps and calls that lead elsewhere
std::vector<Hack> names_and_jumps() {
  return {
      {"a jump out of the program", relu_task(),
       bare("void* to[5] = {(void*)0x1000, (void*)0x2000, (void*)0x3000, 0, 0}; __builtin_longjmp(to, 1);"), "longjmp"},
      {"a jump into the middle of an instruction", relu_task(),
       bare("void* labels[2] = {&&one, &&two}; void* to = (char*)labels[GetBlockIdx() & 1] + GetBlockNum(); goto "
            "*to;\none: AscendC::printf(\"1\");\ntwo: AscendC::printf(\"2\");"),
       "goto"},
      {"a call into the middle of an instruction", relu_task(),
       bare("void (*to)(int) = GetBlockIdx() & 1 ? one : two; to = (void (*)(int))((char*)to + GetBlockNum()); to(3);",
            "static __attribute__((noinline)) __aicore__ void one(int n) { AscendC::printf(\"%d\", n); }\nstatic "
            "__attribute__((noinline)) __aicore__ void two(int n) { AscendC::printf(\"%d\", -n); }\n"),
       ""},
      {"reads past a constant table", relu_task(),
       bare("long sum = 0; for (long i = 0; i < 4096; ++i) sum += table[i * GetBlockNum()]; AscendC::printf(\"%ld\", "
            "sum);",
            "constexpr __attribute__((device)) long table[4] = {1, 2, 3, 4};\n"),
       "of a variable that has 32"},
      {"a variable with the toolchain's name in it", relu_task(),
       bare("my_kgnpu_count = my_kgnpu_count + 1;", "__attribute__((device)) volatile int my_kgnpu_count;\n"),
       "my_kgnpu_count"},
      {"a variable named as a guard", relu_task(),
       bare("_ZGVcount = _ZGVcount + 1;", "__attribute__((device)) volatile int _ZGVcount;\n"), "_ZGVcount"},
      {"functions of the host side by their mangled names", relu_task(),
       bare("void* node[8] = {}; _ZN10kgnpu_host4NodeD0Ev(node);",
            "extern \"C\" __aicore__ void _ZN10kgnpu_host4NodeD0Ev(void*);\n"),
       "kgnpu_host"},
      {"its text in the name of the toolchain", relu_task(),
       bare("/* not */ #  line 7 \"/k\\x67npu/free.h\"\nfloat s = 0; for (int i = 0; i < 100; ++i) s += i;"), "#line"},
      {"wide integers that hold many numbers", relu_task(),
       bare("_BitInt(8192) sum = GetBlockNum(); for (int i = 0; i < 30000; ++i) sum = sum * sum + i; "
            "AscendC::printf(\"%d\", (int)sum);"),
       ""},
  };
}

// the stack that return addresses are on
std::vector<Hack> stack() {
  return {
      {"a return address of its own", relu_task(),
       bare("smash(GetBlockNum() + 8, (long)(uint64_t)&gadget);",
            "static __attribute__((noinline)) __aicore__ void smash(long n, long target) {\n  long here[4];\n  const "
            "uint64_t at = (uint64_t)&here[0];\n"
            "  for (long i = 0; i < n; ++i) ((volatile long*)(at + 8 * i))[0] = target;\n}\nstatic "
            "__attribute__((noinline)) __aicore__ void gadget() { AscendC::printf(\"here\"); }\n"),
       ""},
      {"a look at return addresses", relu_task(),
       bare("volatile long* f = (volatile long*)__builtin_frame_address(0); for (int i = 0; i < 4; ++i) "
            "AscendC::printf(\"%lx\", f[i]);"),
       ""},
      {"a frame that leaps over everything", relu_task(),
       bare("char big[1 << 28]; for (int i = 0; i < 9; ++i) big[i] = i * GetBlockNum(); AscendC::printf(\"%d\", "
            "big[GetBlockNum()]);"),
       "outside the core's own variables"},
      {"memory of variable size on the stack", relu_task(),
       bare("volatile char* p = (volatile char*)__builtin_alloca(GetBlockNum() * 1000000000L); p[0] = 1;"),
       "variable size"},
      {"calls that go down for ever", relu_task(),
       bare("F f = hop; volatile F v = f; f = v; down(&f, 100000);",
            "typedef void (*F)(void*, int);\nstatic __attribute__((noinline)) __aicore__ void down(F* f, int n) {\n  "
            "char room[200000];\n  F g = *f;\n  if (n > 0) g(f, n - 1);\n"
            "  room[GetBlockNum()] = n;\n  AscendC::printf(\"%d\", room[n & 7]);\n}\nstatic __aicore__ void hop(void* "
            "f, int n) { down((F*)f, n); }\n"),
       "below its stack"},
      {"structures by value that leap over everything", relu_task(),
       bare("Big b; for (int i = 0; i < 100000; ++i) b.v[i] = i * GetBlockNum(); AscendC::printf(\"%d\", take(b, b, b, "
            "b, b, GetBlockNum()));",
            "struct Big { char v[100000]; };\nstatic __attribute__((noinline)) __aicore__ int take(Big a, Big b, Big "
            "c, Big d, Big e, int i) { return a.v[i & 63] + e.v[i]; }\n"),
       ""},
      {"the launcher's memory by value", relu_task(),
       bare("AscendC::printf(\"%f\", take(*(const Big*)(0x555555554000 + GetBlockNum()), GetBlockNum()));",
            "struct Big { float v[64]; };\nstatic __attribute__((noinline)) __aicore__ float take(Big b, int i) { "
            "return b.v[i & 63]; }\n"),
       "a load through a pointer outside"},
  };
}

// sections: of the linker, of the loader, of the toolchain
std::vector<Hack> sections() {
  return {
      {"relocations of its own", relu_task(),
       bare("",
            "__attribute__((device, used, section(\".rela.data\"))) static const unsigned long r[3] = {0x10, 37, "
            "0x1000};\n"),
       "in its own section, '.rela.data'"},
      {"entries for the loader", relu_task(),
       bare("",
            "__attribute__((device, used, section(\".dynamic\"))) static const unsigned long r[2] = {12, 0x1000};\n"),
       ""},
      {"addresses for the loader", relu_task(),
       bare("", "__attribute__((device, used, section(\".got\"))) static const unsigned long r[4] = {1, 2, 3, 4};\n"),
       ".got"},
      {"a library for the linker", relu_task(), bare("", "#pragma comment(lib, \"c\")\n"), ""},
      {"a variable among the toolchain's", relu_task(),
       bare("count.n = count.n + 1;",
            "static __aicore__ void f(const void*) {}\nstruct Count { void (*call)(const void*); unsigned long n; "
            "};\n__attribute__((device, used, section(\"kgnpu_launches\"))) Count count = {f, 0};\n"),
       "a store to a constant"},
      {"a constant that changes", relu_task(),
       bare("((Count&)count).n = GetBlockIdx() + 1;",
            "static __aicore__ void f(const void*) {}\nstruct Count { void (*call)(const void*); volatile unsigned "
            "long n; };\n__attribute__((device, used, section(\"kgnpu_launches\"))) const Count count = {f, 0};\n"),
       "a store to a constant"},
      {"a variable among constants", relu_task(),
       bare("count = count + 1;", "__attribute__((device, used, section(\".data.rel.ro.count\"))) int count = 3;\n"),
       "a store to a constant"},
  };
}

// memory of the launcher, through calls that take pointers
std::vector<Hack> memory_of_the_launcher() {
  return {
      {"a printf that writes", relu_task(),
       bare("int n = 0; AscendC::printf(\"%100d%n\", 1, (int*)0x555555560000); AscendC::printf(\"%d\", n);"),
       "conversion %n"},
      {"a printf of the launcher's memory", relu_task(), bare("AscendC::printf(\"%s\", (const char*)0x555555554000);"),
       "a string that reaches outside"},
      {"a queue in the launcher's memory", relu_task(),
       bare("TPipe pipe; auto& queue = *(TQue<QuePosition::VECIN, 1>*)(uint64_t)(0x555555560000 + GetBlockNum()); "
            "pipe.InitBuffer(queue, 1, 256);"),
       "not a variable of the kernel"},
      {"a tensor in global memory", relu_task(),
       bare("TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 16384); auto& l = *(LocalTensor<float>*)(uint64_t)z; Relu(l, "
            "buf.Get<float>(), 64);"),
       ""},
  };
}

}  // namespace

std::vector<Hack> device_hacks() {
  return kg::testing::joined(
      {pointers_and_instructions(), names_and_jumps(), stack(), sections(), memory_of_the_launcher()});
}

}  // namespace kg::sandbox::testing
