#include "policy/files/gguf_model.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "base/error.h"
#include "policy/files/dequantise.h"
#include "policy/files/gguf.h"
#include "policy/model/parameter_layout.h"
#include "policy/model/rope.h"
#include "policy/text/byte_bpe.h"

namespace kg::policy {
namespace {

struct NameRow {
  const char* gguf;
  const char* huggingface;
};
constexpr std::array<NameRow, 15> kLayerNames{{
    {"attn_norm.weight", "input_layernorm.weight"},
    {"attn_q.weight", "self_attn.q_proj.weight"},
    {"attn_k.weight", "self_attn.k_proj.weight"},
    {"attn_v.weight", "self_attn.v_proj.weight"},
    {"attn_q.bias", "self_attn.q_proj.bias"},
    {"attn_k.bias", "self_attn.k_proj.bias"},
    {"attn_v.bias", "self_attn.v_proj.bias"},
    {"attn_q_norm.weight", "self_attn.q_norm.weight"},
    {"attn_k_norm.weight", "self_attn.k_norm.weight"},
    {"attn_output.weight", "self_attn.o_proj.weight"},
    {"ffn_norm.weight", "post_attention_layernorm.weight"},
    {"ffn_gate.weight", "mlp.gate_proj.weight"},
    {"ffn_up.weight", "mlp.up_proj.weight"},
    {"ffn_down.weight", "mlp.down_proj.weight"},
    {"ffn_gate_inp.weight", "mlp.gate.weight"},
}};
// All experts of a layer in one tensor (E, out, in).
constexpr std::array<NameRow, 3> kExpertNames{{
    {"ffn_gate_exps.weight", "gate_proj.weight"},
    {"ffn_up_exps.weight", "up_proj.weight"},
    {"ffn_down_exps.weight", "down_proj.weight"},
}};
constexpr const char* kRopeFactors = "rope_freqs.weight";

bool ends_with(const std::string& text, const char* end) { return std::string_view(text).ends_with(end); }

// "" if the tensor belongs to none of the supported models. "*" is replaced by the number of an expert.
std::string huggingface_name(const std::string& name) {
  if (name == "token_embd.weight") return "model.embed_tokens.weight";
  if (name == "output_norm.weight") return "model.norm.weight";
  if (name == "output.weight") return "lm_head.weight";
  const std::size_t dot = name.find('.', 4);
  if (!name.starts_with("blk.") || dot == std::string::npos) return "";
  const std::string layer = "model.layers." + name.substr(4, dot - 4) + ".";
  for (const NameRow& row : kLayerNames)
    if (name.substr(dot + 1) == row.gguf) return layer + row.huggingface;
  for (const NameRow& row : kExpertNames)
    if (name.substr(dot + 1) == row.gguf) return layer + "mlp.experts.*." + row.huggingface;
  return "";
}

// GGUF keeps fp32 numbers; the model's number is the shortest decimal that gives the same fp32 number (1e-05, not
// 9.9999997e-06).
double shortest(double value) {
  char text[32] = {};
  std::to_chars(text, text + sizeof(text) - 1, static_cast<float>(value));
  return std::stod(text);
}

// Llama 3.1 and later carry the factors of their scaling instead of its parameters, which are those of one of the
// published models.
RopeScaling scaling_of_factors(const GgufTensor& tensor, const ModelConfig& plain, const std::string& where) {
  const at::Tensor factors = dequantise(tensor);  // (D/2): each frequency is divided by its own
  ModelConfig scaled = plain;
  const Rope base = rope_of(plain);
  for (const double factor : {8.0, 32.0}) {
    scaled.rope_scaling = {.type = "llama3", .factor = factor, .original_context = 8192};
    const Rope rope = rope_of(scaled);
    bool same = factors.numel() == static_cast<std::int64_t>(rope.frequencies.size());
    for (std::size_t i = 0; same && i < rope.frequencies.size(); ++i) {
      const float wanted = base.frequencies[i] / rope.frequencies[i];
      same = std::abs(factors.const_data_ptr<float>()[i] - wanted) < 1e-3f * wanted;
    }
    if (same) return scaled.rope_scaling;
  }
  throw Error("the RoPE factors in this file are not those of Llama 3.1 or 3.2", where,
              "use the model's Hugging Face directory");
}

ModelConfig read_config(const GgufFile& file) {
  const std::string where = file.path().string();
  const std::map<std::string, std::string> families{
      {"llama", "llama"}, {"qwen2", "qwen2"}, {"qwen3", "qwen3"}, {"qwen3moe", "qwen3_moe"}};
  const std::string family = file.text("general.architecture", "");
  if (families.count(family) == 0)
    throw Error("the architecture \"" + family + "\" is not supported", where,
                "use a model of the families Llama, Qwen2, Qwen2.5 or Qwen3");
  const auto key = [&](const char* name) { return family + "." + name; };
  ModelConfig config;
  config.architecture = families.at(family);
  config.width = file.integer(key("embedding_length"));
  config.layers = file.integer(key("block_count"));
  config.heads = file.integer(key("attention.head_count"));
  config.kv_heads = file.integer(key("attention.head_count_kv"), config.heads);
  config.head_size =
      file.integer(key("attention.key_length"),
                   file.integer(key("rope.dimension_count"), config.heads > 0 ? config.width / config.heads : 0));
  config.context = file.integer(key("context_length"));
  config.experts = file.integer(key("expert_count"), 0);
  config.experts_used = file.integer(key("expert_used_count"), 0);
  if (config.has_experts() && config.architecture != "qwen3_moe")
    throw Error("a mixture of experts of the architecture \"" + family + "\" is not supported", where,
                "of the models with experts, only Qwen3's are supported");
  config.ffn_width = file.integer(key(config.has_experts() ? "expert_feed_forward_length" : "feed_forward_length"));
  config.rope_base = file.has(key("rope.freq_base")) ? shortest(file.number(key("rope.freq_base"))) : 10000;
  config.norm_epsilon = shortest(file.number(key("attention.layer_norm_rms_epsilon")));
  config.bos_id = static_cast<std::int32_t>(file.integer("tokenizer.ggml.bos_token_id", -1));
  config.eos_id = static_cast<std::int32_t>(file.integer("tokenizer.ggml.eos_token_id", -1));
  if (const std::string type = file.text(key("rope.scaling.type"), "none"); type != "none") {
    config.rope_scaling.type = type;
    config.rope_scaling.factor = file.number(key("rope.scaling.factor"));
    config.rope_scaling.original_context =
        static_cast<double>(file.integer(key("rope.scaling.original_context_length"), config.context));
  }
  config.tied_embedding = true;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.name == "token_embd.weight") config.vocabulary = tensor.shape.front();
    if (tensor.name == "output.weight") config.tied_embedding = false;
    if (tensor.name == kRopeFactors) config.rope_scaling = scaling_of_factors(tensor, config, where);
  }
  check_config(config, where);
  return config;
}

// For Llama, llama.cpp rotates neighbouring elements of a head, Hugging Face element i with i + D/2; so GGUF stores the
// rows of Q and K of each head as (D/2, 2) where Hugging Face has (2, D/2). For other families both are the same.
at::Tensor to_half_rotation(const at::Tensor& weight, std::int64_t heads) {  // (heads * D, C)
  const std::int64_t half = weight.size(0) / heads / 2;
  return weight.view({heads, half, 2, weight.size(1)}).transpose(1, 2).reshape({weight.size(0), weight.size(1)});
}

std::vector<NamedTensor> read_weights_of(const GgufFile& file, const ModelConfig& config) {
  std::vector<NamedTensor> weights;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.name == kRopeFactors) continue;
    const std::string name = huggingface_name(tensor.name);
    if (name.empty())
      throw Error("tensor " + tensor.name + " belongs to no model that is read", file.path().string(),
                  "use a plain model of the families Llama, Qwen2, Qwen2.5 or Qwen3");
    at::Tensor weight = dequantise(tensor);
    const bool query = ends_with(name, "q_proj.weight"), key = ends_with(name, "k_proj.weight");
    if (config.architecture == "llama" && (query || key) && weight.dim() == 2 &&
        weight.size(0) == (query ? config.heads : config.kv_heads) * config.head_size)
      weight = to_half_rotation(weight, query ? config.heads : config.kv_heads);
    const std::size_t star = name.find('*');
    if (star == std::string::npos) {
      weights.push_back({name, std::move(weight)});
      continue;
    }
    for (std::int64_t e = 0; e < weight.size(0); ++e)
      weights.push_back(
          {name.substr(0, star) + std::to_string(e) + name.substr(star + 1), weight.select(0, e).clone()});
  }
  return arrange_parameters(config, std::move(weights), file.path().string());
}

TokenizerSpec read_tokenizer(const GgufFile& file) {
  const std::string model = file.text("tokenizer.ggml.model", ""), pattern = file.text("tokenizer.ggml.pre", "");
  TokenizerSpec spec;
  const std::map<std::string, TokenizerSpec::WordPattern> patterns{{"smollm", TokenizerSpec::WordPattern::kSmolLm},
                                                                   {"gpt-2", TokenizerSpec::WordPattern::kGpt2},
                                                                   {"llama-bpe", TokenizerSpec::WordPattern::kLlama3},
                                                                   {"qwen2", TokenizerSpec::WordPattern::kQwen}};
  if (model == "gpt2" && patterns.count(pattern) != 0)
    spec.pattern = patterns.at(pattern);
  else

    throw Error("the tokenizer \"" + model + "\" with the pre-tokeniser \"" + pattern + "\" is not supported",
                file.path().string(), "use a model with a byte-level BPE as in GPT-2, SmolLM, Llama 3 or Qwen");
  spec.composes = spec.pattern == TokenizerSpec::WordPattern::kQwen;       // the file does not say so
  spec.whole_words = spec.pattern == TokenizerSpec::WordPattern::kLlama3;  // nor this
  if (file.flag("tokenizer.ggml.add_space_prefix", false))
    throw Error("a tokenizer that adds a space is not supported", file.path().string(), "use another model");
  spec.tokens = file.texts("tokenizer.ggml.tokens");
  spec.merges = file.texts("tokenizer.ggml.merges");
  const std::vector<std::int64_t>& types = file.integers("tokenizer.ggml.token_type");
  if (types.size() != spec.tokens.size())
    throw Error("the GGUF file has " + std::to_string(spec.tokens.size()) + " tokens but " +
                    std::to_string(types.size()) + " token types",
                file.path().string(), "download the model file again");
  constexpr std::int64_t kControl = 3, kUserDefined = 4, kUnused = 5;
  for (std::size_t id = 0; id < types.size(); ++id) {
    if (types[id] == kControl || types[id] == kUserDefined)
      spec.added.push_back({static_cast<std::int32_t>(id), types[id] == kControl});
    if (types[id] == kUnused) spec.tokens[id].clear();
  }
  spec.bos = static_cast<std::int32_t>(file.integer("tokenizer.ggml.bos_token_id", -1));
  spec.eos = static_cast<std::int32_t>(file.integer("tokenizer.ggml.eos_token_id", -1));
  spec.pad = static_cast<std::int32_t>(file.integer("tokenizer.ggml.padding_token_id", -1));
  return spec;
}

}  // namespace

LoadedModel load_gguf_model(const std::filesystem::path& path) {
  const GgufFile file(path);
  LoadedModel model;
  model.config = read_config(file);
  model.tokenizer = std::make_shared<ByteBpe>(read_tokenizer(file));
  const TokenizerSpec& tokens = model.tokenizer->spec();
  model.chat_template = ChatTemplate::from_jinja(file.text("tokenizer.chat_template", ""),
                                                 token_text(tokens, tokens.bos), token_text(tokens, tokens.eos));
  model.weights = read_weights_of(file, model.config);
  return model;
}

}  // namespace kg::policy
