// Gates a channel of (128, 512, 7, 7), as attention modules have them, with scalar loops over GM.

#include "published_times.h"

namespace kg::npu::testing {
namespace {

constexpr const char* kStructure = "32 cores, four samples each; mean and product element by element";

// The mean of each channel, `between` makes `gate` of `mean`, then y = x * gate.
double gates_of(const std::string& between) {
  const std::string body = R"(
  constexpr int samples = 128, channels = 512, size = 49;
  GlobalTensor<float> x, w, z;
  x.SetGlobalBuffer((__gm__ float*)in0); w.SetGlobalBuffer((__gm__ float*)in1); z.SetGlobalBuffer((__gm__ float*)out);
  TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 16384);
  LocalTensor<float> mean = buffer.Get<float>(), gate = buffer.Get<float>()[1024], hidden = buffer.Get<float>()[2048];
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
)";
  return microseconds_of(vector_source({}), body, {{"float", 128 * 512 * 49}, {"float", 2 * 512 * 32}},
                         {"float", 128 * 512 * 49}, 32);
}

constexpr const char* kSigmoid = R"(
    SetFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::S_V>(0);
    Muls(gate, gate, -1.0f, channels); Exp(gate, gate, channels); Adds(gate, gate, 1.0f, channels); Reciprocal(gate, gate, channels);
    SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
)";

}  // namespace

std::vector<PublishedPoint> published_scalar_loops() {
  const std::string window = R"(
    for (int c = 0; c < channels; ++c) {
      float s = mean.GetValue(c);
      if (c > 0) s += mean.GetValue(c - 1);
      if (c + 1 < channels) s += mean.GetValue(c + 1);
      gate.SetValue(c, s);
    }
)";
  const std::string two_layers = R"(
    for (int h = 0; h < 32; ++h) {
      float s = 0;
      for (int c = 0; c < channels; ++c) s += w.GetValue(h * channels + c) * mean.GetValue(c);
      hidden.SetValue(h, s > 0 ? s : 0);
    }
    for (int c = 0; c < channels; ++c) {
      float s = 0;
      for (int h = 0; h < 32; ++h) s += w.GetValue((512 + c) * 32 + h) * hidden.GetValue(h);
      gate.SetValue(c, s);
    }
)";
  const std::string gaussian = R"(
    float sum = 0, squares = 0;
    for (int c = 0; c < channels; ++c) { const float m = mean.GetValue(c); sum += m; squares += m * m; }
    const float centre = sum / channels, variance = squares / channels - centre * centre + 1e-5f;
    for (int c = 0; c < channels; ++c) { const float d = mean.GetValue(c) - centre; gate.SetValue(c, d * d / variance); }
)";
  return {
      {"gate with a window of 3 (ECA)", "scalar", kStructure, kEvoKernel, 3030,
       [=] { return gates_of(window + kSigmoid); }},
      {"gate with two layers (SE)", "scalar", kStructure, kEvoKernel, 5380,
       [=] { return gates_of(two_layers + kSigmoid); }},
      {"gate by a Gaussian (GCT)", "scalar", kStructure, kEvoKernel, 2890,
       [=] { return gates_of(gaussian + kSigmoid); }},
  };
}

}  // namespace kg::npu::testing
