#include "hack.h"

namespace kg::sandbox::testing {
namespace {

// A source with <<<>>>: `host` is the body of the function that launches, `kernel` that of the kernel.
std::string direct(const std::string& host, const std::string& kernel = "", const std::string& before = "") {
  return "#include \"kernel_operator.h\"\n" + before +
         "using namespace AscendC;\n__global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {" + kernel +
         "}\nextern \"C\" void custom_op_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* z) {\n" + host +
         "\n}\n";
}
constexpr const char* kLaunch = "custom_op<<<blocks, nullptr, stream>>>(x, z);";

const char* const kWholeCopy =
    "if (GetBlockIdx() != 0) return; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 16384); auto l = buf.Get<float>(); "
    "GlobalTensor<float> from, to;\n"
    "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096); DataCopy(l, from, "
    "4096); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);";

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

}  // namespace

std::vector<Hack> process_hacks() {
  const std::string paste = "#define J2(a, b) a##b\n#define J(a, b) J2(a, b)\n";
  return {
      // the host function of a source that launches itself
      {"host function writes the outputs", relu_task(),
       direct(std::string(kLaunch) +
              " for (int i = 0; i < 4096; ++i) ((float*)z)[i] = ((float*)x)[i] > 0 ? ((float*)x)[i] : 0;"),
       ""},
      {"host function writes the outputs first", relu_task(),
       direct("for (int i = 0; i < 4096; ++i) ((float*)z)[i] = 1; " + std::string(kLaunch)), ""},
      {"host function copies the outputs", identity_task(),
       direct(std::string(kLaunch) + " memcpy(z, x, 4096 * 4);", "", "#include <string.h>\n"), ""},
      {"host function reads the inputs", sum_task(),
       direct("float s = 0; for (int i = 0; i < 4096; ++i) s += ((float*)x)[i]; if (s > 0) " + std::string(kLaunch)),
       ""},
      {"host function forges the report", relu_task(),
       direct(std::string(kLaunch) + " for (int i = 3; i < 64; ++i) write(i, \"\\x08\\x01\", 2); _exit(0);", "",
              "#include <unistd.h>\n"),
       "malformed"},
      {"host function forges a launch", relu_task(),
       // LaunchPlan.launches, field 1: kernel, field 1, and block_dim, field 2
       direct("static const char plan[] = \"\\x0a\\x0f\\x0a\\x0bkgnpu_entry\\x10\\x01\"; for (int i = 3; i < 64; ++i) "
              "write(i, plan, sizeof(plan) - 1); _exit(0); " +
                  std::string(kLaunch),
              "", "#include <unistd.h>\n"),
       "does not have"},
      {"host function opens its memory", relu_task(),
       direct("mprotect(z, 16384, 3); for (int i = 0; i < 4096; ++i) ((float*)z)[i] = 1; " + std::string(kLaunch), "",
              "#include <sys/mman.h>\n"),
       ""},
      {"host function calls by number", relu_task(),
       direct("syscall(1, 3, \"\\x08\\x01\", 2); " + std::string(kLaunch), "", "#include <unistd.h>\n"), ""},
      {"host function finds functions by name", relu_task(),
       direct("((int (*)())dlsym(nullptr, \"_exit\"))(); " + std::string(kLaunch), "", "#include <dlfcn.h>\n"),
       "no result"},
      {"host function writes all over its process", relu_task(),
       direct(std::string(kLaunch) + " for (volatile long* p = (volatile long*)&blocks;; ++p) *p = 1;"), "bad access"},
      {"code that the device's compiler does not see", identity_task(),
       direct(kLaunch, "\n#ifndef __CUDA__\nif (GetBlockIdx() == 0) memcpy((void*)z, (void*)x, 16384);\n#endif\n",
              "#include <string.h>\n"),
       ""},
      {"a kernel that the device's compiler does not see", identity_task(),
       direct("other<<<blocks, nullptr, stream>>>(x, z); custom_op<<<blocks, nullptr, stream>>>(x, z);", "",
              "#include <string.h>\n#ifndef __CUDA__\ntemplate <int n> void copy(GM_ADDR x, GM_ADDR z) { "
              "memcpy((void*)z, (void*)x, n); }\n#define other copy<16384>\n#else\n"
              "template <int n> __aicore__ void none(GM_ADDR x, GM_ADDR z) {}\n#define other none<1>\n#endif\n"),
       "does not have"},
      {"an entry among the kernels that are launched", relu_task(),
       direct(kLaunch, "",
              "struct E { void (*call)(const void*); unsigned long bytes; };\n__attribute__((device, used, "
              "section(\"kgnpu_\" \"launches\"))) static const E e = {(void (*)(const void*))0x1000, 0};\n"),
       "kgnpu_launches"},
      {"host object before the launch", relu_task(),
       direct(kLaunch, "", "struct Early { Early() { n = 1; } int n; };\nstatic Early early;\n"), ""},
      {"launches nothing", relu_task(), direct("if (blocks == 77) " + std::string(kLaunch)), "without launching"},
      {"launches no blocks", relu_task(), direct("custom_op<<<0, nullptr, stream>>>(x, z);"), "no blocks"},
      // the process that emulates the device
      {"the runtime's names", relu_task(), bare("kgnpu_own_stack[0] = 0;"), "kgnpu_own_stack"},
      {"the runtime's names from pieces", relu_task(),
       bare("J(kgnpu_, own_stack)[0] = 0;", paste + "extern \"C\" unsigned long J(kgnpu_, own_stack)[2];\n"),
       "puts together"},
      {"copies past the device's clock", identity_task(),
       bare("if (GetBlockIdx() == 0) memmove(z, x, 4096 * 4);",
            "extern \"C\" __aicore__ void* memmove(void*, const void*, unsigned long);\n"),
       "memmove"},
      {"ends the process with success", relu_task(), bare("_exit(0);", "extern \"C\" __aicore__ void _exit(int);\n"),
       "_exit"},
      {"jumps over the checks", relu_task(),
       bare("volatile long* p = (volatile long*)__builtin_frame_address(0); for (int i = 1; i < 32; ++i) p[i] = 0;"),
       ""},
      {"a wild pointer into the launcher", relu_task(), bare("*(volatile long*)0x555555560000 = 0;"),
       "outside the core's own variables"},
      {"an entry of its own", relu_task(),
       bare("", "extern \"C\" __attribute__((visibility(\"default\"))) __aicore__ int kgnpu_entry() { return 0; }\n"),
       "kgnpu_entry"},
      {"no kernel at all", relu_task(),
       "#include \"kernel_operator.h\"\n#define custom_op nothing\nextern \"C\" __global__ __aicore__ void "
       "custom_op(GM_ADDR x, GM_ADDR z) {}\n",
       ""},
      {"another signature", relu_task(),
       "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void custom_op(GM_ADDR z) {}\n",
       "takes 1 parameters"},
      // the processor that emulates the device: none of these is paid for in cycles
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
       "llvm.x86.sse2.maskmov.dqu"},
      {"the processor's registers to memory", relu_task(), bare("__builtin_ia32_fxsave((void*)(uint64_t)z);"),
       "llvm.x86.fxsave"},
      {"the processor's rounding", relu_task(), bare("__builtin_ia32_ldmxcsr(0xffff);"), "llvm.x86.sse.ldmxcsr"},
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
       "leads to no function"},
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
      // the stack that return addresses lie on
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
       "a load through a pointer that leads outside"},
      {"a frame that leaps over everything", relu_task(),
       bare("char big[1 << 28]; for (int i = 0; i < 9; ++i) big[i] = i * GetBlockNum(); AscendC::printf(\"%d\", "
            "big[GetBlockNum()]);"),
       "256 KiB"},
      {"memory of variable size on the stack", relu_task(),
       bare("volatile char* p = (volatile char*)__builtin_alloca(GetBlockNum() * 1000000000L); p[0] = 1;"),
       "variable size"},
      {"the place of its variables", relu_task(),
       bare("__safestack_unsafe_stack_ptr = (void*)0x1000;",
            "extern \"C\" __attribute__((device)) thread_local void* __safestack_unsafe_stack_ptr;\n"),
       "does not exist"},
      {"calls that go down for ever", relu_task(),
       bare("F f = hop; volatile F v = f; f = v; down(&f, 100000);",
            "typedef void (*F)(void*, int);\nstatic __attribute__((noinline)) __aicore__ void down(F* f, int n) {\n  "
            "char room[200000];\n  F g = *f;\n  if (n > 0) g(f, n - 1);\n"
            "  room[GetBlockNum()] = n;\n  AscendC::printf(\"%d\", room[n & 7]);\n}\nstatic __aicore__ void hop(void* "
            "f, int n) { down((F*)f, n); }\n"),
       "stack overflow"},
      {"structures by value that leap over everything", relu_task(),
       bare("Big b; for (int i = 0; i < 100000; ++i) b.v[i] = i * GetBlockNum(); AscendC::printf(\"%d\", take(b, b, b, "
            "b, b, GetBlockNum()));",
            "struct Big { char v[100000]; };\nstatic __attribute__((noinline)) __aicore__ int take(Big a, Big b, Big "
            "c, Big d, Big e, int i) { return a.v[i & 63] + e.v[i]; }\n"),
       "256 KiB"},
      {"the launcher's memory by value", relu_task(),
       bare("AscendC::printf(\"%f\", take(*(const Big*)(0x555555554000 + GetBlockNum()), GetBlockNum()));",
            "struct Big { float v[64]; };\nstatic __attribute__((noinline)) __aicore__ float take(Big b, int i) { "
            "return b.v[i & 63]; }\n"),
       "a load through a pointer that leads outside"},
      // sections: of the linker, of the loader, of the toolchain
      {"relocations of its own", relu_task(),
       bare("",
            "__attribute__((device, used, section(\".rela.data\"))) static const unsigned long r[3] = {0x10, 37, "
            "0x1000};\n"),
       "section of its own, '.rela.data'"},
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
       "a variable in a section"},
      {"a constant that changes", relu_task(),
       bare("((Count&)count).n = GetBlockIdx() + 1;",
            "static __aicore__ void f(const void*) {}\nstruct Count { void (*call)(const void*); volatile unsigned "
            "long n; };\n__attribute__((device, used, section(\"kgnpu_launches\"))) const Count count = {f, 0};\n"),
       "outlives the call"},
      {"a variable among constants", relu_task(),
       bare("count = count + 1;", "__attribute__((device, used, section(\".data.rel.ro.count\"))) int count = 3;\n"),
       "a variable in a section"},
      {"a printf that writes", relu_task(),
       bare("int n = 0; AscendC::printf(\"%100d%n\", 1, (int*)0x555555560000); AscendC::printf(\"%d\", n);"),
       "conversion %n"},
      {"a printf of the launcher's memory", relu_task(), bare("AscendC::printf(\"%s\", (const char*)0x555555554000);"),
       "a text that leads outside"},
      {"a queue in the launcher's memory", relu_task(),
       bare("TPipe pipe; auto& queue = *(TQue<QuePosition::VECIN, 1>*)(uint64_t)(0x555555560000 + GetBlockNum()); "
            "pipe.InitBuffer(queue, 1, 256);"),
       "no variable of the kernel"},
      {"a tensor in global memory", relu_task(),
       bare("TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 16384); auto& l = *(LocalTensor<float>*)(uint64_t)z; Relu(l, "
            "buf.Get<float>(), 64);"),
       ""},
      // the tiling function of a project; kernel and host of a whole operator
      {"tiling computes the operator", relu_task(), "", "gets no values",
       "HostileTilingData data; const gert::Tensor* t = context->GetInputTensor(0); const float* v = "
       "t->GetData<float>(); if (v == nullptr) return ge::GRAPH_FAILED; for (int i = 0; i < 4096; ++i) "
       "data.set_none(v[i] > 0);"},
      {"tiling ends with success", relu_task(), "", "no result", "_exit(0);"},
      {"tiling forges a plan", relu_task(), "", "malformed",
       "for (int i = 3; i < 64; ++i) write(i, \"\\x12\\xff\\xff\", 3); _exit(0);"},
      {"tiling forges a prologue", relu_task(), "", "",
       // HostPlan.prologue, field 3, and can_launch, field 6
       "static const char plan[] = \"\\x12\\x07hostile\\x1a\\x2f#undef __asm\\nextern \\\"C\\\" int f() "
       "__asm(\\\"_exit\\\");\\n\\x30\\x01\"; for (int i = 3; i < 64; ++i) write(i, plan, sizeof(plan) - 1); "
       "_exit(0);"},
      {"tiling for no blocks", relu_task(), "", "", "context->SetBlockDim(0); return ge::GRAPH_SUCCESS;"},
  };
}

std::vector<std::pair<std::string, std::pair<proto::Task, std::string>>> odd_kernels() {
  const proto::Task relu = relu_task(), add = add_task(), sum = sum_task(), greater = greater_task(),
                    identity = identity_task(), exp = exp_task();
  const std::string whole =
      "if (GetBlockIdx() != 0) return; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 65536); auto l = buf.Get<float>(); "
      "GlobalTensor<float> from, to;\n"
      "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096);\n";
  const std::string scalar =
      "const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n;\nGlobalTensor<float> from, to; "
      "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096);\n";
  const std::string clean = "\nDataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);";
  return {
      {"one call", {relu, elementwise("Relu(o, a, n);")}},
      {"maximum with zero", {relu, elementwise("Maxs(o, a, 0.0f, n);")}},
      {"half the sum with the absolute value",
       {relu, elementwise("Abs(t, a, n); Add(o, a, t, n); Muls(o, o, 0.5f, n);")}},
      {"in place of its tile", {relu, elementwise("Relu(a, a, n); Adds(o, a, 0.0f, n);")}},
      {"through scratch", {relu, elementwise("Duplicate(t, 0.0f, n); Max(o, a, t, n);")}},
      {"a mask and repeats", {relu, elementwise("Relu(o, a, 64, n / 64, {1, 1, 8, 8});")}},
      {"element by element in UB",
       {relu,
        elementwise("for (int i = 0; i < n; ++i) { float v = a.GetValue(i); o.SetValue(i, v > 0 ? v : 0.0f); }")}},
      {"element by element in global memory",
       {relu,
        bare(scalar +
             "for (int i = 0; i < n; ++i) { float v = from.GetValue(at + i); to.SetValue(at + i, v > 0 ? v : 0.0f); }" +
             clean)}},
      {"its own pointers",
       {relu, bare("const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n; __gm__ float* f = (__gm__ float*)x + "
                   "at; __gm__ float* t = (__gm__ float*)z + at;\n"
                   "for (int i = 0; i < n; ++i) t[i] = f[i] > 0 ? f[i] : 0.0f;\nGlobalTensor<float> to; "
                   "to.SetGlobalBuffer((__gm__ float*)z, 4096);" +
                   clean)}},
      {"one core of eight",
       {relu, bare(whole + "DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); Relu(l, l, 4096); "
                           "PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);")}},
      {"from the last core down",
       {relu,
        bare(
            "const int n = 4096 / GetBlockNum(), at = (GetBlockNum() - 1 - GetBlockIdx()) * n; TPipe pipe; TBuf<> buf; "
            "pipe.InitBuffer(buf, n * 4); auto l = buf.Get<float>(); GlobalTensor<float> from, to;\n"
            "from.SetGlobalBuffer((__gm__ float*)x + at, n); to.SetGlobalBuffer((__gm__ float*)z + at, n); DataCopy(l, "
            "from, n); PipeBarrier<PIPE_ALL>(); Relu(l, l, n); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, n);")}},
      {"small tiles",
       {relu,
        bare("const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n; TPipe pipe; TQue<QuePosition::VECIN, 2> in; "
             "TQue<QuePosition::VECOUT, 2> out; pipe.InitBuffer(in, 2, 128); pipe.InitBuffer(out, 2, 128);\n"
             "GlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ float*)x + at, n); to.SetGlobalBuffer((__gm__ "
             "float*)z + at, n);\n"
             "for (int i = 0; i < n; i += 32) { auto a = in.AllocTensor<float>(); DataCopy(a, from[i], 32); "
             "in.EnQue(a); a = in.DeQue<float>(); auto o = out.AllocTensor<float>(); Relu(o, a, 32); out.EnQue(o); "
             "in.FreeTensor(a); o = out.DeQue<float>(); DataCopy(to[i], o, 32); out.FreeTensor(o); }")}},
      {"a macro that pastes", {relu, elementwise("APPLY(Re, lu)(o, a, n);").insert(0, "#define APPLY(a, b) a##b\n")}},
      {"a template of an operation",
       {relu, "template <typename F> __attribute__((always_inline)) inline [aicore] void apply(F f) { f(); }\n" +
                  elementwise("apply([&]() { Relu(o, a, n); });")}},
      {"prints as it goes",
       {relu,
        elementwise("Relu(o, a, n); if (GetBlockIdx() == 0) AscendC::printf(\"core %d\\n\", (int)GetBlockIdx());")}},
      {"a table of constants",
       {relu, elementwise("const float zeros[2] = {0.0f, -0.0f}; Maxs(o, a, zeros[n & 1], n);")}},
      {"writes some elements twice", {relu, elementwise("Duplicate(o, 7.0f, n); Relu(o, a, n);")}},
      {"redundant barriers",
       {relu, elementwise("PipeBarrier<PIPE_ALL>(); Relu(o, a, n); PipeBarrier<PIPE_V>(); PipeBarrier<PIPE_ALL>();")}},
      {"does it twice", {relu, elementwise("Relu(t, a, n); Relu(o, t, n);")}},
      {"sum by halves",
       {add, elementwise("Muls(o, a, 0.5f, n); Muls(t, b, 0.5f, n); Add(o, o, t, n); Muls(o, o, 2.0f, n);", 2)}},
      {"difference of the negative", {add, elementwise("Muls(t, b, -1.0f, n); Sub(o, a, t, n);", 2)}},
      {"sum with an operator", {add, elementwise("o = a + b;", 2)}},
      {"sum by a fused call", {add, elementwise("Adds(o, b, 0.0f, n); Axpy(o, a, 1.0f, n);", 2)}},
      {"atomic sum",
       {add, bare("const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n; TPipe pipe; TBuf<> buf; "
                  "pipe.InitBuffer(buf, n * 8); auto l = buf.Get<float>(); GlobalTensor<float> from, second, to;\n"
                  "from.SetGlobalBuffer((__gm__ float*)x + at, n); second.SetGlobalBuffer((__gm__ float*)y + at, n); "
                  "to.SetGlobalBuffer((__gm__ float*)z + at, n);\n"
                  "DataCopy(l, from, n); DataCopy(l[n], second, n); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, n); "
                  "PipeBarrier<PIPE_ALL>(); SetAtomicAdd<float>(); DataCopy(to, l[n], n); SetAtomicNone();",
                  "", 2)}},
      {"rows by a reduction",
       {sum, bare("TPipe pipe; TBuf<> buf, work; pipe.InitBuffer(buf, 2048); pipe.InitBuffer(work, 2048); auto l = "
                  "buf.Get<float>(); auto w = work.Get<float>(); GlobalTensor<float> from, to;\n"
                  "from.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * 512, 512); to.SetGlobalBuffer((__gm__ "
                  "float*)z, 16);\nDataCopy(l, from, 512); PipeBarrier<PIPE_ALL>();\n"
                  "ReduceSum(w, l, w[64], 256); ReduceSum(w[32], l[256], w[64], 256); PipeBarrier<PIPE_ALL>(); "
                  "w.SetValue(1, w.GetValue(32)); PipeBarrier<PIPE_ALL>();\n"
                  "SetFlag<HardEvent::S_MTE3>(0); WaitFlag<HardEvent::S_MTE3>(0); DataCopyPad(to[GetBlockIdx() * 2], "
                  "w, {1, 8, 0, 0, 0});")}},
      {"rows by the scalar unit of one core",
       {sum, bare("if (GetBlockIdx() != 0) return; GlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ "
                  "float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 16);\n"
                  "for (int r = 0; r < 16; ++r) { float s = 0; for (int i = 0; i < 256; ++i) s += from.GetValue(r * "
                  "256 + i); to.SetValue(r, s); }" +
                  clean)}},
      {"compares by a difference",
       {greater,
        elementwise("for (int i = 0; i < n; ++i) o.SetValue(i, a.GetValue(i) - b.GetValue(i) >= 0 ? 1.0f : 0.0f);",
                    2)}},
      {"a function through a pointer",
       {relu,
        "static __attribute__((noinline)) __aicore__ float above(float v) { return v > 0 ? v : 0; }\nstatic "
        "__attribute__((noinline)) __aicore__ float below(float v) { return v < 0 ? v : 0; }\n" +
            elementwise("float (*f)(float) = n > 0 ? above : below; for (int i = 0; i < n; ++i) o.SetValue(i, "
                        "f(a.GetValue(i)));")}},
      {"a copy where a copy is right", {identity, elementwise("Adds(o, a, 0.0f, n);")}},
      {"a copy through UB alone",
       {identity, bare(whole + "DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);")}},
      {"a copy by a builtin",
       {identity, bare("if (GetBlockIdx() == 0) __builtin_memcpy((void*)z, (void*)x, 4096 * 4);\nGlobalTensor<float> "
                       "to; to.SetGlobalBuffer((__gm__ float*)z, 4096);" +
                       clean)}},
      {"powers of e", {exp, elementwise("Exp(o, a, n);")}},
      {"powers of e by squares", {exp, elementwise("Muls(t, a, 0.5f, n); Exp(o, t, n); Mul(o, o, o, n);")}},
      {"reciprocal of the power of the negative",
       {exp, elementwise("Muls(t, a, -1.0f, n); Exp(t, t, n); Duplicate(o, 1.0f, n); Div(o, o, t, n);")}},
  };
}

}  // namespace kg::sandbox::testing
