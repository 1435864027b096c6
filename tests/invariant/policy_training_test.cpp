// Ways to compute one thing that must agree: a prompt shared by its answers or repeated, documents packed or apart,
// layers kept or computed once more, adapters beside the weights or worked into them, files written and read.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "policy/files/adapter_io.h"
#include "policy/model/model.h"
#include "tests/support/tiny_model.h"

namespace kg::policy {
namespace {

std::vector<std::int64_t> some_ids(std::int64_t count, std::int64_t salt) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back((i * 37 + salt * 101 + i * i) % 256);
  return ids;
}

std::vector<NamedTensor> trained(std::vector<NamedTensor> weights) {
  for (NamedTensor& weight : weights) weight.tensor = weight.tensor.clone().set_requires_grad(true);
  return weights;
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).norm().item<double>() / b.norm().item<double>();
}

// Largest relative difference of the parameters' gradients.
void expect_equal_gradients(const Transformer& a, const Transformer& b, double bound) {
  for (std::size_t i = 0; i < a.parameters().size(); ++i)
    EXPECT_LE(difference(a.parameters()[i].tensor.grad(), b.parameters()[i].tensor.grad()), bound)
        << a.parameters()[i].name;
}

struct Rows {
  std::vector<std::int64_t> prompt = some_ids(45, 1);
  std::vector<std::vector<std::int64_t>> answers{some_ids(30, 2), some_ids(1, 3), some_ids(70, 4)};
  std::vector<std::int64_t> other = some_ids(20, 5);
};

TEST(Training, APromptSharedByItsAnswersIsThePromptRepeatedForEach) {
  const ModelConfig config = tiny_config();
  const auto weights = random_weights(config, 3);
  const Rows rows;
  // Shared: other document, prompt, answers. Repeated: each answer behind a prompt of its own.
  std::vector<std::int64_t> shared = rows.other, repeated = rows.other;
  std::vector<Segment> segments{{0, 20}, {20, 65}}, documents{{0, 20}};
  shared.insert(shared.end(), rows.prompt.begin(), rows.prompt.end());
  std::vector<at::Tensor> own_weights, places;
  at::manual_seed(8);
  at::Tensor repeated_weights = at::randn({20, config.width});
  at::Tensor shared_weights = at::cat({repeated_weights, at::zeros({45, config.width})});
  for (const auto& answer : rows.answers) {
    const auto size = static_cast<std::int64_t>(answer.size()), at = static_cast<std::int64_t>(shared.size());
    segments.push_back({at, at + size, /*prompt=*/1});
    shared.insert(shared.end(), answer.begin(), answer.end());
    const auto begin = static_cast<std::int64_t>(repeated.size());
    repeated.insert(repeated.end(), rows.prompt.begin(), rows.prompt.end());
    repeated.insert(repeated.end(), answer.begin(), answer.end());
    documents.push_back({begin, static_cast<std::int64_t>(repeated.size())});
    // A loss on the answers, and on the end of the prompt, which each of them is predicted from.
    const at::Tensor on_prompt = at::randn({45, config.width}), on_answer = at::randn({size, config.width});
    shared_weights = at::cat({shared_weights.narrow(0, 0, 20), shared_weights.narrow(0, 20, 45) + on_prompt,
                              shared_weights.slice(0, 65), on_answer});
    repeated_weights = at::cat({repeated_weights, on_prompt, on_answer});
  }
  for (const bool recompute : {false, true}) {
    Transformer one(config, trained(weights)), many(config, trained(weights));
    one.recompute_layers(recompute);
    const at::Tensor a = one.hidden(at::tensor(shared), segments), b = many.hidden(at::tensor(repeated), documents);
    std::int64_t at = 65, begin = 20;
    for (const auto& answer : rows.answers) {
      const auto size = static_cast<std::int64_t>(answer.size());
      EXPECT_LT(difference(a.narrow(0, at, size), b.narrow(0, begin + 45, size)), 2e-6);
      at += size;
      begin += 45 + size;
    }
    (a * shared_weights).sum().backward();
    (b * repeated_weights).sum().backward();
    expect_equal_gradients(one, many, 5e-6);
  }
}

TEST(Training, DocumentsInOneRowAreDocumentsByThemselves) {
  const ModelConfig config = tiny_config();
  const auto weights = random_weights(config, 3);
  Transformer packed(config, trained(weights)), apart(config, trained(weights));
  std::vector<std::int64_t> row;
  std::vector<std::int64_t> starts;
  at::manual_seed(2);
  for (const std::int64_t length : {40, 1, 17, 100}) {
    const auto ids = some_ids(length, length);
    starts.push_back(static_cast<std::int64_t>(row.size()));
    row.insert(row.end(), ids.begin(), ids.end());
  }
  const at::Tensor upstream = at::randn({static_cast<std::int64_t>(row.size()), config.width});
  const at::Tensor ids = at::tensor(row), together = packed.hidden(ids, starts);
  (together * upstream).sum().backward();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : ids.numel(), size = end - starts[i];
    const at::Tensor alone = apart.hidden(ids.narrow(0, starts[i], size), std::vector<std::int64_t>{0});
    EXPECT_LT(difference(together.narrow(0, starts[i], size), alone), 1e-6);
    (alone * upstream.narrow(0, starts[i], size)).sum().backward();
  }
  expect_equal_gradients(packed, apart, 5e-6);
}

TEST(Training, LayersComputedOnceMoreGiveTheSameBits) {
  const ModelConfig config = tiny_config();
  const auto weights = random_weights(config, 3);
  Transformer kept(config, trained(weights)), again(config, trained(weights));
  again.recompute_layers(true);
  const at::Tensor ids = at::tensor(some_ids(60, 1));
  const std::vector<Segment> segments{{0, 20}, {20, 35, 0}, {35, 60, 0}};
  for (Transformer* model : {&kept, &again}) model->hidden(ids, segments).square().sum().backward();
  for (std::size_t i = 0; i < kept.parameters().size(); ++i)
    EXPECT_TRUE(kept.parameters()[i].tensor.grad().equal(again.parameters()[i].tensor.grad()))
        << kept.parameters()[i].name;
}

TEST(Training, AdaptersBesideTheWeightsAreAdaptersWorkedIntoThem) {
  const ModelConfig config = tiny_config();
  const auto weights = random_weights(config, 3);
  LoraAdapters adapters =
      new_adapters({.rank = 4, .alpha = 6, .targets = {"q_proj", "v_proj", "down_proj"}}, config, 9);
  EXPECT_EQ(adapters.tensors.size(), 2u * 3 * 2);
  const at::Tensor ids = at::tensor(some_ids(30, 1));
  const std::vector<std::int64_t> start{0};
  const at::Tensor plain = Transformer(config, weights).hidden(ids, start);
  EXPECT_TRUE(Transformer(config, weights, adapters).hidden(ids, start).equal(plain)) << "B is zero at first";
  at::manual_seed(1);
  for (NamedTensor& adapter : adapters.tensors) adapter.tensor = at::randn(adapter.tensor.sizes()) * 0.2;
  const at::Tensor beside = Transformer(config, weights, adapters).hidden(ids, start);
  EXPECT_LT(difference(Transformer(config, merged(weights, adapters)).hidden(ids, start), beside), 1e-6);
  EXPECT_GT(difference(plain, beside), 1e-2);

  const TemporaryFolder folder;
  write_adapters(folder.path() / "adapter", adapters, "some/base");
  const LoraAdapters read = read_adapters(folder.path() / "adapter", config);
  EXPECT_EQ(read.options.rank, 4);
  EXPECT_EQ(read.scale(), adapters.scale());
  ASSERT_EQ(read.tensors.size(), adapters.tensors.size());
  for (std::size_t i = 0; i < read.tensors.size(); ++i) {
    EXPECT_EQ(read.tensors[i].name, adapters.tensors[i].name);
    EXPECT_TRUE(read.tensors[i].tensor.equal(adapters.tensors[i].tensor));
  }
}

}  // namespace
}  // namespace kg::policy
