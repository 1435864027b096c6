#pragma once

#include <ATen/ops/empty.h>

#include "base/random.h"
#include "dataset/store/dataset.h"
#include "policy/files/model_io.h"
#include "policy/text/byte_alphabet.h"
#include "policy/text/byte_bpe.h"

// A model of two small layers whose tokens are bytes, and a data set of short samples: what a whole training run takes
// seconds for.
namespace kg::trainer {

inline policy::LoadedModel tiny_model() {
  policy::TokenizerSpec spec;
  for (int byte = 0; byte < 256; ++byte)
    spec.tokens.push_back(policy::byte_character(static_cast<unsigned char>(byte)));
  for (const char* token : {"<|im_start|>", "<|im_end|>"}) {
    spec.added.push_back({static_cast<std::int32_t>(spec.tokens.size()), true});
    spec.tokens.emplace_back(token);
  }
  spec.bos = 256, spec.eos = 257, spec.pad = 257;

  policy::LoadedModel model;
  policy::ModelConfig& config = model.config;
  config.vocabulary = 258, config.width = 32, config.layers = 2, config.heads = 4, config.kv_heads = 2,
  config.head_size = 16;
  config.ffn_width = 64, config.context = 512, config.tied_embedding = true, config.bos_id = 256, config.eos_id = 257;
  model.tokenizer = std::make_shared<policy::ByteBpe>(spec);
  model.chat_template = policy::ChatTemplate::from_jinja(
      "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
      "'\n'}}"
      "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}");

  Philox random(11, 0);
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
    at::Tensor tensor = at::empty(shape, at::kFloat);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.data_ptr<float>()[i] = shape.size() == 1 ? 1.0f : static_cast<float>(0.15 * random.next_normal());
    model.weights.push_back({name, tensor});
  };
  const std::int64_t width = config.width, q = config.heads * config.head_size, kv = config.kv_heads * config.head_size;
  add("model.embed_tokens.weight", {config.vocabulary, width});
  for (int layer = 0; layer < config.layers; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    add(prefix + "input_layernorm.weight", {width});
    add(prefix + "self_attn.q_proj.weight", {q, width});
    add(prefix + "self_attn.k_proj.weight", {kv, width});
    add(prefix + "self_attn.v_proj.weight", {kv, width});
    add(prefix + "self_attn.o_proj.weight", {width, q});
    add(prefix + "post_attention_layernorm.weight", {width});
    add(prefix + "mlp.gate_proj.weight", {config.ffn_width, width});
    add(prefix + "mlp.up_proj.weight", {config.ffn_width, width});
    add(prefix + "mlp.down_proj.weight", {width, config.ffn_width});
  }
  add("model.norm.weight", {width});
  return model;
}

inline void write_tiny_model(const fs::path& folder) {
  const policy::LoadedModel model = tiny_model();
  policy::export_model(folder, model.config, model.weights, model, "float32");
}

inline void write_tiny_dataset(const fs::path& file, int samples) {
  const auto data = dataset::Dataset::open(file, dataset::OpenMode::kCreate);
  std::vector<proto::JournalRecord> records;
  for (int i = 0; i < samples; ++i) {
    proto::Sample& sample = *records.emplace_back().mutable_sample();
    sample.set_id("sample-" + std::to_string(i));
    sample.set_kind("kernel");
    sample.set_split("train");
    sample.set_style("compact");
    sample.set_prompt_form("short");
    sample.set_instruction("Write number " + std::to_string(i) + ".");
    sample.set_output(std::string(static_cast<std::size_t>(20 + i * 37 % 90), static_cast<char>('a' + i % 26)) +
                      std::to_string(i));
  }
  data->append(records);
}

}  // namespace kg::trainer
