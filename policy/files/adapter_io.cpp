#include "policy/files/adapter_io.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "policy/files/safetensors.h"
#include "policy/model/parameter_layout.h"
#include "policy/text/whole_number.h"

namespace kg::policy {
namespace {

using nlohmann::json;

constexpr const char* kPrefix = "base_model.model.";

LoraOptions read_options(const fs::path& path) {
  const json config = json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  const auto refuse_if = [&](bool condition, const std::string& what) {
    if (condition) throw Error(what + " is not supported", path.string(), "only plain LoRA on projections is read");
  };
  if (!config.is_object()) throw Error("not a JSON object", path.string(), "export the adapter again");
  const auto text = [&](const char* key, const char* fallback) {
    return config.contains(key) && config[key].is_string() ? config[key].get<std::string>() : fallback;
  };
  const auto flag = [&](const char* key) { return config.contains(key) && config[key] == true; };
  const auto filled = [&](const char* key) {
    return config.contains(key) && !config[key].is_null() && !config[key].empty();
  };
  refuse_if(text("peft_type", "") != "LORA", "the adapter method \"" + text("peft_type", "") + "\"");
  refuse_if(text("bias", "none") != "none", "a trained bias");
  for (const char* key : {"use_dora", "use_rslora", "fan_in_fan_out"}) refuse_if(flag(key), key);
  for (const char* key : {"modules_to_save", "rank_pattern", "alpha_pattern"}) refuse_if(filled(key), key);
  return {.rank = whole_number(config.at("r")), .alpha = config.at("lora_alpha").get<double>(), .targets = {}};
}

}  // namespace

WrittenTensors write_adapters(const fs::path& folder, const LoraAdapters& adapters, const std::string& base_model) {
  fs::create_directories(folder);
  std::vector<NamedTensor> tensors;
  for (const NamedTensor& adapter : adapters.tensors) tensors.push_back({kPrefix + adapter.name, adapter.tensor});
  WrittenTensors written = write_safetensors(folder / "adapter_model.safetensors", tensors, at::kFloat);
  const json config = {{"peft_type", "LORA"},
                       {"task_type", "CAUSAL_LM"},
                       {"base_model_name_or_path", base_model},
                       {"r", adapters.options.rank},
                       {"lora_alpha", adapters.options.alpha},
                       {"lora_dropout", 0.0},
                       {"target_modules", adapters.options.targets},
                       {"bias", "none"},
                       {"fan_in_fan_out", false},
                       {"inference_mode", true}};
  write_file_atomically(folder / "adapter_config.json", config.dump(/*indent=*/2) + "\n");
  return written;
}

LoraAdapters read_adapters(const fs::path& folder, const ModelConfig& config) {
  const fs::path file = folder / "adapter_model.safetensors";
  LoraAdapters adapters;
  try {
    adapters.options = read_options(folder / "adapter_config.json");
  } catch (const json::exception& error) {
    throw Error(std::string("the adapter's configuration is malformed: ") + error.what(), folder.string(),
                "export the adapter again");
  }
  std::set<std::string> targets;
  for (const NamedTensor& named : read_safetensors(file)) {
    const std::string name =
        named.name.starts_with(kPrefix) ? named.name.substr(std::string(kPrefix).size()) : named.name;
    const std::size_t part = name.rfind(".lora_");
    if (part == std::string::npos)
      throw Error("tensor " + named.name + " is not part of a LoRA", file.string(), "only plain LoRA is read");
    targets.insert(name.substr(0, part).substr(name.rfind('.', part - 1) + 1));
    adapters.tensors.push_back({name, named.tensor.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true)});
  }
  adapters.options.targets.assign(targets.begin(), targets.end());
  check_lora(adapters.options, config);
  // In the order of the layout, every A with its B in the shapes of the model.
  std::vector<NamedTensor> arranged;
  for (const NamedTensor& wanted : new_adapters(adapters.options, config, /*seed=*/0).tensors)
    for (const NamedTensor& found : adapters.tensors)
      if (found.name == wanted.name && found.tensor.sizes().equals(wanted.tensor.sizes())) arranged.push_back(found);
  if (arranged.size() != adapters.tensors.size() || arranged.size() % 2 != 0)
    throw Error("the adapter does not fit the model", file.string(), "give the model that it was trained on");
  adapters.tensors = std::move(arranged);
  return adapters;
}

}  // namespace kg::policy
