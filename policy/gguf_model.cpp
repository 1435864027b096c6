#include "policy/gguf_model.h"

#include <array>
#include <charconv>

#include "base/error.h"
#include "policy/byte_bpe.h"
#include "policy/dequantise.h"
#include "policy/gguf.h"
#include "policy/parameter_layout.h"

namespace kg::policy {
namespace {

struct NameRow {
  const char* gguf;
  const char* huggingface;
};
constexpr std::array<NameRow, 9> kLayerNames{{
    {"attn_norm.weight", "input_layernorm.weight"},
    {"attn_q.weight", "self_attn.q_proj.weight"},
    {"attn_k.weight", "self_attn.k_proj.weight"},
    {"attn_v.weight", "self_attn.v_proj.weight"},
    {"attn_output.weight", "self_attn.o_proj.weight"},
    {"ffn_norm.weight", "post_attention_layernorm.weight"},
    {"ffn_gate.weight", "mlp.gate_proj.weight"},
    {"ffn_up.weight", "mlp.up_proj.weight"},
    {"ffn_down.weight", "mlp.down_proj.weight"},
}};

bool ends_with(const std::string& text, const char* end) { return std::string_view(text).ends_with(end); }

// "" if the tensor belongs to no plain Llama.
std::string huggingface_name(const std::string& name) {
  if (name == "token_embd.weight") return "model.embed_tokens.weight";
  if (name == "output_norm.weight") return "model.norm.weight";
  if (name == "output.weight") return "lm_head.weight";
  const std::size_t dot = name.find('.', 4);
  if (!name.starts_with("blk.") || dot == std::string::npos) return "";
  for (const NameRow& row : kLayerNames)
    if (name.substr(dot + 1) == row.gguf) return "model.layers." + name.substr(4, dot - 4) + "." + row.huggingface;
  return "";
}

ModelConfig read_config(const GgufFile& file) {
  const std::string where = file.path().string();
  ModelConfig config;
  config.architecture = file.text("general.architecture", "");
  if (config.architecture != "llama")
    throw Error("the architecture \"" + config.architecture + "\" is not supported", where,
                "use a model of the Llama family");
  if (file.text("llama.rope.scaling.type", "none") != "none")
    throw Error("RoPE scaling of the type " + file.text("llama.rope.scaling.type", "") + " is not supported", where,
                "use a model without RoPE scaling");
  config.width = file.integer("llama.embedding_length");
  config.layers = file.integer("llama.block_count");
  config.heads = file.integer("llama.attention.head_count");
  config.kv_heads = file.integer("llama.attention.head_count_kv", config.heads);
  config.head_size =
      file.integer("llama.attention.key_length",
                   file.integer("llama.rope.dimension_count", config.heads > 0 ? config.width / config.heads : 0));
  config.ffn_width = file.integer("llama.feed_forward_length");
  config.context = file.integer("llama.context_length");
  // GGUF keeps fp32 numbers; the shortest decimal that gives the same fp32 number is what the model states (1e-05,
  // not 9.9999997e-06).
  const auto shortest = [](double value) {
    char text[32] = {};
    std::to_chars(text, text + sizeof(text) - 1, static_cast<float>(value));
    return std::stod(text);
  };
  config.rope_base = file.has("llama.rope.freq_base") ? shortest(file.number("llama.rope.freq_base")) : 10000;
  config.norm_epsilon = shortest(file.number("llama.attention.layer_norm_rms_epsilon"));
  config.bos_id = static_cast<std::int32_t>(file.integer("tokenizer.ggml.bos_token_id", -1));
  config.eos_id = static_cast<std::int32_t>(file.integer("tokenizer.ggml.eos_token_id", -1));
  config.tied_embedding = true;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.name == "token_embd.weight") config.vocabulary = tensor.shape.front();
    if (tensor.name == "output.weight") config.tied_embedding = false;
  }
  check_config(config, where);
  return config;
}

// llama.cpp rotates neighbouring elements of a head, Hugging Face element i with i + D/2; so GGUF holds the rows of Q
// and K of each head as (D/2, 2) where Hugging Face has (2, D/2).
at::Tensor to_half_rotation(const at::Tensor& weight, std::int64_t heads) {  // (heads * D, C)
  const std::int64_t half = weight.size(0) / heads / 2;
  return weight.view({heads, half, 2, weight.size(1)}).transpose(1, 2).reshape({weight.size(0), weight.size(1)});
}

std::vector<NamedTensor> read_weights_of(const GgufFile& file, const ModelConfig& config) {
  std::vector<NamedTensor> weights;
  for (const GgufTensor& tensor : file.tensors()) {
    const std::string name = huggingface_name(tensor.name);
    if (name.empty())
      throw Error("tensor " + tensor.name + " belongs to no plain Llama", file.path().string(),
                  "use a model of the Llama family");
    at::Tensor weight = dequantise(tensor);
    const bool query = ends_with(name, "q_proj.weight"), key = ends_with(name, "k_proj.weight");
    if ((query || key) && weight.dim() == 2 &&
        weight.size(0) == (query ? config.heads : config.kv_heads) * config.head_size)
      weight = to_half_rotation(weight, query ? config.heads : config.kv_heads);
    weights.push_back({name, std::move(weight)});
  }
  return arrange_parameters(config, std::move(weights), file.path().string());
}

TokenizerSpec read_tokenizer(const GgufFile& file) {
  const std::string model = file.text("tokenizer.ggml.model", ""), pattern = file.text("tokenizer.ggml.pre", "");
  TokenizerSpec spec;
  if (model == "gpt2" && pattern == "smollm")
    spec.pattern = TokenizerSpec::WordPattern::kSmolLm;
  else if (model == "gpt2" && pattern == "gpt-2")
    spec.pattern = TokenizerSpec::WordPattern::kGpt2;
  else
    throw Error("the tokenizer \"" + model + "\" with the pre-tokeniser \"" + pattern + "\" is not supported",
                file.path().string(), "use a model with a byte-level BPE as in GPT-2 or SmolLM");
  if (file.flag("tokenizer.ggml.add_bos_token", false) || file.flag("tokenizer.ggml.add_space_prefix", false))
    throw Error("a tokenizer that adds a first token or a space is not supported", file.path().string(),
                "use another model");
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
  model.chat_template = ChatTemplate::from_jinja(file.text("tokenizer.chat_template", ""));
  model.weights = read_weights_of(file, model.config);
  return model;
}

}  // namespace kg::policy
