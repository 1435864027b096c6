#include "policy/generation/sampling_filter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "base/error.h"
#include "policy/generation/decode_kernels.h"

namespace kg::policy {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();

void require(bool fine, const char* name, float value, const char* allowed) {
  if (!fine)
    throw Error(std::string(name) + " is " + std::to_string(value), "sampling parameters",
                std::string("give ") + allowed);
}

struct Candidate {
  float logit;
  float weight;
};

// The logit of the last token of the smallest set of most probable tokens whose weight reaches `wanted`. Halves the
// candidates until one is left: linear time, where sorting a vocabulary would take longer than the forward pass.
float mass_cutoff(std::vector<Candidate>& candidates, double wanted) {
  auto first = candidates.begin(), last = candidates.end();
  const auto above = [](const Candidate& a, const Candidate& b) { return a.logit > b.logit; };
  double taken = 0;
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, above);
    double upper = 0;
    for (auto c = first; c != middle; ++c) upper += c->weight;
    if (taken + upper >= wanted) {
      last = middle;
    } else {
      taken += upper;
      first = middle;
    }
  }
  return first->logit;
}

float top_p_cutoff(std::span<const float> logits, float top, float floor, const proto::SamplingParameters& s) {
  std::vector<float> weights(logits.size());
  decode_kernels().exponentials(logits.data(), static_cast<std::int64_t>(logits.size()), top, 1.0f / s.temperature(),
                                floor, weights.data());
  double total = 0;
  for (const float w : weights) total += w;
  const double wanted = total * static_cast<double>(s.top_p());
  // Most tokens weigh next to nothing: look among the others first.
  for (const float least : {1e-7f, 0.0f}) {
    std::vector<Candidate> candidates;
    double mass = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] > least) {
        candidates.push_back({logits[i], weights[i]});
        mass += weights[i];
      }
    if (mass >= wanted || least == 0) return mass_cutoff(candidates, wanted);
  }
  return kNone;
}

}  // namespace

void check_sampling(const proto::SamplingParameters& s) {
  require(s.temperature() >= 0 && std::isfinite(s.temperature()), "temperature", s.temperature(), "0 (greedy) or more");
  require(s.top_k() >= 0, "top_k", static_cast<float>(s.top_k()), "0 (off) or more");
  require(s.top_p() >= 0 && s.top_p() <= 1, "top_p", s.top_p(), "0 or 1 (off), or a number between");
  require(s.min_p() >= 0 && s.min_p() <= 1, "min_p", s.min_p(), "0 (off) up to 1");
  require(s.repetition_penalty() >= 0 && std::isfinite(s.repetition_penalty()), "repetition_penalty",
          s.repetition_penalty(), "0 or 1 (off), or a positive number");
}

float filter_cutoff(std::span<const float> logits, const proto::SamplingParameters& s) {
  if (is_greedy(s)) return kNone;
  const auto n = static_cast<std::int64_t>(logits.size());
  const bool cut_k = s.top_k() > 0 && s.top_k() < n, cut_p = s.top_p() > 0 && s.top_p() < 1, cut_min = s.min_p() > 0;
  if (!cut_k && !cut_p && !cut_min) return kNone;
  const float top = decode_kernels().maximum(logits.data(), n);
  float cutoff = kNone;
  if (cut_k) {
    std::vector<float> copy(logits.begin(), logits.end());
    std::nth_element(copy.begin(), copy.begin() + s.top_k() - 1, copy.end(), std::greater<>());
    cutoff = copy[s.top_k() - 1];
  }
  if (cut_p) cutoff = std::max(cutoff, top_p_cutoff(logits, top, cutoff, s));
  if (cut_min) cutoff = std::max(cutoff, std::min(top, top + s.temperature() * std::log(s.min_p())));
  return cutoff;
}

}  // namespace kg::policy
