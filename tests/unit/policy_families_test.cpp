// Small random models of each family against numbers of transformers: policy_families_reference.py.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "policy/files/dequantise.h"
#include "policy/files/gguf.h"
#include "policy/files/model_io.h"
#include "policy/files/safetensors.h"
#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"
#include "policy/generation/tensor_decode.h"
#include "policy/model/token_log_prob.h"

namespace kg::policy {
namespace {

const fs::path kFolder = KG_SOURCE_DIR "/tests/unit/policy_families";
constexpr std::int64_t kFirstDocument = 90;
constexpr double kTie = 1e-3;  // two best logits nearer than this may change places

class Family : public testing::TestWithParam<const char*> {
 protected:
  Family() : model(load_model(kFolder / GetParam())) {
    for (NamedTensor& named : read_safetensors(kFolder / GetParam() / "reference.safetensors"))
      reference[named.name] = named.tensor;
    ids = reference["ids"].to(at::kLong);
  }
  std::vector<std::int32_t> greedy() const {
    const at::Tensor tokens = reference.at("greedy");
    return std::vector<std::int32_t>(tokens.const_data_ptr<float>(), tokens.const_data_ptr<float>() + tokens.numel());
  }
  // Three answers to the same prompt: they share its blocks and copy the last one.
  void expect_greedy_text(GenerationEngine& engine) {
    const std::vector<std::int32_t> wanted = greedy();
    proto::GenerateRequest request;
    request.set_count(3);
    request.mutable_sampling()->set_temperature(0);
    request.mutable_sampling()->set_max_new_tokens(100);
    engine.submit_tokens(request, {wanted.begin(), wanted.begin() + 20});
    while (engine.step()) {
    }
    const proto::GenerateReply reply = engine.take_finished().at(0).reply;
    ASSERT_EQ(reply.error(), "");
    const float* margin = reference["margin"].const_data_ptr<float>();
    for (const proto::Completion& completion : reply.completions())
      for (int i = 0; i < 100 && margin[i] > kTie; ++i)
        ASSERT_EQ(completion.token_ids(i), wanted[static_cast<std::size_t>(20 + i)]) << i;
  }
  LoadedModel model;
  std::map<std::string, at::Tensor> reference;
  at::Tensor ids;
};

TEST_P(Family, LogitsAndGradientsEqualTransformers) {
  for (NamedTensor& weight : model.weights) weight.tensor.set_requires_grad(true);
  for (const bool recompute : {false, true}) {
    Transformer transformer(model.config, model.weights);
    transformer.recompute_layers(recompute);
    const std::int64_t tokens = ids.numel();
    const at::Tensor hidden = transformer.hidden(ids, std::vector<std::int64_t>{0, kFirstDocument});
    const at::Tensor logits = at::linear(hidden, transformer.head_weight());
    EXPECT_LT((logits.slice(0, 0, tokens, 10) - reference["logits"]).abs().max().item<double>(), 1e-3);
    const at::Tensor targets =
        at::cat({ids.slice(0, 1, kFirstDocument), ids.slice(0, 0, 1), ids.slice(0, kFirstDocument + 1),
                 ids.slice(0, kFirstDocument, kFirstDocument + 1)});
    const at::Tensor weights = reference["weights"];
    const at::Tensor loss = token_loss(hidden, transformer.head_weight(), targets, {.chunk = 50},
                                       [&](const at::Tensor& log_prob, std::int64_t begin) {
                                         return log_prob.mul(weights.narrow(0, begin, log_prob.size(0))).sum().neg();
                                       });
    EXPECT_NEAR(loss.item<double>(), reference["loss"].item<double>(), 1e-2);
    loss.backward();
    for (const NamedTensor& parameter : transformer.parameters()) {
      const at::Tensor& wanted = reference.at("gradient." + parameter.name);
      const double size = wanted.norm().item<double>();
      ASSERT_TRUE(parameter.tensor.grad().defined() || size == 0) << parameter.name;
      if (size > 0) {
        EXPECT_LT((parameter.tensor.grad() - wanted).norm().item<double>(), 1e-3 * size) << parameter.name;
      }
      parameter.tensor.mutable_grad().reset();
    }
  }
}

TEST_P(Family, GreedyTextIsThatOfTransformers) {
  model.config.eos_id = -1;
  GenerationEngine engine(model.config, nullptr, {}, {.threads = 2, .kv_cache_bytes = 1 << 22});
  engine.set_weights(DecodeWeights::pack(model.config, model.weights), 1);
  expect_greedy_text(engine);
}

// The backend of devices, on the CPU, which has all its operations too.
TEST_P(Family, GreedyTextByOperationsIsThatOfTransformers) {
  model.config.eos_id = -1;
  const BackendOptions options{.device = "cpu", .threads = 2, .kv_cache_bytes = 1 << 22};
  GenerationEngine engine(std::make_unique<TensorBackend>(model.config, options), nullptr, {}, {.prefill_rows = 13});
  engine.set_weights(TensorWeights::place(model.config, model.weights, "cpu", "float32"), 1);
  expect_greedy_text(engine);
}
TEST_P(Family, TokensAreThoseOfTheTokenizersLibraryAndStayThoseAfterExport) {
  const TemporaryFolder folder;
  export_model(folder.path() / "out", model.config, model.weights, model, "float32");
  const LoadedModel again = load_model(folder.path() / "out");
  for (const auto& one : nlohmann::json::parse(read_file(kFolder / GetParam() / "tokens.json"))) {
    const std::string text = one.at("text");
    EXPECT_EQ(model.tokenizer->encode(text), one.at("ids").get<std::vector<std::int32_t>>()) << text;
    EXPECT_EQ(again.tokenizer->encode(text), one.at("ids").get<std::vector<std::int32_t>>()) << text;
  }
  EXPECT_EQ(again.config.architecture, model.config.architecture);
  EXPECT_EQ(rope_of(again.config).frequencies, rope_of(model.config).frequencies);
  for (std::size_t i = 0; i < model.weights.size(); ++i)
    EXPECT_TRUE(again.weights.at(i).tensor.equal(model.weights[i].tensor)) << model.weights[i].name;
}

INSTANTIATE_TEST_SUITE_P(All, Family,
                         testing::Values("llama3", "llama_linear", "qwen2", "qwen2_yarn", "qwen3", "qwen3_moe"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Gguf, FilesOfTheQwenFamiliesHoldTheModelsOfTheirFolders) {
  for (const char* family : {"qwen2", "qwen3_moe"}) {
    const LoadedModel folder = load_model(kFolder / family),
                      file = load_model(kFolder / (std::string(family) + ".gguf"));
    EXPECT_EQ(file.config.architecture, folder.config.architecture);
    EXPECT_EQ(file.config.experts_used, folder.config.experts_used);
    EXPECT_EQ(file.config.head_size, folder.config.head_size);
    EXPECT_EQ(rope_of(file.config).frequencies, rope_of(folder.config).frequencies);
    ASSERT_EQ(file.weights.size(), folder.weights.size());
    for (std::size_t i = 0; i < file.weights.size(); ++i) {
      EXPECT_EQ(file.weights[i].name, folder.weights[i].name);
      EXPECT_TRUE(file.weights[i].tensor.equal(folder.weights[i].tensor)) << file.weights[i].name;
    }
    for (const char* text : {"Hello 123 e\u0301\n\n x", "a<|im_end|>"})
      EXPECT_EQ(file.tokenizer->encode(text), folder.tokenizer->encode(text));
  }
}

TEST(Gguf, QuantisedBlocksHaveTheValuesThatTheGgufPackageReadsInThem) {
  const GgufFile file(kFolder / "quants.gguf");
  std::map<std::string, at::Tensor> tensors;
  for (const GgufTensor& tensor : file.tensors()) tensors[tensor.name] = dequantise(tensor);
  EXPECT_EQ(tensors.size(), 10u);
  for (const auto& [name, values] : tensors) {
    if (name.ends_with(".expected")) continue;
    const at::Tensor& wanted = tensors.at(name + ".expected");
    EXPECT_LT((values - wanted).abs().max().item<double>(), 1e-6 * wanted.abs().max().item<double>()) << name;
  }
}

}  // namespace
}  // namespace kg::policy
