#include "policy/model/rope.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/pow.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/error.h"

namespace kg::policy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Wavelengths short relative to the old context stay, long ones are stretched, those between are mixed.
double llama3(double frequency, const RopeScaling& s) {
  const double turns = s.original_context * frequency / kTurn;  // within the old context
  if (turns > s.high_frequency_factor) return frequency;
  if (turns < s.low_frequency_factor) return frequency / s.factor;
  const double kept = (turns - s.low_frequency_factor) / (s.high_frequency_factor - s.low_frequency_factor);
  return (1 - kept) * frequency / s.factor + kept * frequency;
}

// The element pair, counted through the whole head and not rounded, that makes `turns` turns within the old context.
double pair_of_turns(double turns, double head_size, double base, const RopeScaling& s) {
  return head_size * std::log(s.original_context / (turns * kTurn)) / (2 * std::log(base));
}

double yarn(double frequency, double pair, double head_size, double base, const RopeScaling& s) {
  const double first = std::max(0.0, std::floor(pair_of_turns(s.beta_fast, head_size, base, s)));
  double last = std::min(head_size - 1, std::ceil(pair_of_turns(s.beta_slow, head_size, base, s)));
  if (first == last) last += 0.001;
  const double stretched = std::clamp((pair - first) / (last - first), 0.0, 1.0);
  return frequency * (1 - stretched) + frequency / s.factor * stretched;
}

}  // namespace

Rope rope_of(const ModelConfig& config) {
  const RopeScaling& s = config.rope_scaling;
  const auto size = static_cast<double>(config.head_size);
  Rope rope;
  // In single precision, as models were trained with them: a unit in the last place turns position 1000 by 6e-5.
  const at::Tensor exponents = at::arange(0, config.head_size, 2, at::kFloat).div(size);  // (D/2)
  const at::Tensor plain = at::pow(config.rope_base, exponents).reciprocal();             // (D/2)
  for (std::int64_t pair = 0; pair < config.head_size / 2; ++pair) {
    const auto i = static_cast<double>(pair);
    double frequency = plain.const_data_ptr<float>()[pair];
    if (s.type == "linear") frequency /= s.factor;
    if (s.type == "llama3") frequency = llama3(frequency, s);
    if (s.type == "yarn") frequency = yarn(frequency, i, size, config.rope_base, s);
    rope.frequencies.push_back(static_cast<float>(frequency));
  }
  if (s.type == "yarn") {
    const double by_factor = s.factor > 1 ? 0.1 * std::log(s.factor) + 1 : 1;
    rope.magnitude = static_cast<float>(s.attention_factor > 0 ? s.attention_factor : by_factor);
  }
  return rope;
}

void check_rope_scaling(const RopeScaling& s, const std::string& where) {
  const bool known = s.type == "default" || s.type == "linear" || s.type == "llama3" || s.type == "yarn";
  if (!known)
    throw Error("RoPE scaling of the type \"" + s.type + "\" is not supported", where,
                "use a model with none, linear, llama3 or yarn");
  const bool needs_context = s.type == "llama3" || s.type == "yarn";
  if (s.factor <= 0 || (needs_context && s.original_context <= 0) ||
      (s.type == "llama3" && s.high_frequency_factor <= s.low_frequency_factor))
    throw Error("the values of the RoPE scaling \"" + s.type + "\" make no sense", where,
                "check factor, original_max_position_embeddings and the frequency factors");
}

}  // namespace kg::policy
