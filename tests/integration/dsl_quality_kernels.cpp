#include "tests/integration/dsl_quality_kernels.h"

namespace kg::dsl::testing {
namespace {

// Queues with two buffers, 8192 elements a tile, 131072 elements a core.
std::string flat_by_hand(int inputs, const std::string& compute, bool scratch) {
  std::string list, globals, queues, init, in, out, take, release;
  const char* names[] = {"x", "y", "w"};
  for (int i = 0; i < inputs; ++i) {
    const std::string n = names[i];
    list += "GM_ADDR " + n + ", ";
    globals += "  GlobalTensor<float> " + n + "Gm; " + n + "Gm.SetGlobalBuffer((__gm__ float*)" + n + ");\n";
    queues +=
        "  TQue<QuePosition::VECIN, 1> " + n + "Queue; pipe.InitBuffer(" + n + "Queue, 2, TILE * sizeof(float));\n";
    in += "    LocalTensor<float> " + n + "Local = " + n + "Queue.AllocTensor<float>();\n    DataCopy(" + n +
          "Local, " + n + "Gm[at], TILE);\n    " + n + "Queue.EnQue(" + n + "Local);\n";
    take += "    LocalTensor<float> " + n + "_ = " + n + "Queue.DeQue<float>();\n";
    release += "    " + n + "Queue.FreeTensor(" + n + "_);\n";
  }
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\nconstexpr int32_t TILE = " +
         std::to_string(inputs == 1   ? 8192
                        : inputs == 2 ? 4096
                                      : 2048) +
         ", CORE = 131072;\n"
         "extern \"C\" __global__ __aicore__ void custom_op(" +
         list + "GM_ADDR z) {\n  TPipe pipe;\n" + globals +
         "  GlobalTensor<float> zGm; zGm.SetGlobalBuffer((__gm__ float*)z);\n" + queues +
         "  TQue<QuePosition::VECOUT, 1> zQueue; pipe.InitBuffer(zQueue, 2, TILE * sizeof(float));\n" +
         (scratch ? "  TBuf<QuePosition::VECCALC> tBuf; pipe.InitBuffer(tBuf, TILE * sizeof(float)); "
                    "LocalTensor<float> t = tBuf.Get<float>();\n"
                  : "") +
         "  for (int32_t i = 0; i < CORE / TILE; i++) {\n    const int32_t at = GetBlockIdx() * CORE + i * TILE;\n" +
         in + take + "    LocalTensor<float> z_ = zQueue.AllocTensor<float>();\n" + compute + release +
         "    zQueue.EnQue(z_);\n    z_ = zQueue.DeQue<float>();\n    DataCopy(zGm[at], z_, TILE);\n    "
         "zQueue.FreeTensor(z_);\n  }\n}\n";
}

// Eight rows of 4096 a core, one at a time.
std::string rows_by_hand(const std::string& compute, bool reduces) {
  return std::string(
             "#include \"kernel_operator.h\"\nusing namespace AscendC;\nconstexpr int32_t N = 4096, ROWS = 8;\n"
             "extern \"C\" __global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {\n  TPipe pipe;\n"
             "  GlobalTensor<float> xGm, zGm; xGm.SetGlobalBuffer((__gm__ float*)x); zGm.SetGlobalBuffer((__gm__ "
             "float*)z);\n"
             "  TQue<QuePosition::VECIN, 1> xQueue; pipe.InitBuffer(xQueue, 2, N * sizeof(float));\n"
             "  TQue<QuePosition::VECOUT, 1> zQueue; pipe.InitBuffer(zQueue, 2, N * sizeof(float));\n"
             "  TBuf<QuePosition::VECCALC> tBuf, wBuf; pipe.InitBuffer(tBuf, N * sizeof(float)); pipe.InitBuffer(wBuf, "
             "1024);\n"
             "  LocalTensor<float> t = tBuf.Get<float>(), w = wBuf.Get<float>();\n"
             "  for (int32_t i = 0; i < ROWS; i++) {\n    const int32_t row = GetBlockIdx() * ROWS + i;\n"
             "    LocalTensor<float> xIn = xQueue.AllocTensor<float>();\n    DataCopy(xIn, xGm[row * N], N);\n    "
             "xQueue.EnQue(xIn);\n"
             "    LocalTensor<float> x_ = xQueue.DeQue<float>();\n    LocalTensor<float> z_ = "
             "zQueue.AllocTensor<float>();\n") +
         compute + "    xQueue.FreeTensor(x_);\n    zQueue.EnQue(z_);\n    z_ = zQueue.DeQue<float>();\n" +
         (reduces ? "    DataCopyPad(zGm[row], z_, DataCopyExtParams{1, 4, 0, 0, 0});\n"
                  : "    DataCopy(zGm[row * N], z_, N);\n") +
         "    zQueue.FreeTensor(z_);\n  }\n}\n";
}

std::string flat_program(int inputs, const std::string& expression) {
  const char* heads[] = {"x: float[N]", "x: float[N], y: float[N]", "x: float[N], y: float[N], w: float[N]"};
  return std::string("kernel k(") + heads[inputs - 1] +
         ") -> z: float[N]:\n  for t in cores(tiles(N)):\n    a = load x[t]\n    store z[t] = " + expression + "\n";
}

std::string rows_program(const std::string& lines, bool reduces) {
  return std::string("kernel k(x: float[R, C]) -> z: float[") + (reduces ? "R" : "R, C") +
         "]:\n  for r in cores(R):\n    a = load x[r, :]\n" + lines;
}

}  // namespace

std::vector<QualityPair> quality_pairs() {
  return {
      {"add", flat_program(2, "a + load y[t]"), flat_by_hand(2, "    Add(z_, x_, y_, TILE);\n", false), 2},
      {"relu", flat_program(1, "relu(a)"), flat_by_hand(1, "    Relu(z_, x_, TILE);\n", false)},
      {"sigmoid", flat_program(1, "sigmoid(a)"),
       flat_by_hand(1,
                    "    Muls(z_, x_, -1.0f, TILE);\n    Exp(z_, z_, TILE);\n    Adds(z_, z_, 1.0f, TILE);\n    "
                    "Duplicate(t, 1.0f, TILE);\n    Div(z_, t, z_, TILE);\n",
                    true)},
      {"fma", flat_program(3, "a * load y[t] + load w[t]"),
       flat_by_hand(3, "    Mul(z_, x_, y_, TILE);\n    Add(z_, z_, w_, TILE);\n", false), 3},
      {"elu", flat_program(1, "max(a, 0) + exp(min(a, 0)) - 1"),
       flat_by_hand(1,
                    "    Mins(t, x_, 0.0f, TILE);\n    Exp(t, t, TILE);\n    Adds(t, t, -1.0f, TILE);\n    Maxs(z_, "
                    "x_, 0.0f, TILE);\n    Add(z_, z_, t, TILE);\n",
                    true)},
      {"row_sum", rows_program("    store z[r] = sum(a)\n", true), rows_by_hand("    ReduceSum(z_, x_, w, N);\n", true),
       1, true, true},
      {"row_max", rows_program("    store z[r] = max(a)\n", true), rows_by_hand("    ReduceMax(z_, x_, t, N);\n", true),
       1, true, true},
      {"softmax", rows_program("    e = exp(a - max(a))\n    store z[r, :] = e / sum(e)\n", false),
       rows_by_hand("    ReduceMax(w, x_, t, N);\n    Adds(t, x_, -w.GetValue(0), N);\n    Exp(t, t, N);\n    "
                    "ReduceSum(w, t, w[64], N);\n    Muls(z_, t, 1.0f / w.GetValue(0), N);\n",
                    false),
       1, true},
      {"rms_norm", rows_program("    store z[r, :] = a * rsqrt(mean(a * a) + 1e-5)\n", false),
       rows_by_hand("    Mul(t, x_, x_, N);\n    ReduceSum(w, t, w[64], N);\n    const float scale = 1.0f / "
                    "sqrt(w.GetValue(0) / N + 1e-5f);\n    Muls(z_, x_, scale, N);\n",
                    false),
       1, true},
      {"layer_norm", rows_program("    a = a - mean(a)\n    store z[r, :] = a * rsqrt(mean(a * a) + 1e-5)\n", false),
       rows_by_hand("    ReduceSum(w, x_, w[64], N);\n    Adds(z_, x_, -w.GetValue(0) / N, N);\n    Mul(t, z_, z_, "
                    "N);\n    ReduceSum(w, t, w[64], N);\n"
                    "    const float scale = 1.0f / sqrt(w.GetValue(0) / N + 1e-5f);\n    Muls(z_, z_, scale, N);\n",
                    false),
       1, true},
  };
}

}  // namespace kg::dsl::testing
