// Against numbers of transformers: policy_model_reference.py.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <gtest/gtest.h>

#include <map>

#include "policy/files/safetensors.h"
#include "policy/model/model.h"
#include "policy/model/token_log_prob.h"

namespace kg::policy {
namespace {

class TinyModel : public testing::Test {
 protected:
  TinyModel() {
    std::vector<NamedTensor> parameters;
    for (NamedTensor& named : read_safetensors(KG_SOURCE_DIR "/tests/unit/policy_tiny_model.safetensors")) {
      if (named.name.starts_with("in.")) {
        at::Tensor parameter = named.tensor.clone();
        parameter.set_requires_grad(true);
        parameters.push_back({named.name.substr(3), parameter});
      } else {
        reference[named.name] = named.tensor;
      }
    }
    ModelConfig config;
    config.vocabulary = 96, config.width = 32, config.layers = 2, config.heads = 4, config.kv_heads = 2,
    config.head_size = 8;
    config.ffn_width = 48, config.context = 64, config.tied_embedding = true;
    model = std::make_unique<Transformer>(config, std::move(parameters));
    ids = reference["ids"].to(at::kLong);
    targets = at::cat({ids.slice(0, 1, 13), ids.slice(0, 0, 1), ids.slice(0, 14), ids.slice(0, 13, 14)});
  }

  void expect_reference_gradients() {
    for (const NamedTensor& parameter : model->parameters()) {
      const at::Tensor& wanted = reference.at("gradient." + parameter.name);
      const double error = (parameter.tensor.grad() - wanted).norm().item<double>() / wanted.norm().item<double>();
      EXPECT_LT(error, 1e-4) << parameter.name;
    }
  }

  std::map<std::string, at::Tensor> reference;
  std::unique_ptr<Transformer> model;
  at::Tensor ids, targets;
};

TEST_F(TinyModel, LogitsOfPackedDocumentsEqualTransformers) {
  const at::Tensor logits = at::mm(model->hidden(ids, {0, 13}), model->head_weight().t());
  EXPECT_LT((logits - reference["logits"]).abs().max().item<double>(), 1e-4);
}

TEST_F(TinyModel, GradientsOfALossOnLogProbabilitiesEqualTransformers) {
  const TokenLogProb result =
      token_log_prob(model->hidden(ids, {0, 13}), model->head_weight(), targets, {.temperature = 0.7, .chunk = 5});
  const at::Tensor loss = result.log_prob.mul(reference["weights"]).sum().neg();
  EXPECT_NEAR(loss.item<double>(), reference["loss"].item<double>(), 1e-3);
  loss.backward();
  expect_reference_gradients();
}

TEST_F(TinyModel, GradientsOfTheFusedLossEqualTransformers) {
  const at::Tensor weights = reference["weights"];
  const at::Tensor loss =
      token_loss(model->hidden(ids, {0, 13}), model->head_weight(), targets, {.temperature = 0.7, .chunk = 5},
                 [&](const at::Tensor& log_prob, std::int64_t begin) {
                   return log_prob.mul(weights.narrow(0, begin, log_prob.size(0))).sum().neg();
                 });
  EXPECT_NEAR(loss.item<double>(), reference["loss"].item<double>(), 1e-3);
  loss.backward();
  expect_reference_gradients();
}

}  // namespace
}  // namespace kg::policy
