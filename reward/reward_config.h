#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "proto/verdict.pb.h"

namespace kg::reward {

// The worth of each stage, and the bonus for speed. All constants are recorded with the run.
struct RewardConfig {
  std::string preset = "staged";
  double rejected = 0.0;
  double compile = 0.0;         // ended at compile: did not compile
  double run = 0.1;             // compiled, but did not finish
  double compare = 0.2;         // ran, wrong numbers; plus partial_credit x cases passed / cases
  double partial_credit = 0.1;  // counts cases, never elements
  double check = 0.4;           // right numbers, an error-severity fault
  double correct = 1.0;
  double speedup_weight = 0.0;  // x clipped speed-up, correct kernels only
  double speedup_low = 0.1, speedup_high = 5.0;
  // CUDA Agent's form: for correct kernels `correct`, `faster` above faster_than, `much_faster` above much_faster_than.
  bool tiered = false;
  double faster = 0.0, faster_than = 1.0;
  double much_faster = 0.0, much_faster_than = 1.05;
};

std::vector<std::string> reward_presets();
// A preset by its name; throws Error with the known names.
RewardConfig reward_preset(const std::string& name);
nlohmann::json to_json(const RewardConfig& config);
RewardConfig reward_config_from_json(const nlohmann::json& json);

// The reward of a verdict whose other fields are filled in. Pure.
double reward_of(const proto::Verdict& verdict, const RewardConfig& config);

}  // namespace kg::reward
