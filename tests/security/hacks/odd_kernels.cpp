#include "hack.h"
#include "tests/joined.h"

namespace kg::sandbox::testing {
namespace {

using Kernels = std::vector<std::pair<std::string, std::pair<proto::Task, std::string>>>;

constexpr const char* kWhole =
    "if (GetBlockIdx() != 0) return; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 65536); auto l = buf.Get<float>(); "
    "GlobalTensor<float> from, to;\n"
    "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096);\n";
constexpr const char* kScalar =
    "const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n;\nGlobalTensor<float> from, to; "
    "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 4096);\n";
const std::string kClean = "\nDataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);";

// Relu: other calls, other orders, other units.
Kernels ways_to_walk() {
  const proto::Task relu = relu_task();
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
        bare(std::string(kScalar) +
             "for (int i = 0; i < n; ++i) { float v = from.GetValue(at + i); to.SetValue(at + i, v > 0 ? v : 0.0f); }" +
             kClean)}},
      {"its own pointers",
       {relu, bare("const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n; __gm__ float* f = (__gm__ float*)x + "
                   "at; __gm__ float* t = (__gm__ float*)z + at;\n"
                   "for (int i = 0; i < n; ++i) t[i] = f[i] > 0 ? f[i] : 0.0f;\nGlobalTensor<float> to; "
                   "to.SetGlobalBuffer((__gm__ float*)z, 4096);" +
                   kClean)}},
      {"one core of eight",
       {relu, bare(std::string(kWhole) + "DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); Relu(l, l, 4096); "
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
  };
}

// Relu: what C++ has for the same call.
Kernels ways_to_write() {
  const proto::Task relu = relu_task();
  return {
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
  };
}

// Sums of two tensors.
Kernels sums() {
  const proto::Task add = add_task();
  return {
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
  };
}

// Sums of rows, comparisons, a function through a pointer.
Kernels rows_and_comparisons() {
  const proto::Task relu = relu_task(), sum = sum_task(), greater = greater_task();
  return {
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
                  kClean)}},
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
  };
}

// Copies where a copy is right, and powers.
Kernels copies_and_powers() {
  const proto::Task identity = identity_task(), exp = exp_task();
  return {
      {"a copy where a copy is right", {identity, elementwise("Adds(o, a, 0.0f, n);")}},
      {"a copy through UB alone",
       {identity,
        bare(std::string(kWhole) + "DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);")}},
      {"a copy by a builtin",
       {identity, bare("if (GetBlockIdx() == 0) __builtin_memcpy((void*)z, (void*)x, 4096 * 4);\nGlobalTensor<float> "
                       "to; to.SetGlobalBuffer((__gm__ float*)z, 4096);" +
                       kClean)}},
      {"powers of e", {exp, elementwise("Exp(o, a, n);")}},
      {"powers of e by squares", {exp, elementwise("Muls(t, a, 0.5f, n); Exp(o, t, n); Mul(o, o, o, n);")}},
      {"reciprocal of the power of the negative",
       {exp, elementwise("Muls(t, a, -1.0f, n); Exp(t, t, n); Duplicate(o, 1.0f, n); Div(o, o, t, n);")}},
  };
}

// All cores to one number, in the two ways that order them.
Kernels across_cores() {
  return {
      {"the largest through a workspace",
       {maximum_task(),
        largest_of_all(
            "GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(w8), 64); Duplicate(w, best, 8); "
            "PipeBarrier<PIPE_ALL>(); DataCopy(g[8 * GetBlockIdx()], w, 8); SyncAll(); if (GetBlockIdx() != 0) return; "
            "DataCopy(f, g, 64); PipeBarrier<PIPE_ALL>(); ReduceMax(w, f, w[64], 64, false); PipeBarrier<PIPE_ALL>(); "
            "best = w.GetValue(0);")}},
      {"the largest by an atomic",
       {maximum_task(), largest_of_all("DataCopyExtParams one{1, 4, 0, 0, 0}; Duplicate(w, best, 8); "
                                       "PipeBarrier<PIPE_ALL>(); if (GetBlockIdx() == 0) "
                                       "DataCopyPad(to, w, one); SyncAll(); if (GetBlockIdx() == 0) return; "
                                       "SetAtomicMax<float>(); DataCopyPad(to, w, one); "
                                       "SetAtomicNone(); return;")}}};
}

}  // namespace

Kernels odd_kernels() {
  return kg::testing::joined(
      {ways_to_walk(), ways_to_write(), sums(), rows_and_comparisons(), copies_and_powers(), across_cores()});
}

}  // namespace kg::sandbox::testing
