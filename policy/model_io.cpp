#include "policy/model_io.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "policy/gguf_model.h"
#include "policy/huggingface_model.h"
#include "policy/safetensors.h"
#include "policy/tokenizer_json.h"

namespace kg::policy {
namespace {

using nlohmann::json;

at::ScalarType scalar_type(const std::string& dtype) {
  if (dtype == "float32") return at::kFloat;
  if (dtype == "bfloat16") return at::kBFloat16;
  throw Error("weights cannot be written as \"" + dtype + "\"", "export", "use float32 or bfloat16");
}

json id_or_null(std::int32_t id) { return id >= 0 ? json(id) : json(nullptr); }

json config_json(const ModelConfig& config, const std::string& dtype) {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"vocab_size", config.vocabulary},
          {"hidden_size", config.width},
          {"num_hidden_layers", config.layers},
          {"num_attention_heads", config.heads},
          {"num_key_value_heads", config.kv_heads},
          {"head_dim", config.head_size},
          {"intermediate_size", config.ffn_width},
          {"max_position_embeddings", config.context},
          {"rope_theta", config.rope_base},
          {"rope_scaling", nullptr},
          {"rms_norm_eps", config.norm_epsilon},
          {"hidden_act", "silu"},
          {"attention_bias", false},
          {"mlp_bias", false},
          {"attention_dropout", 0.0},
          {"initializer_range", 0.02},
          {"tie_word_embeddings", config.tied_embedding},
          {"bos_token_id", id_or_null(config.bos_id)},
          {"eos_token_id", id_or_null(config.eos_id)},
          {"use_cache", true},
          {"torch_dtype", dtype}};
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
  return fs::is_directory(path) ? load_huggingface_model(path) : load_gguf_model(path);
}

void export_model(const fs::path& folder, const ModelConfig& config, const std::vector<NamedTensor>& weights,
                  const LoadedModel& source, const std::string& dtype) {
  const at::ScalarType type = scalar_type(dtype);
  const TokenizerSpec& spec = source.tokenizer->spec();
  const std::string mark = std::to_string(::getpid());
  const fs::path temporary = folder.string() + ".tmp-" + mark, old = folder.string() + ".old-" + mark;
  fs::remove_all(temporary);
  fs::create_directories(temporary);
  write_json(temporary / "config.json", config_json(config, dtype));
  write_json(temporary / "generation_config.json", {{"bos_token_id", id_or_null(spec.bos)},
                                                    {"eos_token_id", id_or_null(spec.eos)},
                                                    {"pad_token_id", id_or_null(spec.pad)}});
  write_json(temporary / "tokenizer.json", to_tokenizer_json(spec));
  write_json(temporary / "tokenizer_config.json", tokenizer_config_json(spec, config, source.chat_template.jinja()));
  write_safetensors(temporary / "model.safetensors", weights, type);
  if (fs::exists(folder)) fs::rename(folder, old);  // a rename replaces no folder that holds files
  fs::rename(temporary, folder);
  fs::remove_all(old);
}

std::string write_weights(const fs::path& file, const std::vector<NamedTensor>& weights, const std::string& dtype) {
  write_safetensors(file, weights, scalar_type(dtype));
  return hash128_hex_of_file(file);
}

std::vector<NamedTensor> read_weights(const fs::path& file) { return read_safetensors(file); }

}  // namespace kg::policy
