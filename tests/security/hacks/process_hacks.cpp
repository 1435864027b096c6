#include "hack.h"

namespace kg::sandbox::testing {
namespace {

// A source with <<<>>>: `host` is the body of the function that launches, `kernel` that of the kernel.
std::string direct(const std::string& host, const std::string& kernel = "", const std::string& before = "") {
  return "#include \"kernel_operator.h\"\n" + before + "using namespace AscendC;\n__global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {" + kernel +
         "}\nextern \"C\" void custom_op_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* z) {\n" + host +
         "\n}\n";
}
constexpr const char* kLaunch = "custom_op<<<blocks, nullptr, stream>>>(x, z);";

const char* const kWholeCopy =
    "if (GetBlockIdx() != 0) return; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 16384); auto l = buf.Get<float>(); GlobalTensor<float> from, to;\n"
    "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096); DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);";

}  // namespace

std::vector<Hack> process_hacks() {
  const std::string paste = "#define J2(a, b) a##b\n#define J(a, b) J2(a, b)\n";
  return {
      // the host function of a source that launches itself
      {"host function writes the outputs", relu_task(), direct(std::string(kLaunch) + " for (int i = 0; i < 4096; ++i) ((float*)z)[i] = ((float*)x)[i] > 0 ? ((float*)x)[i] : 0;"), ""},
      {"host function writes the outputs first", relu_task(), direct("for (int i = 0; i < 4096; ++i) ((float*)z)[i] = 1; " + std::string(kLaunch)), ""},
      {"host function copies the outputs", identity_task(), direct(std::string(kLaunch) + " memcpy(z, x, 4096 * 4);", "", "#include <string.h>\n"), ""},
      {"host function reads the inputs", sum_task(), direct("float s = 0; for (int i = 0; i < 4096; ++i) s += ((float*)x)[i]; if (s > 0) " + std::string(kLaunch)), ""},
      {"host function forges the report", relu_task(), direct(std::string(kLaunch) + " for (int i = 3; i < 64; ++i) write(i, \"\\x08\\x01\", 2); _exit(0);", "", "#include <unistd.h>\n"), "write"},
      {"host function opens its memory", relu_task(), direct("mprotect(z, 16384, 3); for (int i = 0; i < 4096; ++i) ((float*)z)[i] = 1; " + std::string(kLaunch), "", "#include <sys/mman.h>\n"), "mprotect"},
      {"host function calls by number", relu_task(), direct("syscall(1, 3, \"\\x08\\x01\", 2); " + std::string(kLaunch), "", "#include <unistd.h>\n"), "syscall"},
      {"host function finds functions by name", relu_task(), direct("((int (*)())dlsym(nullptr, \"_exit\"))(); " + std::string(kLaunch), "", "#include <dlfcn.h>\n"), "dlsym"},
      {"host object before the launch", relu_task(), direct(kLaunch, "", "struct Early { Early() { n = 1; } int n; };\nstatic Early early;\n"), ""},
      {"launches nothing", relu_task(), direct("if (blocks == 77) " + std::string(kLaunch)), "without launching"},
      {"launches no blocks", relu_task(), direct("custom_op<<<0, nullptr, stream>>>(x, z);"), "no blocks"},
      // the process that emulates the device
      {"the runtime's names", relu_task(), bare("kgnpu_own_stack[0] = 0;"), "kgnpu_own_stack"},
      {"the runtime's names from pieces", relu_task(), bare("J(kgnpu_, own_stack)[0] = 0;", paste + "extern \"C\" unsigned long J(kgnpu_, own_stack)[2];\n"), "puts together"},
      {"copies past the device's clock", identity_task(), bare("if (GetBlockIdx() == 0) memmove(z, x, 4096 * 4);", "extern \"C\" __aicore__ void* memmove(void*, const void*, unsigned long);\n"), "memmove"},
      {"ends the process with success", relu_task(), bare("_exit(0);", "extern \"C\" __aicore__ void _exit(int);\n"), "_exit"},
      {"jumps over the checks", relu_task(), bare("volatile long* p = (volatile long*)__builtin_frame_address(0); for (int i = 1; i < 32; ++i) p[i] = 0;"), ""},
      {"a wild pointer into the launcher", relu_task(), bare("*(volatile long*)0x555555560000 = 0;"), "outside the core's own variables"},
      {"an entry of its own", relu_task(), bare("", "extern \"C\" __attribute__((visibility(\"default\"))) __aicore__ int kgnpu_entry() { return 0; }\n"), "kgnpu_entry"},
      {"no kernel at all", relu_task(), "#include \"kernel_operator.h\"\n#define custom_op nothing\nextern \"C\" __global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {}\n", ""},
      {"another signature", relu_task(), "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void custom_op(GM_ADDR z) {}\n", "takes 1 parameters"},
      // the tiling function of a project; kernel and host of a whole operator
      {"tiling computes the operator", relu_task(), "",
       "gets no values", "HostileTilingData data; const gert::Tensor* t = context->GetInputTensor(0); const float* v = t->GetData<float>(); if (v == nullptr) return ge::GRAPH_FAILED; for (int i = 0; i < 4096; ++i) data.set_none(v[i] > 0);"},
      {"tiling ends with success", relu_task(), "", "no result", "_exit(0);"},
      {"tiling forges a plan", relu_task(), "", "malformed", "for (int i = 3; i < 64; ++i) write(i, \"\\x12\\xff\\xff\", 3); _exit(0);"},
      {"tiling forges a prologue", relu_task(), "", "",
       // HostPlan.prologue, field 3, and can_launch, field 6
       "static const char plan[] = \"\\x12\\x07hostile\\x1a\\x2f#undef __asm\\nextern \\\"C\\\" int f() __asm(\\\"_exit\\\");\\n\\x30\\x01\"; for (int i = 3; i < 64; ++i) write(i, plan, sizeof(plan) - 1); _exit(0);"},
      {"tiling for no blocks", relu_task(), "", "", "context->SetBlockDim(0); return ge::GRAPH_SUCCESS;"},
  };
}

std::vector<std::pair<std::string, std::pair<proto::Task, std::string>>> odd_kernels() {
  const proto::Task relu = relu_task(), add = add_task(), sum = sum_task(), greater = greater_task(), identity = identity_task(), exp = exp_task();
  const std::string whole = "if (GetBlockIdx() != 0) return; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 65536); auto l = buf.Get<float>(); GlobalTensor<float> from, to;\n"
                            "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096);\n";
  const std::string scalar = "const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n;\nGlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096);\n";
  const std::string clean = "\nDataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);";
  return {
      {"one call", {relu, elementwise("Relu(o, a, n);")}},
      {"maximum with zero", {relu, elementwise("Maxs(o, a, 0.0f, n);")}},
      {"half the sum with the absolute value", {relu, elementwise("Abs(t, a, n); Add(o, a, t, n); Muls(o, o, 0.5f, n);")}},
      {"in place of its tile", {relu, elementwise("Relu(a, a, n); Adds(o, a, 0.0f, n);")}},
      {"through scratch", {relu, elementwise("Duplicate(t, 0.0f, n); Max(o, a, t, n);")}},
      {"a mask and repeats", {relu, elementwise("Relu(o, a, 64, n / 64, {1, 1, 8, 8});")}},
      {"element by element in UB", {relu, elementwise("for (int i = 0; i < n; ++i) { float v = a.GetValue(i); o.SetValue(i, v > 0 ? v : 0.0f); }")}},
      {"element by element in global memory", {relu, bare(scalar + "for (int i = 0; i < n; ++i) { float v = from.GetValue(at + i); to.SetValue(at + i, v > 0 ? v : 0.0f); }" + clean)}},
      {"its own pointers", {relu, bare("const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n; __gm__ float* f = (__gm__ float*)x + at; __gm__ float* t = (__gm__ float*)z + at;\n"
                                       "for (int i = 0; i < n; ++i) t[i] = f[i] > 0 ? f[i] : 0.0f;\nGlobalTensor<float> to; to.SetGlobalBuffer((__gm__ float*)z, 4096);" + clean)}},
      {"one core of eight", {relu, bare(whole + "DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); Relu(l, l, 4096); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);")}},
      {"from the last core down", {relu, bare("const int n = 4096 / GetBlockNum(), at = (GetBlockNum() - 1 - GetBlockIdx()) * n; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, n * 4); auto l = buf.Get<float>(); GlobalTensor<float> from, to;\n"
                                              "from.SetGlobalBuffer((__gm__ float*)x + at, n); to.SetGlobalBuffer((__gm__ float*)z + at, n); DataCopy(l, from, n); PipeBarrier<PIPE_ALL>(); Relu(l, l, n); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, n);")}},
      {"small tiles", {relu, bare("const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n; TPipe pipe; TQue<QuePosition::VECIN, 2> in; TQue<QuePosition::VECOUT, 2> out; pipe.InitBuffer(in, 2, 128); pipe.InitBuffer(out, 2, 128);\n"
                                  "GlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ float*)x + at, n); to.SetGlobalBuffer((__gm__ float*)z + at, n);\n"
                                  "for (int i = 0; i < n; i += 32) { auto a = in.AllocTensor<float>(); DataCopy(a, from[i], 32); in.EnQue(a); a = in.DeQue<float>(); auto o = out.AllocTensor<float>(); Relu(o, a, 32); out.EnQue(o); in.FreeTensor(a); o = out.DeQue<float>(); DataCopy(to[i], o, 32); out.FreeTensor(o); }")}},
      {"a macro that pastes", {relu, elementwise("APPLY(Re, lu)(o, a, n);").insert(0, "#define APPLY(a, b) a##b\n")}},
      {"a template of an operation", {relu, "template <typename F> __attribute__((always_inline)) inline [aicore] void apply(F f) { f(); }\n" + elementwise("apply([&]() { Relu(o, a, n); });")}},
      {"prints as it goes", {relu, elementwise("Relu(o, a, n); if (GetBlockIdx() == 0) AscendC::printf(\"core %d\\n\", (int)GetBlockIdx());")}},
      {"a table of constants", {relu, elementwise("const float zeros[2] = {0.0f, -0.0f}; Maxs(o, a, zeros[n & 1], n);")}},
      {"writes some elements twice", {relu, elementwise("Duplicate(o, 7.0f, n); Relu(o, a, n);")}},
      {"redundant barriers", {relu, elementwise("PipeBarrier<PIPE_ALL>(); Relu(o, a, n); PipeBarrier<PIPE_V>(); PipeBarrier<PIPE_ALL>();")}},
      {"does it twice", {relu, elementwise("Relu(t, a, n); Relu(o, t, n);")}},
      {"sum by halves", {add, elementwise("Muls(o, a, 0.5f, n); Muls(t, b, 0.5f, n); Add(o, o, t, n); Muls(o, o, 2.0f, n);", 2)}},
      {"difference of the negative", {add, elementwise("Muls(t, b, -1.0f, n); Sub(o, a, t, n);", 2)}},
      {"sum with an operator", {add, elementwise("o = a + b;", 2)}},
      {"sum by a fused call", {add, elementwise("Adds(o, b, 0.0f, n); Axpy(o, a, 1.0f, n);", 2)}},
      {"atomic sum", {add, bare("const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, n * 8); auto l = buf.Get<float>(); GlobalTensor<float> from, second, to;\n"
                                "from.SetGlobalBuffer((__gm__ float*)x + at, n); second.SetGlobalBuffer((__gm__ float*)y + at, n); to.SetGlobalBuffer((__gm__ float*)z + at, n);\n"
                                "DataCopy(l, from, n); DataCopy(l[n], second, n); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, n); PipeBarrier<PIPE_ALL>(); SetAtomicAdd<float>(); DataCopy(to, l[n], n); SetAtomicNone();", "", 2)}},
      {"rows by a reduction", {sum, bare("TPipe pipe; TBuf<> buf, work; pipe.InitBuffer(buf, 2048); pipe.InitBuffer(work, 2048); auto l = buf.Get<float>(); auto w = work.Get<float>(); GlobalTensor<float> from, to;\n"
                                         "from.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * 512, 512); to.SetGlobalBuffer((__gm__ float*)z, 16);\nDataCopy(l, from, 512); PipeBarrier<PIPE_ALL>();\n"
                                         "ReduceSum(w, l, w[64], 256); ReduceSum(w[32], l[256], w[64], 256); PipeBarrier<PIPE_ALL>(); w.SetValue(1, w.GetValue(32)); PipeBarrier<PIPE_ALL>();\n"
                                         "SetFlag<HardEvent::S_MTE3>(0); WaitFlag<HardEvent::S_MTE3>(0); DataCopyPad(to[GetBlockIdx() * 2], w, {1, 8, 0, 0, 0});")}},
      {"rows by the scalar unit of one core", {sum, bare("if (GetBlockIdx() != 0) return; GlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 16);\n"
                                          "for (int r = 0; r < 16; ++r) { float s = 0; for (int i = 0; i < 256; ++i) s += from.GetValue(r * 256 + i); to.SetValue(r, s); }" + clean)}},
      {"compares by a difference", {greater, elementwise("for (int i = 0; i < n; ++i) o.SetValue(i, a.GetValue(i) - b.GetValue(i) >= 0 ? 1.0f : 0.0f);", 2)}},
      {"a copy where a copy is right", {identity, elementwise("Adds(o, a, 0.0f, n);")}},
      {"a copy through UB alone", {identity, bare(whole + "DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);")}},
      {"a copy by a builtin", {identity, bare("if (GetBlockIdx() == 0) __builtin_memcpy((void*)z, (void*)x, 4096 * 4);\nGlobalTensor<float> to; to.SetGlobalBuffer((__gm__ float*)z, 4096);" + clean)}},
      {"powers of e", {exp, elementwise("Exp(o, a, n);")}},
      {"powers of e by squares", {exp, elementwise("Muls(t, a, 0.5f, n); Exp(o, t, n); Mul(o, o, o, n);")}},
      {"reciprocal of the power of the negative", {exp, elementwise("Muls(t, a, -1.0f, n); Exp(t, t, n); Duplicate(o, 1.0f, n); Div(o, o, t, n);")}},
  };
}

}  // namespace kg::sandbox::testing
