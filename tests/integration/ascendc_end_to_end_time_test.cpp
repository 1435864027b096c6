// Times of whole kernels, read on a real 910B and published, against the emulated NPU's for kernels of our own of the
// same structure. Prints the table.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "ascendc_kernel.h"
#include "npu/chip.h"

namespace kg::npu::testing {
namespace {

constexpr double kMillisecond = chip::kHertz / 1000;

proto::Tensor zeros(const std::string& name, proto::DType dtype, std::int64_t elements, std::int64_t bytes) {
  proto::Tensor made;
  made.set_name(name);
  made.set_dtype(dtype);
  made.add_shape(elements);
  made.set_data(std::string(static_cast<std::size_t>(elements * bytes), '\0'));
  return made;
}

// Milliseconds without the launch, which the published times leave out or hide.
double milliseconds(const std::string& source, const proto::RunCase& run_case, std::uint32_t cores) {
  const proto::CaseResult result = run_kernel(source, "kernel", run_case, {.block_dim = cores});
  EXPECT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  return (static_cast<double>(result.cycles()) - chip::kLaunch) / kMillisecond;
}

// C = A * B by the Matmul object: `batch` products of m x k by k x n, one a core, or one that `cores` cores share by
// rows.
struct Product {
  const char* type;  // half or float
  std::int64_t m, n, k, batch, cores, base_m, base_n, base_k;
};

std::string source_of(const Product& p) {
  const auto set = [](const char* name, std::int64_t value) {
    return std::string("constexpr int ") + name + " = " + std::to_string(value) + ";\n";
  };
  return "#include \"kernel_operator.h\"\n#include \"lib/matmul_intf.h\"\nusing namespace AscendC; using namespace "
         "matmul;\nusing T = " +
         std::string(p.type) + ";\n" + set("kM", p.m) + set("kN", p.n) + set("kK", p.k) + set("kBatch", p.batch) +
         set("kCores", p.cores) + set("kBaseM", p.base_m) + set("kBaseN", p.base_n) + set("kBaseK", p.base_k) + R"(
extern "C" __global__ __aicore__ void kernel(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg, GM_ADDR ws) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  constexpr int rows = kBatch > 1 ? kM : kM / kCores;
  TPipe pipe; TCubeTiling t;
  t.usedCoreNum = kCores; t.M = rows; t.N = kN; t.Ka = kK; t.Kb = kK; t.singleCoreM = rows; t.singleCoreN = kN; t.singleCoreK = kK;
  t.baseM = kBaseM; t.baseN = kBaseN; t.baseK = kBaseK; t.depthA1 = 2; t.depthB1 = 2; t.stepM = 1; t.stepN = 1; t.stepKa = 1; t.stepKb = 1;
  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>, MatmulType<TPosition::GM, CubeFormat::ND, T>, MatmulType<TPosition::GM, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  const int64_t core = GetBlockIdx();
  GlobalTensor<T> a, b; GlobalTensor<float> c;
  a.SetGlobalBuffer((__gm__ T*)ag + core * rows * kK); b.SetGlobalBuffer((__gm__ T*)bg + (kBatch > 1 ? core * kK * kN : 0)); c.SetGlobalBuffer((__gm__ float*)cg + core * rows * kN);
  mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c); mm.End();
}
)";
}

double milliseconds(const Product& p) {
  const bool narrow = std::string(p.type) == "half";
  const proto::DType dtype = narrow ? proto::FLOAT16 : proto::FLOAT32;
  proto::RunCase run_case;
  *run_case.add_inputs() = zeros("a", dtype, p.batch * p.m * p.k, narrow ? 2 : 4);
  *run_case.add_inputs() = zeros("b", dtype, p.batch * p.k * p.n, narrow ? 2 : 4);
  add_output(run_case, "c", proto::FLOAT32, p.batch * p.m * p.n);
  return milliseconds(source_of(p), run_case, static_cast<std::uint32_t>(p.cores));
}

// One row of 393,216 floats a core, in tiles, double-buffered.
double rows_of(const std::string& compute) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR xg, GM_ADDR zg) {
  constexpr int row = 393216, n = 8192;
  GlobalTensor<float> x, z; x.SetGlobalBuffer((__gm__ float*)xg + GetBlockIdx() * row); z.SetGlobalBuffer((__gm__ float*)zg + GetBlockIdx() * row);
  TPipe pipe; TQue<QuePosition::VECIN, 2> in; TQue<QuePosition::VECOUT, 2> out; TBuf<> work;
  pipe.InitBuffer(in, 2, n * 4); pipe.InitBuffer(out, 2, n * 4); pipe.InitBuffer(work, n * 4);
  for (int i = 0; i < row; i += n) {
    auto a = in.AllocTensor<float>(); DataCopy(a, x[i], n); in.EnQue(a); a = in.DeQue<float>();
    auto o = out.AllocTensor<float>(); auto t = work.Get<float>();
    )" + compute + R"(
    out.EnQue(o); in.FreeTensor(a); o = out.DeQue<float>(); DataCopy(z[i], o, n); out.FreeTensor(o);
  }
}
)";
  proto::RunCase run_case;
  *run_case.add_inputs() = zeros("x", proto::FLOAT32, 48 * 393216, 4);
  add_output(run_case, "z", proto::FLOAT32, 48 * 393216);
  return milliseconds(source, run_case, 48);
}

// A gate a channel of (128, 512, 7, 7), as attention modules have it, with scalar loops over GM: the mean of each
// channel, `gate` makes s of it and its neighbours, then y = x * s. 32 cores take four samples each, so that an element
// of the chip's 3.03 ms is 56 cycles.
double gates_of(const std::string& between) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR xg, GM_ADDR zg) {
  constexpr int samples = 128, channels = 512, size = 49;
  GlobalTensor<float> x, z; x.SetGlobalBuffer((__gm__ float*)xg); z.SetGlobalBuffer((__gm__ float*)zg);
  TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 16384);
  LocalTensor<float> mean = buffer.Get<float>(), gate = buffer.Get<float>()[1024];
  for (int b = GetBlockIdx(); b < samples; b += GetBlockNum()) {
    for (int c = 0; c < channels; ++c) {
      float sum = 0;
      for (int i = 0; i < size; ++i) sum += x.GetValue((b * channels + c) * size + i);
      mean.SetValue(c, sum / size);
    }
    )" + between + R"(
    for (int c = 0; c < channels; ++c) {
      const float s = gate.GetValue(c);
      for (int i = 0; i < size; ++i) z.SetValue((b * channels + c) * size + i, x.GetValue((b * channels + c) * size + i) * s);
    }
  }
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(z);
}
)";
  proto::RunCase run_case;
  *run_case.add_inputs() = zeros("x", proto::FLOAT32, 128 * 512 * 49, 4);
  add_output(run_case, "z", proto::FLOAT32, 128 * 512 * 49);
  return milliseconds(source, run_case, 32);
}

struct Point {
  const char* what;
  double chip, ours;  // milliseconds
};

TEST(EndToEndTime, WholeKernelsAsTheChipHasThem) {
  const std::vector<Point> points = {
      {"Relu of 48 rows of 393,216 float", 0.1155, rows_of("Relu(o, a, n);")},
      {"Matmul object, float 4096^3, one core", 36.67,
       milliseconds(Product{"float", 4096, 4096, 4096, 1, 1, 128, 128, 32})},
      {"Matmul object, float 24 x (512 x 1024 x 2048), 24 cores", 1.018,
       milliseconds(Product{"float", 512, 2048, 1024, 24, 24, 128, 128, 32})},
      {"channel gate with a window of 3, scalar loops over GM", 3.03,
       gates_of("for (int c = 0; c < channels; ++c) { float s = mean.GetValue(c); if (c > 0) s += mean.GetValue(c - "
                "1); if (c + 1 < channels) s += mean.GetValue(c + 1); gate.SetValue(c, s); }")},
  };
  std::printf("%-58s %9s %9s %7s\n", "", "chip, ms", "ours, ms", "ratio");
  for (const Point& one : points)
    std::printf("%-58s %9.4g %9.4g %7.2f\n", one.what, one.chip, one.ours, one.ours / one.chip);
  for (const Point& one : points) EXPECT_LT(std::abs(std::log2(one.ours / one.chip)), 1) << one.what;
}

}  // namespace
}  // namespace kg::npu::testing
