// Kernels of the vector cores that take a row a core: activations, softmax, norms.

#include "published_times.h"

namespace kg::npu::testing {
namespace {

constexpr const char* kRmsNormSource = "github.com/flagos-ai/FlagGems-vllm, pull request 762: torch_npu";

// 48 rows of 393,216 floats, one a core, in tiles of 8,192; `tile` makes o of a, t is scratch.
constexpr const char* kRowLoop = R"(
  for (int i = 0; i < kRow; i += n) {
    auto a = in.AllocTensor<float>(); DataCopy(a, x[GetBlockIdx() * kRow + i], n); in.EnQue(a); a = in.DeQue<float>();
    auto o = results.AllocTensor<float>();
    TILE
    results.EnQue(o); in.FreeTensor(a); o = results.DeQue<float>();
    DataCopy(z[GetBlockIdx() * kRow + i], o, n); results.FreeTensor(o);
  }
)";

double rows_of(const std::string& first_pass, const std::string& tile) {
  std::string loop = kRowLoop;
  loop.replace(loop.find("TILE"), 4, tile);
  const std::string body = vector_tensors("float", 1, "float") + kVectorQueues + R"(
  constexpr int n = 4096;
  pipe.InitBuffer(in, 2, n * 4); pipe.InitBuffer(results, 2, n * 4); pipe.InitBuffer(work, n * 16);
  auto t = work.Get<float>(), few = work.Get<float>()[3 * n];
)" + first_pass + loop;
  return microseconds_of(vector_source({{"kRow", 393216}}), body, {{"float", 48 * 393216}}, {"float", 48 * 393216}, 48);
}

// The maximum and the sum of a row in one pass, corrected where the maximum grows; then the quotients.
double softmax_of_rows() {
  return rows_of(R"(
  float most = -3.0e38f, sum = 0;
  for (int i = 0; i < kRow; i += n) {
    auto a = in.AllocTensor<float>(); DataCopy(a, x[GetBlockIdx() * kRow + i], n); in.EnQue(a); a = in.DeQue<float>();
    ReduceMax(few, a, t, n);
    SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
    const float here = few.GetValue(0), now = here > most ? here : most;
    few.SetValue(8, most - now);
    SetFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::S_V>(0);
    Adds(t, a, -now, n); Exp(t, t, n); in.FreeTensor(a);
    ReduceSum(few, t, t[n], n); Exp(few[8], few[8], 8);
    SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
    sum = sum * few.GetValue(8) + few.GetValue(0); most = now;
  }
)",
                 "Adds(t, a, -most, n); Exp(t, t, n); Muls(o, t, 1 / sum, n);");
}

// A row a core; the row stays in UB as float.
double rms_norm(std::int64_t rows, std::int64_t width) {
  const std::string body = vector_tensors("bfloat16_t", 2, "bfloat16_t") + kVectorQueues + R"(
  constexpr int n = kWidth < 8192 ? kWidth : 8192;
  TBuf<> kept;
  pipe.InitBuffer(in, 2, n * 2); pipe.InitBuffer(results, 2, n * 2); pipe.InitBuffer(work, n * 4 + 256); pipe.InitBuffer(kept, kWidth * 4);
  auto t = work.Get<float>(), sum = work.Get<float>()[n], row = kept.Get<float>();
  float total = 0;
  for (int i = 0; i < kWidth; i += n) {
    auto a = in.AllocTensor<bfloat16_t>(); DataCopy(a, x[GetBlockIdx() * kWidth + i], n); in.EnQue(a); a = in.DeQue<bfloat16_t>();
    Cast(row[i], a, RoundMode::CAST_NONE, n); in.FreeTensor(a);
    Mul(t, row[i], row[i], n);
    int left = n;
    for (; left % 128 == 0; left /= 2) Add(t, t, t[left / 2], left / 2);
    ReduceSum(sum, t, t, left);
    SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
    total += sum.GetValue(0);
  }
  sum.SetValue(0, total / kWidth + 1e-6f);
  SetFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::S_V>(0);
  Sqrt(sum, sum, 8);
  SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
  const float scale = 1 / sum.GetValue(0);
  for (int i = 0; i < kWidth; i += n) {
    auto g = in.AllocTensor<bfloat16_t>(); DataCopy(g, y[i], n); in.EnQue(g); g = in.DeQue<bfloat16_t>();
    Cast(t, g, RoundMode::CAST_NONE, n); in.FreeTensor(g);
    Muls(row[i], row[i], scale, n); Mul(t, t, row[i], n);
    auto o = results.AllocTensor<bfloat16_t>(); Cast(o, t, RoundMode::CAST_RINT, n); results.EnQue(o);
    o = results.DeQue<bfloat16_t>(); DataCopy(z[GetBlockIdx() * kWidth + i], o, n); results.FreeTensor(o);
  }
)";
  return microseconds_of(vector_source({{"kWidth", width}}), body,
                         {{"bfloat16_t", rows * width}, {"bfloat16_t", width}}, {"bfloat16_t", rows * width},
                         static_cast<std::uint32_t>(rows), 1, kRepeated);
}

// (16, 64, 256, 256) over all but the first axis, with weights of that shape.
double layer_norm_of_samples() {
  const std::string body = vector_tensors("float", 3, "float") + kVectorQueues + R"(
  constexpr int n = 4096, size = 64 * 256 * 256;
  TQue<QuePosition::VECIN, 2> scales, shifts;
  pipe.InitBuffer(in, 2, n * 4); pipe.InitBuffer(scales, 2, n * 4); pipe.InitBuffer(shifts, 2, n * 4);
  pipe.InitBuffer(results, 2, n * 4); pipe.InitBuffer(work, 3 * n * 4 + 256);
  auto sums = work.Get<float>(), squares = work.Get<float>()[n], t = work.Get<float>()[2 * n], few = work.Get<float>()[3 * n];
  auto mine = x[(int64_t)GetBlockIdx() * size]; auto to = z[(int64_t)GetBlockIdx() * size];
  Duplicate(sums, 0.0f, n); Duplicate(squares, 0.0f, n);
  for (int i = 0; i < size; i += n) {
    auto a = in.AllocTensor<float>(); DataCopy(a, mine[i], n); in.EnQue(a); a = in.DeQue<float>();
    Add(sums, sums, a, n); Mul(t, a, a, n); Add(squares, squares, t, n); in.FreeTensor(a);
  }
  ReduceSum(few, sums, sums, n); ReduceSum(few[8], squares, squares, n);
  SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
  const float centre = few.GetValue(0) / size, variance = few.GetValue(8) / size - centre * centre;
  few.SetValue(0, variance + 1e-5f);
  SetFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::S_V>(0);
  Sqrt(few, few, 8);
  SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
  const float scale = 1 / few.GetValue(0);
  for (int i = 0; i < size; i += n) {
    auto a = in.AllocTensor<float>(); DataCopy(a, mine[i], n); in.EnQue(a); a = in.DeQue<float>();
    auto g = scales.AllocTensor<float>(); DataCopy(g, y[i], n); scales.EnQue(g); g = scales.DeQue<float>();
    auto s = shifts.AllocTensor<float>(); DataCopy(s, w[i], n); shifts.EnQue(s); s = shifts.DeQue<float>();
    auto o = results.AllocTensor<float>();
    Adds(t, a, -centre, n); Muls(t, t, scale, n); Mul(t, t, g, n); Add(o, t, s, n);
    results.EnQue(o); in.FreeTensor(a); scales.FreeTensor(g); shifts.FreeTensor(s);
    o = results.DeQue<float>(); DataCopy(to[i], o, n); results.FreeTensor(o);
  }
)";
  constexpr std::int64_t kSize = 64 * 256 * 256;
  return microseconds_of(vector_source({}), body, {{"float", 16 * kSize}, {"float", kSize}, {"float", kSize}},
                         {"float", 16 * kSize}, 16);
}

}  // namespace

std::vector<PublishedPoint> published_row_kernels() {
  std::vector<PublishedPoint> points = {
      {"Relu of 48 rows of 393,216 float", "vector", "a row a core", kEvoKernel, 115.5,
       [] { return rows_of("", "Relu(o, a, n);"); }},
      {"Gelu of the same", "vector", "a row a core, by the library's Erf", kEvoKernel, 171.7,
       [] {
         return rows_of(
             "",
             "Muls(t, a, 0.70710678f, n); Erf(o, t, n); Adds(o, o, 1.0f, n); Muls(t, a, 0.5f, n); Mul(o, o, t, n);");
       }},
      {"Softmax of the same", "vector", "a row a core, online maximum: two reads, one write", kEvoKernel, 173.7,
       softmax_of_rows},
      {"LayerNorm, float (16, 64, 256, 256)", "vector", "a sample a core: two reads of x, weights, one write",
       kEvoKernel, 1160, layer_norm_of_samples},
  };
  struct Shape {
    std::int64_t rows, width;
    double chip;
  };
  for (const Shape s : {Shape{1, 1152, 4.75}, {1, 16384, 6.30}, {32, 5376, 6.00}, {32, 16384, 8.50}})
    points.push_back({"RMSNorm, bfloat16 " + std::to_string(s.rows) + " x " + std::to_string(s.width), "vector",
                      "a row a core; repeated", kRmsNormSource, s.chip, [s] { return rms_norm(s.rows, s.width); }});
  return points;
}

}  // namespace kg::npu::testing
