// Against transformers and tokenizers as they are installed for the Python named by $KGTRAIN_PEER_PYTHON.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "policy/files/adapter_io.h"
#include "policy/files/model_io.h"
#include "policy/files/safetensors.h"
#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"
#include "policy/model/token_log_prob.h"

namespace kg::policy {
namespace {

class Peer : public testing::Test {
 protected:
  void SetUp() override {
    const char* python = std::getenv("KGTRAIN_PEER_PYTHON");
    if (python == nullptr) GTEST_SKIP() << "KGTRAIN_PEER_PYTHON is not set";
    python_ = python;
    file_ = find_model("smollm2-135m-instruct");
    model_ = load_model(file_);
    for (const char* dtype : {"float32", "bfloat16"})
      export_model(folder_.path() / dtype, model_.config, model_.weights, model_, dtype);
  }

  std::string run(const std::string& script, const std::string& arguments) {
    const fs::path output = folder_.path() / "stdout";
    const std::string command =
        python_ + " " KG_SOURCE_DIR "/tests/integration/" + script + " " + arguments + " > " + output.string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return read_file(output);
  }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
  std::string python_;
  fs::path file_;
  LoadedModel model_;
};

TEST_F(Peer, TokenIdsOfMoreThanOneMegabyteEqualHuggingFaces) {
  const std::string said =
      run("policy_tokenizer_reference.py", file_.string() + " " + path("ids.json") + " --large " + path("float32"));
  std::cout << said;
  const nlohmann::json cases = nlohmann::json::parse(read_file(folder_.path() / "ids.json"));
  std::size_t bytes = 0, failures = 0;
  double seconds = 0;
  for (const nlohmann::json& one : cases) {
    const std::string text = one[0];
    const double start = monotonic_seconds();
    const std::vector<std::int32_t> ids = model_.tokenizer->encode(text);
    seconds += monotonic_seconds() - start;
    bytes += text.size();
    if (ids != one[1].get<std::vector<std::int32_t>>() && ++failures <= 5)
      ADD_FAILURE() << one[0].dump().substr(0, 2000);
  }
  EXPECT_GE(bytes, 1'000'000u);
  EXPECT_EQ(failures, 0u);
  std::cout << "encoded " << bytes << " bytes at " << static_cast<double>(bytes) / seconds / 1e6 << " MB/s\n";

  std::vector<proto::ChatMessage> messages(1);
  messages[0].set_role("user");
  messages[0].set_content("Hi");
  const std::string mark = "PROMPT ";
  ASSERT_NE(said.find(mark), std::string::npos);
  const std::size_t begin = said.find(mark) + mark.size();
  EXPECT_EQ(nlohmann::json::parse(said.substr(begin, said.find('\n', begin) - begin)),
            model_.chat_template.render_prompt(messages));
}

double largest_difference(const Transformer& transformer, const at::Tensor& ids, const at::Tensor& logits) {
  const c10::InferenceMode guard;
  return (at::mm(transformer.hidden(ids, std::vector<std::int64_t>{0}), transformer.head_weight().t()) - logits)
      .abs()
      .max()
      .item<double>();
}

TEST_F(Peer, LogitsEqualTransformersAndExportedModelsLoadThere) {
  run("policy_logits_reference.py",
      file_.string() + " " + path("float32") + " " + path("bfloat16") + " " + path("logits"));
  at::Tensor ids, logits, logits_bfloat16;
  for (const NamedTensor& named : read_safetensors(path("logits"))) {
    if (named.name == "ids") ids = named.tensor.to(at::kLong);
    if (named.name == "logits") logits = named.tensor;
    if (named.name == "logits_bfloat16") logits_bfloat16 = named.tensor;
  }
  const double error = largest_difference(Transformer(model_.config, model_.weights), ids, logits);
  EXPECT_LT(error, 1e-3);
  std::cout << "largest difference of logits " << error << "\n";
  const LoadedModel narrow = load_model(path("bfloat16"));
  EXPECT_LT(largest_difference(Transformer(narrow.config, narrow.weights), ids, logits_bfloat16), 1e-3);
}

std::vector<std::int32_t> whole_numbers(const at::Tensor& t) {
  const float* values = t.const_data_ptr<float>();
  return std::vector<std::int32_t>(values, values + t.numel());
}

TEST_F(Peer, GradientsGreedyTextAndAdaptersAreThoseOfTransformersAndPeft) {
  LoraAdapters adapters =
      new_adapters({.rank = 8, .alpha = 16, .targets = {"q_proj", "v_proj", "down_proj"}}, model_.config, /*seed=*/5);
  at::manual_seed(7);
  for (NamedTensor& adapter : adapters.tensors)
    if (adapter.name.ends_with("lora_B.weight")) adapter.tensor.normal_(0, 0.02);
  write_adapters(folder_.path() / "adapter", adapters, path("float32"));
  run("policy_parity_reference.py", path("float32") + " " + path("adapter") + " " + path("parity"));
  std::map<std::string, at::Tensor> reference;
  for (NamedTensor& named : read_safetensors(path("parity"))) reference[named.name] = named.tensor;
  const at::Tensor ids = reference["ids"].to(at::kLong);

  const LoadedModel loaded = load_model(path("float32"));
  const double of_adapted =
      largest_difference(Transformer(loaded.config, loaded.weights, adapters), ids, reference["adapted"]);
  EXPECT_LT(of_adapted, 1e-3);
  EXPECT_GT(largest_difference(Transformer(loaded.config, loaded.weights), ids, reference["adapted"]), 0.1);

  for (const NamedTensor& weight : loaded.weights) weight.tensor.set_requires_grad(true);
  const Transformer transformer(loaded.config, loaded.weights);
  const std::int64_t pairs = ids.numel() - 1;
  const at::Tensor hidden = transformer.hidden(ids, std::vector<std::int64_t>{0}).narrow(0, 0, pairs);
  const at::Tensor loss = token_loss(
      hidden, transformer.head_weight(), ids.narrow(0, 1, pairs), {},
      [&](const at::Tensor& log_prob, std::int64_t) { return log_prob.sum() / -static_cast<double>(pairs); });
  EXPECT_NEAR(loss.item<double>(), reference["loss"].item<double>(), 1e-4);
  loss.backward();
  double worst = 0;
  for (const NamedTensor& parameter : transformer.parameters()) {
    const at::Tensor& wanted = reference.at("gradient." + parameter.name);
    const double relative = ((parameter.tensor.grad() - wanted).norm() / wanted.norm()).item<double>();
    EXPECT_LT(relative, 1e-3) << parameter.name;
    worst = std::max(worst, relative);
  }
  std::cout << "largest difference of logits with adapters " << of_adapted << ", of a gradient, relative, " << worst
            << "\n";

  ModelConfig config = loaded.config;
  config.eos_id = -1;
  GenerationEngine engine(config, nullptr, {}, {.threads = 2});
  engine.set_weights(DecodeWeights::pack(config, loaded.weights), 1);
  int equal = 0;
  for (int i = 0; reference.contains("prompt." + std::to_string(i)); ++i) {
    const std::string number = std::to_string(i);
    proto::GenerateRequest request;
    request.set_count(1);
    request.mutable_sampling()->set_temperature(0);
    request.mutable_sampling()->set_max_new_tokens(200);
    engine.submit_tokens(request, whole_numbers(reference["prompt." + number]));
    while (engine.step()) {
    }
    const proto::GenerateReply reply = engine.take_finished().at(0).reply;
    ASSERT_EQ(reply.completions(0).token_ids_size(), 200);
    const std::vector<std::int32_t> wanted = whole_numbers(reference["greedy." + number]);
    const float* margin = reference["margin." + number].const_data_ptr<float>();
    for (int t = 0; t < 200 && margin[t] > 1e-3; ++t, ++equal)
      ASSERT_EQ(reply.completions(0).token_ids(t), wanted[static_cast<std::size_t>(t)])
          << "prompt " << i << " at " << t;
  }
  EXPECT_GT(equal, 400);
  std::cout << equal << " greedy tokens equal\n";
}

}  // namespace
}  // namespace kg::policy
