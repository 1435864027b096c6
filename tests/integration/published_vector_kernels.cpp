// Kernels of the vector cores: gated units, reductions, a convolution.

#include <algorithm>

#include "published_times.h"

namespace kg::npu::testing {
namespace {

// Triton's do_bench fills a buffer of 256 MB before each run; FlagGems measured with it until pull request 4857, and
// with do_bench_npu, which only repeats, after that.
constexpr const char* kSwigluSource = "github.com/flagos-ai/FlagGems, pull request 6324: torch_npu";
constexpr const char* kMeanSource = "github.com/flagos-ai/FlagGems, pull request 2162: torch_npu";
constexpr const char* kConvSource = "github.com/sgl-project/sgl-kernel-npu, pull request 601: the present kernel";
// x * sigmoid(x) * y of the two halves of each row, calculated in float.
double swiglu(std::int64_t rows, std::int64_t width) {
  const std::int64_t half = width / 2, columns = std::min<std::int64_t>(half, 4096);
  const std::string body = vector_tensors("half", 1, "half") + kVectorQueues + R"(
  constexpr int n = kTileRows * kColumns;
  TQue<QuePosition::VECIN, 2> in2;
  pipe.InitBuffer(in, 2, n * 2); pipe.InitBuffer(in2, 2, n * 2); pipe.InitBuffer(results, 2, n * 2); pipe.InitBuffer(work, 3 * n * 4);
  auto fa = work.Get<float>(), fb = work.Get<float>()[n], t = work.Get<float>()[2 * n];
  constexpr int across = kHalf / kColumns, tiles = (kRows + kTileRows - 1) / kTileRows * across;
  for (int i = GetBlockIdx(); i < tiles; i += GetBlockNum()) {
    const int64_t row = i / across * kTileRows, column = i % across * kColumns;
    const uint16_t rows = row + kTileRows <= kRows ? kTileRows : kRows - row;
    const DataCopyParams gather{rows, kColumns / 16, (2 * kHalf - kColumns) / 16, 0}, scatter{rows, kColumns / 16, 0, (kHalf - kColumns) / 16};
    auto a = in.AllocTensor<half>(); auto b = in2.AllocTensor<half>();
    DataCopy(a, x[row * 2 * kHalf + column], gather); in.EnQue(a);
    DataCopy(b, x[row * 2 * kHalf + kHalf + column], gather); in2.EnQue(b);
    a = in.DeQue<half>(); b = in2.DeQue<half>();
    auto o = results.AllocTensor<half>();
    const int count = rows * kColumns;
    Cast(fa, a, RoundMode::CAST_NONE, count); Cast(fb, b, RoundMode::CAST_NONE, count);
    in.FreeTensor(a); in2.FreeTensor(b);
    Muls(t, fa, -1.0f, count); Exp(t, t, count); Adds(t, t, 1.0f, count); Div(t, fa, t, count); Mul(t, t, fb, count);
    Cast(o, t, RoundMode::CAST_RINT, count);
    results.EnQue(o); o = results.DeQue<half>(); DataCopy(z[row * kHalf + column], o, scatter); results.FreeTensor(o);
  }
)";
  return microseconds_of(vector_source({{"kRows", rows},
                                        {"kHalf", half},
                                        {"kColumns", columns},
                                        {"kTileRows", std::max<std::int64_t>(1, 4096 / columns)}}),
                         body, {{"half", rows * width}}, {"half", rows * half}, 48, 1, kRepeated);
}

// Of all elements: each core adds tiles, then reduces; a number a core is left.
double mean(std::int64_t elements, double share) {
  const std::string body = vector_tensors("float", 1, "float") + kVectorQueues + R"(
  constexpr int n = 8192, tiles = kElements / n;
  pipe.InitBuffer(in, 2, n * 4); pipe.InitBuffer(work, n * 4 + 256);
  auto sums = work.Get<float>(), sum = work.Get<float>()[n];
  Duplicate(sums, 0.0f, n);
  for (int i = GetBlockIdx(); i < tiles; i += GetBlockNum()) {
    auto a = in.AllocTensor<float>(); DataCopy(a, x[(int64_t)i * n], n); in.EnQue(a); a = in.DeQue<float>();
    Add(sums, sums, a, n); in.FreeTensor(a);
  }
  Duplicate(sum, 0.0f, 8); ReduceSum(sum, sums, sums, n); Muls(sum, sum, 1.0f / kElements, 8);
  SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(z[GetBlockIdx() * 8], sum, 8);
)";
  const auto part = static_cast<std::int64_t>(static_cast<double>(elements) * share);
  return microseconds_of(vector_source({{"kElements", part}}), body, {{"float", part}}, {"float", 48 * 8}, 48, share,
                         behind_a_fill(share));
}

double scaled_matrix(double share) {
  const std::int64_t elements = static_cast<std::int64_t>(65536.0 * 16384 * share);
  const std::string body = vector_tensors("float", 1, "float") + kVectorQueues + R"(
  constexpr int n = 8192, tiles = kElements / n;
  pipe.InitBuffer(in, 2, n * 4); pipe.InitBuffer(results, 2, n * 4);
  for (int i = GetBlockIdx(); i < tiles; i += GetBlockNum()) {
    auto a = in.AllocTensor<float>(); DataCopy(a, x[(int64_t)i * n], n); in.EnQue(a); a = in.DeQue<float>();
    auto o = results.AllocTensor<float>(); Muls(o, a, 3.14f, n); results.EnQue(o); in.FreeTensor(a);
    o = results.DeQue<float>(); DataCopy(z[(int64_t)i * n], o, n); results.FreeTensor(o);
  }
)";
  return microseconds_of(vector_source({{"kElements", elements}}), body, {{"float", elements}}, {"float", elements}, 48,
                         share);
}

// (128, 4096, 4095) over its second axis: a third of the columns of a sample at a time, six rows a copy.
double least_of_columns(double share) {
  const auto samples = static_cast<std::int64_t>(128 * share);
  const std::string body = vector_tensors("float", 1, "float") + kVectorQueues + R"(
  constexpr int rows = 6, columns = 1365, padded = 1368;
  pipe.InitBuffer(in, 2, rows * padded * 4); pipe.InitBuffer(results, 2, padded * 4);
  for (int task = GetBlockIdx(); task < kSamples * 3; task += GetBlockNum()) {
    const int64_t from = (int64_t)(task / 3) * 4096 * 4095 + task % 3 * columns;
    auto least = results.AllocTensor<float>(); Duplicate(least, 3.0e38f, padded);
    for (int row = 0; row < 4096; row += rows) {
      const int count = row + rows <= 4096 ? rows : 4096 - row;
      auto a = in.AllocTensor<float>();
      DataCopyPad(a, x[from + (int64_t)row * 4095], DataCopyExtParams(count, columns * 4, (4095 - columns) * 4, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
      in.EnQue(a); a = in.DeQue<float>();
      for (int i = 0; i < count; ++i) Min(least, least, a[i * padded], columns);
      in.FreeTensor(a);
    }
    results.EnQue(least); least = results.DeQue<float>();
    DataCopyPad(z[task / 3 * 4095 + task % 3 * columns], least, DataCopyExtParams(1, columns * 4, 0, 0, 0)); results.FreeTensor(least);
  }
)";
  return microseconds_of(vector_source({{"kSamples", samples}}), body, {{"float", samples * 4096 * 4095}},
                         {"float", samples * 4095}, 48, share);
}

// Four taps along 128 tokens of 6,144 channels, bias and SiLU, half in and out, float between: 1,024 channels a row, a
// ring of four sums. A lone sequence is cut into eight, so that 48 cores have work.
double causal_convolution(std::int64_t batch) {
  const std::string body = vector_tensors("half", 2, "half") + kVectorQueues + R"(
  constexpr int n = 1024, channels = 6144, tokens = 128, length = tokens / kCuts;
  pipe.InitBuffer(in, 2, n * 2); pipe.InitBuffer(results, 2, n * 2); pipe.InitBuffer(work, 12 * n * 4);
  auto taps = work.Get<float>(), shift = work.Get<float>()[4 * n], f = work.Get<float>()[5 * n], t = work.Get<float>()[6 * n], ring = work.Get<float>()[8 * n];
  for (int task = GetBlockIdx(); task < kBatch * kCuts * (channels / n); task += GetBlockNum()) {
    const int64_t channel = task % (channels / n) * n, cut = task / (channels / n) % kCuts, sample = task / (channels / n) / kCuts;
    for (int k = 0; k < 5; ++k) {
      auto g = in.AllocTensor<half>(); DataCopy(g, y[k * channels + channel], n); in.EnQue(g); g = in.DeQue<half>();
      Cast(k < 4 ? taps[k * n] : shift, g, RoundMode::CAST_NONE, n); in.FreeTensor(g);
    }
    Duplicate(ring, 0.0f, 4 * n);
    for (int i = cut == 0 ? 0 : -3; i < length; ++i) {
      const int64_t at = (sample * tokens + cut * length + i) * channels + channel;
      auto a = in.AllocTensor<half>(); DataCopy(a, x[at], n); in.EnQue(a); a = in.DeQue<half>();
      Cast(f, a, RoundMode::CAST_NONE, n); in.FreeTensor(a);
      for (int k = 0; k < 3; ++k) MulAddDst(ring[((i + 4 + k) & 3) * n], f, taps[k * n], n);
      Mul(ring[((i + 7) & 3) * n], f, taps[3 * n], n);
      if (i < 0) continue;
      Add(f, ring[(i & 3) * n], shift, n);
      Muls(t, f, -1.0f, n); Exp(t, t, n); Adds(t, t, 1.0f, n); Div(t, f, t, n);
      auto o = results.AllocTensor<half>(); Cast(o, t, RoundMode::CAST_RINT, n); results.EnQue(o);
      o = results.DeQue<half>(); DataCopy(z[at], o, n); results.FreeTensor(o);
    }
  }
)";
  const std::int64_t elements = batch * 128 * 6144;
  return microseconds_of(vector_source({{"kBatch", batch}, {"kCuts", batch < 8 ? 8 : 1}}), body,
                         {{"half", elements}, {"half", 5 * 6144}}, {"half", elements}, 48);
}

void add_series(std::vector<PublishedPoint>& points) {
  struct Shape {
    std::int64_t rows, width;
    double chip;
  };
  const auto by = [](const Shape& s) { return std::to_string(s.rows) + " x " + std::to_string(s.width); };
  for (const Shape s : {Shape{8192, 128, 11.83}, {2560, 2048, 17.08}, {15000, 2048, 48.46}, {10000, 65536, 1610}})
    points.push_back({"SwiGLU, half " + by(s), "vector", "rows on 48 cores; repeated", kSwigluSource, s.chip,
                      [s] { return swiglu(s.rows, s.width); }});
  for (const Shape s : {Shape{4096, 4096, 116.4}, {1024, 65536, 377.5}, {1024, 1048576, 3000}})
    points.push_back({"mean of all, float " + by(s), "vector", "48 cores; behind a fill of L2", kMeanSource, s.chip,
                      [s] { return mean(s.rows * s.width, s.width == 1048576 ? 1.0 / 8 : 1); }});
  for (const Shape s : {Shape{1, 0, 22.0}, {8, 0, 66.4}, {64, 0, 427.2}, {512, 0, 3280.6}})
    points.push_back({"causal convolution, " + std::to_string(s.rows) + " x 128 tokens", "vector",
                      "half, 6,144 channels, four taps, SiLU; 1,024 channels a row", kConvSource, s.chip,
                      [s] { return causal_convolution(s.rows); }});
}

}  // namespace

std::vector<PublishedPoint> published_vector_kernels() {
  std::vector<PublishedPoint> points = {
      {"matrix times scalar, float 65536 x 16384", "vector", "48 cores", kEvoKernel, 6650,
       [] { return scaled_matrix(1.0 / 16); }},
      {"minimum over columns, float (128, 4096, 4095)", "vector", "a third of a sample's columns at a time", kEvoKernel,
       6090, [] { return least_of_columns(1.0 / 8); }},
  };
  add_series(points);
  return points;
}

}  // namespace kg::npu::testing
