// Against transformers and tokenizers as they are installed for the Python named by $KGTRAIN_PEER_PYTHON.
#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "policy/model_io.h"
#include "policy/safetensors.h"

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

}  // namespace
}  // namespace kg::policy
