#include "evaluation/provenance.h"

#include "base/hash.h"

namespace kg::evaluation {

nlohmann::json audit_of(const fs::path& data) {
  const fs::path file = data.string() + ".audit.json";
  if (data.empty() || !fs::exists(file)) return nullptr;
  const std::string text = read_file(file);
  const nlohmann::json report = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  nlohmann::json audit = {{"file", file.string()}, {"hash", hash128_hex(text)}};
  if (report.is_object()) {
    audit["against"] = report.value("against", "");
    audit["findings"] = report.value("findings", nlohmann::json::array()).size();
  }
  return audit;
}

fs::path training_data_of(const fs::path& model) {
  // A model is in RUN/model or RUN/checkpoints/step-N/model.
  for (fs::path folder = model; folder.has_relative_path(); folder = folder.parent_path()) {
    const fs::path file = folder / "config.json";
    if (!fs::exists(file)) continue;
    const nlohmann::json config = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
    // A model in Hugging Face's form has a config.json as well, which names no command and no data.
    if (config.is_object() && config.contains("command") && config.contains("data") && config["data"].is_string())
      return config["data"].get<std::string>();
  }
  return {};
}

std::string hash_of(const std::vector<proto::Task>& tasks) {
  std::string bytes;
  for (const proto::Task& task : tasks) bytes += task.SerializeAsString();
  return hash128_hex(bytes);
}

}  // namespace kg::evaluation
