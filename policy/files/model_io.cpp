#include "policy/files/model_io.h"

#include <unistd.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "policy/files/difference.h"
#include "policy/files/gguf_model.h"
#include "policy/files/huggingface_model.h"
#include "policy/files/policy_version.h"
#include "policy/files/safetensors.h"
#include "policy/text/tokenizer_json.h"

namespace kg::policy {
namespace {

using nlohmann::json;

at::ScalarType scalar_type(const std::string& dtype) {
  if (dtype == "float32") return at::kFloat;
  if (dtype == "bfloat16") return at::kBFloat16;
  throw Error("weights cannot be written as \"" + dtype + "\"", "export", "use float32 or bfloat16");
}

json id_or_null(std::int32_t id) { return id >= 0 ? json(id) : json(nullptr); }

json rope_scaling_json(const RopeScaling& s) {
  if (s.type == "default") return nullptr;
  json scaling = {{"rope_type", s.type}, {"factor", s.factor}};
  if (s.type == "llama3" || s.type == "yarn")
    scaling["original_max_position_embeddings"] = std::llround(s.original_context);
  if (s.type == "llama3") {
    scaling["low_freq_factor"] = s.low_frequency_factor;
    scaling["high_freq_factor"] = s.high_frequency_factor;
  }
  if (s.type == "yarn") {
    scaling["beta_fast"] = s.beta_fast;
    scaling["beta_slow"] = s.beta_slow;
    if (s.attention_factor > 0) scaling["attention_factor"] = s.attention_factor;
  }
  return scaling;
}

json config_json(const ModelConfig& config, const std::string& dtype) {
  const std::map<std::string, std::string> classes{{"llama", "LlamaForCausalLM"},
                                                   {"qwen2", "Qwen2ForCausalLM"},
                                                   {"qwen3", "Qwen3ForCausalLM"},
                                                   {"qwen3_moe", "Qwen3MoeForCausalLM"}};
  json document = {{"architectures", {classes.at(config.architecture)}},
                   {"model_type", config.architecture},
                   {"vocab_size", config.vocabulary},
                   {"hidden_size", config.width},
                   {"num_hidden_layers", config.layers},
                   {"num_attention_heads", config.heads},
                   {"num_key_value_heads", config.kv_heads},
                   {"head_dim", config.head_size},
                   {"intermediate_size", config.ffn_width},
                   {"max_position_embeddings", config.context},
                   {"rope_theta", config.rope_base},
                   {"rope_scaling", rope_scaling_json(config.rope_scaling)},
                   {"rms_norm_eps", config.norm_epsilon},
                   {"hidden_act", "silu"},
                   {"attention_dropout", 0.0},
                   {"initializer_range", 0.02},
                   {"tie_word_embeddings", config.tied_embedding},
                   {"bos_token_id", id_or_null(config.bos_id)},
                   {"eos_token_id", id_or_null(config.eos_id)},
                   {"use_cache", true},
                   {"torch_dtype", dtype}};
  if (config.architecture == "llama") document.update({{"attention_bias", false}, {"mlp_bias", false}});
  if (config.architecture != "llama") document["use_sliding_window"] = false;
  if (config.has_qk_norm()) document["attention_bias"] = false;
  if (config.has_experts())
    document.update({{"moe_intermediate_size", config.ffn_width},
                     {"num_experts", config.experts},
                     {"num_experts_per_tok", config.experts_used},
                     {"norm_topk_prob", config.normalised_experts},
                     {"decoder_sparse_step", 1},
                     {"mlp_only_layers", json::array()}});
  return document;
}

json tokenizer_config_json(const TokenizerSpec& spec, const ModelConfig& config, const std::string& jinja) {
  json document = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                   {"model_max_length", config.context},
                   {"clean_up_tokenization_spaces", false},
                   {"added_tokens_decoder", json::object()}};
  for (const TokenizerSpec::AddedToken& token : spec.added)
    document["added_tokens_decoder"][std::to_string(token.id)] = {
        {"content", spec.tokens[static_cast<std::size_t>(token.id)]},
        {"single_word", false},
        {"lstrip", false},
        {"rstrip", false},
        {"normalized", false},
        {"special", token.special}};
  const auto name = [&](const char* key, std::int32_t id) {
    if (id >= 0) document[key] = spec.tokens.at(static_cast<std::size_t>(id));
  };
  name("bos_token", spec.bos);
  name("eos_token", spec.eos);
  name("pad_token", spec.pad);
  if (!jinja.empty()) document["chat_template"] = jinja;
  return document;
}

void write_json(const fs::path& path, const json& document) {
  write_file_atomically(path, document.dump(/*indent=*/2) + "\n");
}

}  // namespace

LoadedModel load_model(const fs::path& path) {
  LoadedModel model = !fs::is_directory(path) ? load_gguf_model(path)
                      : is_difference(path)   ? load_difference(path)
                                              : load_huggingface_model(path);
  model.path = path;
  return model;
}

namespace {

struct Removed {
  fs::path path;
  ~Removed() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

void export_model(const fs::path& folder, const ModelConfig& config, const std::vector<NamedTensor>& weights,
                  const LoadedModel& source, const std::string& dtype) {
  export_checked(folder, config, weights, source, dtype);
}

WrittenTensors export_checked(const fs::path& folder, const ModelConfig& config,
                              const std::vector<NamedTensor>& weights, const LoadedModel& source,
                              const std::string& dtype) {
  const at::ScalarType type = scalar_type(dtype);
  const TokenizerSpec& spec = source.tokenizer->spec();
  const std::string mark = std::to_string(::getpid());
  const fs::path temporary = folder.string() + ".tmp-" + mark, old = folder.string() + ".old-" + mark;
  fs::remove_all(temporary);
  const Removed removed{temporary};  // an export that fails leaves nothing
  fs::create_directories(temporary);
  write_json(temporary / "config.json", config_json(config, dtype));
  write_json(temporary / "generation_config.json", {{"bos_token_id", id_or_null(spec.bos)},
                                                    {"eos_token_id", id_or_null(spec.eos)},
                                                    {"pad_token_id", id_or_null(spec.pad)}});
  write_json(temporary / "tokenizer.json", to_tokenizer_json(spec));
  write_json(temporary / "tokenizer_config.json", tokenizer_config_json(spec, config, source.chat_template.jinja()));
  WrittenTensors written = write_safetensors(temporary / "model.safetensors", weights, type);
  if (fs::exists(folder)) fs::rename(folder, old);  // a rename replaces no folder that holds files
  fs::rename(temporary, folder);
  fs::remove_all(old);
  return written;
}

std::string write_weights(const fs::path& file, const std::vector<NamedTensor>& weights, const std::string& dtype) {
  return write_safetensors(file, weights, scalar_type(dtype)).file_checksum;
}

std::vector<NamedTensor> read_weights(const fs::path& file) { return read_safetensors(file); }

}  // namespace kg::policy
