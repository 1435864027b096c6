#include "reward/reward_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/options.h"

namespace kg::reward {
namespace {

struct Field {
  const char* name;
  double RewardConfig::* member;
};

constexpr std::array<Field, 14> kFields{{{"rejected", &RewardConfig::rejected},
                                         {"compile", &RewardConfig::compile},
                                         {"run", &RewardConfig::run},
                                         {"compare", &RewardConfig::compare},
                                         {"partial_credit", &RewardConfig::partial_credit},
                                         {"check", &RewardConfig::check},
                                         {"correct", &RewardConfig::correct},
                                         {"speedup_weight", &RewardConfig::speedup_weight},
                                         {"speedup_low", &RewardConfig::speedup_low},
                                         {"speedup_high", &RewardConfig::speedup_high},
                                         {"faster", &RewardConfig::faster},
                                         {"faster_than", &RewardConfig::faster_than},
                                         {"much_faster", &RewardConfig::much_faster},
                                         {"much_faster_than", &RewardConfig::much_faster_than}}};

const std::vector<RewardConfig> kPresets{
    RewardConfig{.preset = "staged"},
    // 1 for a correct kernel, nothing otherwise; latency does not count.
    {.preset = "binary", .run = 0, .compare = 0, .partial_credit = 0, .check = 0, .correct = 1},
    // AscendKernelGen (arXiv 2601.07160): correct > ran but wrong > did not compile; latency does not count.
    {.preset = "ascendkernelgen", .run = 0.25, .compare = 0.5, .partial_credit = 0, .check = 0.5, .correct = 1},
    // Kevin-32B: 0.3 for a correct kernel plus its speed-up, nothing otherwise.
    {.preset = "kevin", .run = 0, .compare = 0, .partial_credit = 0, .check = 0, .correct = 0.3, .speedup_weight = 1.0},
    // CUDA Agent: -1 wrong, 1 correct, 2 faster than the baseline, 3 more than 5 % faster.
    {.preset = "cuda-agent",
     .rejected = -1,
     .compile = -1,
     .run = -1,
     .compare = -1,
     .partial_credit = 0,
     .check = -1,
     .correct = 1,
     .tiered = true,
     .faster = 2,
     .faster_than = 1.0,
     .much_faster = 3,
     .much_faster_than = 1.05}};

}  // namespace

std::vector<std::string> reward_presets() {
  std::vector<std::string> names;
  for (const RewardConfig& config : kPresets) names.push_back(config.preset);
  return names;
}

RewardConfig reward_preset(const std::string& name) {
  for (const RewardConfig& config : kPresets)
    if (config.preset == name) return config;
  const std::vector<std::string> known = reward_presets();
  const std::string near = nearest_name(name, known);
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
  throw Error("unknown reward preset \"" + name + "\"", "reward",
              near.empty() ? "use one of " + all : "did you mean \"" + near + "\"?");
}

nlohmann::json to_json(const RewardConfig& config) {
  nlohmann::json json{{"preset", config.preset}, {"tiered", config.tiered}};
  for (const Field& field : kFields) json[field.name] = config.*field.member;
  return json;
}

RewardConfig reward_config_from_json(const nlohmann::json& json) {
  RewardConfig config = reward_preset(json.value("preset", std::string("staged")));
  config.tiered = json.value("tiered", config.tiered);
  for (const Field& field : kFields) config.*field.member = json.value(field.name, config.*field.member);
  return config;
}

double reward_of(const proto::Verdict& verdict, const RewardConfig& config) {
  switch (verdict.stage()) {
    case proto::REJECTED:
      return config.rejected;
    case proto::COMPILE:
      return config.compile;
    case proto::RUN:
      return config.run;
    case proto::COMPARE: {
      const double passed =
          verdict.cases_total() == 0 ? 0.0 : static_cast<double>(verdict.cases_passed()) / verdict.cases_total();
      return config.compare + config.partial_credit * passed;
    }
    case proto::CHECK:
      return config.check;
    case proto::CORRECT:
      break;
    default:
      return 0.0;
  }
  if (config.tiered) {
    if (verdict.speedup() > config.much_faster_than) return config.much_faster;
    if (verdict.speedup() > config.faster_than) return config.faster;
    return config.correct;
  }
  return config.correct +
         config.speedup_weight * std::clamp(verdict.speedup(), config.speedup_low, config.speedup_high);
}

}  // namespace kg::reward
