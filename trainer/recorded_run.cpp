#include "trainer/recorded_run.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace kg::trainer {

std::string data_of_model(const fs::path& model) {
  // A model lies in RUN/model or RUN/checkpoints/step-N/model.
  for (fs::path folder = model; folder.has_relative_path(); folder = folder.parent_path()) {
    std::ifstream file(folder / "config.json");
    if (!file) continue;
    const auto config = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
    // A Hugging Face directory has a config.json too, without a command.
    if (config.is_object() && config.contains("command") && config.contains("data")) return config.at("data");
  }
  return "ascend_cot.h5";
}

std::string unused_run_id(const dataset::Dataset& data, const std::string& name) {
  std::set<std::string> used;
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    used.insert(rollout.run());
    return true;
  });
  std::string id = name;
  for (int i = 2; used.contains(id); ++i) id = name + "-" + std::to_string(i);
  return id;
}

}  // namespace kg::trainer
