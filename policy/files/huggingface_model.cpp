#include "policy/files/huggingface_model.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/foreign_content.h"
#include "policy/files/safetensors.h"
#include "policy/model/parameter_layout.h"
#include "policy/text/byte_bpe.h"
#include "policy/text/tokenizer_json.h"
#include "policy/text/whole_number.h"

namespace kg::policy {
namespace {

using nlohmann::json;

json read_json(const fs::path& path) {
  const std::string text = read_file(path);
  if (const auto foreign = foreign_content(text); !foreign.empty())
    throw Error("the model's file is " + std::string(foreign), path.string(), kForeignContentHint);
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) throw Error("not a JSON object", path.string(), "download or export the model again");
  return document;
}

json read_json_if_present(const fs::path& path) { return fs::exists(path) ? read_json(path) : json::object(); }

void refuse_if(bool condition, const std::string& what, const fs::path& path) {
  if (condition)
    throw Error(what + " is not supported", path.string(), "use a plain model of the families Llama or Qwen");
}

// A value that may be absent or null.
template <typename T>
T value_or(const json& document, const char* key, T fallback) {
  return document.contains(key) && !document[key].is_null() ? document[key].get<T>() : fallback;
}

std::int32_t token_id(const json& config, const char* key) {  // of several end tokens the first one counts
  if (!config.contains(key)) return -1;
  const json& id = config[key].is_array() && !config[key].empty() ? config[key][0] : config[key];
  return id.is_number_integer() ? id.get<std::int32_t>() : -1;
}

// transformers 5 writes rope_parameters; before, there were rope_theta and rope_scaling.
RopeScaling read_rope_scaling(const json& document) {
  json rope = value_or(document, "rope_scaling", json::object());
  rope.update(value_or(document, "rope_parameters", json::object()));
  RopeScaling scaling;
  scaling.type = value_or(rope, "rope_type", value_or<std::string>(rope, "type", "default"));
  scaling.factor = value_or(rope, "factor", 1.0);
  scaling.original_context =
      value_or(rope, "original_max_position_embeddings", value_or(document, "original_max_position_embeddings", 0.0));
  scaling.low_frequency_factor = value_or(rope, "low_freq_factor", 1.0);
  scaling.high_frequency_factor = value_or(rope, "high_freq_factor", 4.0);
  scaling.beta_fast = value_or(rope, "beta_fast", 32.0);
  scaling.beta_slow = value_or(rope, "beta_slow", 1.0);
  scaling.attention_factor = value_or(rope, "attention_factor", 0.0);
  return scaling;
}

void refuse_variants(const json& document, const ModelConfig& config, const fs::path& path) {
  const json rope = value_or(document, "rope_parameters", value_or(document, "rope_scaling", json::object()));
  refuse_if(value_or(document, "attention_bias", false) || value_or(document, "mlp_bias", false), "a bias", path);
  refuse_if(value_or<std::string>(document, "hidden_act", "silu") != "silu", "an activation other than silu", path);
  refuse_if(value_or(document, "use_sliding_window", false), "attention within a sliding window", path);
  refuse_if(value_or(document, "partial_rotary_factor", 1.0) != 1 || value_or(rope, "partial_rotary_factor", 1.0) != 1,
            "rotation of a part of each head", path);
  refuse_if(rope.contains("mscale") || !value_or(rope, "truncate", true), "this variant of YaRN", path);
  if (!config.has_experts()) return;
  refuse_if(value_or<std::int64_t>(document, "decoder_sparse_step", 1) != 1 ||
                !value_or(document, "mlp_only_layers", json::array()).empty(),
            "a mixture of experts in some layers only", path);
}

ModelConfig read_config(const fs::path& path) {
  const json document = read_json(path);
  ModelConfig config;
  config.architecture = document.value("model_type", "");
  const std::set<std::string> known{"llama", "qwen2", "qwen3", "qwen3_moe"};
  if (known.count(config.architecture) == 0)
    throw Error("the architecture \"" + config.architecture + "\" is not supported", path.string(),
                "use a model of the families Llama, Qwen2, Qwen2.5 or Qwen3");
  config.rope_scaling = read_rope_scaling(document);
  config.rope_base = value_or(value_or(document, "rope_parameters", json::object()), "rope_theta",
                              value_or(document, "rope_theta", 10000.0));
  config.vocabulary = whole_number(document.at("vocab_size"));
  config.width = whole_number(document.at("hidden_size"));
  config.layers = whole_number(document.at("num_hidden_layers"));
  config.heads = whole_number(document.at("num_attention_heads"));
  config.kv_heads = value_or(document, "num_key_value_heads", config.heads);
  config.head_size = value_or(document, "head_dim", config.heads > 0 ? config.width / config.heads : 0);
  config.context = value_or<std::int64_t>(document, "max_position_embeddings", 2048);
  config.norm_epsilon = value_or(document, "rms_norm_eps", 1e-6);
  config.tied_embedding = value_or(document, "tie_word_embeddings", false);
  if (config.architecture == "qwen3_moe") {
    // transformers 5 writes num_local_experts.
    config.experts = whole_number(document.at(document.contains("num_experts") ? "num_experts" : "num_local_experts"));
    config.experts_used = whole_number(document.at("num_experts_per_tok"));
    config.normalised_experts = value_or(document, "norm_topk_prob", false);
  }
  config.ffn_width = whole_number(document.at(config.has_experts() ? "moe_intermediate_size" : "intermediate_size"));
  config.bos_id = token_id(document, "bos_token_id");
  config.eos_id = token_id(document, "eos_token_id");
  if (config.rope_scaling.original_context == 0)
    config.rope_scaling.original_context = static_cast<double>(config.context);
  refuse_variants(document, config, path);
  check_config(config, path.string());
  return config;
}

std::vector<NamedTensor> read_all_weights(const fs::path& folder, const ModelConfig& config) {
  std::set<std::string> files;
  const fs::path index = folder / "model.safetensors.index.json";
  if (fs::exists(folder / "model.safetensors")) {
    files.insert("model.safetensors");
  } else if (fs::exists(index)) {
    const json parts = read_json(index);
    for (const auto& [name, file] : parts.at("weight_map").items()) {
      const std::string part = file.get<std::string>();
      refuse_if(part.find('/') != std::string::npos, "a part outside the folder (" + part + ")", index);
      files.insert(part);
    }
  } else {
    throw Error("no weights: neither model.safetensors nor model.safetensors.index.json is there", folder.string(),
                "a model in PyTorch's .bin form must be saved as safetensors first");
  }
  std::vector<NamedTensor> weights;
  for (const std::string& file : files)
    for (NamedTensor& part : read_safetensors(folder / file))
      // fp32 weights would alias the file; training changes them in place, so they are copied to memory.
      weights.push_back({part.name, part.tensor.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true)});
  return arrange_parameters(config, std::move(weights), folder.string());
}

std::int32_t id_of_named(const TokenizerSpec& spec, const json& config, const char* key) {
  if (!config.contains(key)) return -1;
  const json& entry = config[key];
  const std::string token = entry.is_object()   ? entry.value("content", "")
                            : entry.is_string() ? entry.get<std::string>()
                                                : "";
  for (const TokenizerSpec::AddedToken& added : spec.added)
    if (spec.tokens[static_cast<std::size_t>(added.id)] == token) return added.id;
  return -1;
}

std::string read_chat_template(const fs::path& folder, const json& tokenizer_config) {
  if (fs::exists(folder / "chat_template.jinja")) return read_file(folder / "chat_template.jinja");
  return tokenizer_config.contains("chat_template") && tokenizer_config["chat_template"].is_string()
             ? tokenizer_config["chat_template"].get<std::string>()
             : "";
}

LoadedModel load(const fs::path& folder) {
  LoadedModel model;
  model.config = read_config(folder / "config.json");
  const fs::path tokenizer_path = folder / "tokenizer.json";
  TokenizerSpec spec = parse_tokenizer_json(read_json(tokenizer_path), tokenizer_path.string());
  const json tokenizer_config = read_json_if_present(folder / "tokenizer_config.json");
  spec.bos = id_of_named(spec, tokenizer_config, "bos_token");
  spec.eos = id_of_named(spec, tokenizer_config, "eos_token");
  spec.pad = id_of_named(spec, tokenizer_config, "pad_token");
  if (spec.eos < 0) spec.eos = model.config.eos_id;
  model.tokenizer = std::make_shared<ByteBpe>(std::move(spec));
  const TokenizerSpec& tokens = model.tokenizer->spec();
  model.chat_template = ChatTemplate::from_jinja(read_chat_template(folder, tokenizer_config),
                                                 token_text(tokens, tokens.bos), token_text(tokens, tokens.eos));
  model.weights = read_all_weights(folder, model.config);
  return model;
}

}  // namespace

ModelConfig load_huggingface_config(const fs::path& file) { return read_config(file); }

LoadedModel load_huggingface_model(const fs::path& folder) {
  try {
    return load(folder);
  } catch (const json::exception& error) {
    throw Error(std::string("a file of the model is malformed: ") + error.what(), folder.string(),
                "download or export the model again");
  }
}

}  // namespace kg::policy
