// With the real SmolLM2 that scripts/setup.sh fetches. Token ids: policy_tokenizer_reference.py.
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "policy/files/model_io.h"
#include "tests/support/environment.h"

namespace kg::policy {
namespace {

// Loaded once: 0.6 GB of weights.
const LoadedModel& smollm2() {
  static const LoadedModel model = load_model(find_model("smollm2-135m-instruct"));
  return model;
}

TEST(SmolLm2, TokenIdsEqualHuggingFaces) {
  const nlohmann::json cases =
      nlohmann::json::parse(read_file(KG_SOURCE_DIR "/tests/integration/policy_tokenizer_fixture.json"));
  ASSERT_GE(cases.size(), 300u);
  for (const nlohmann::json& one : cases)
    ASSERT_EQ(smollm2().tokenizer->encode(one[0].get<std::string>()), one[1].get<std::vector<std::int32_t>>())
        << one[0];
}

TEST(SmolLm2, DecodingGivesTheTextBack) {
  const std::string text = "  if (x<1) {\n\treturn \"你好 👍🏽\"; }  // 2026 \r\n";
  const Tokenizer& tokenizer = *smollm2().tokenizer;
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("<|im_start|>a<|im_end|>")), "a");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("<|im_start|>a<|im_end|>"), /*with_special=*/true),
            "<|im_start|>a<|im_end|>");
  EXPECT_EQ(tokenizer.end_of_text(), tokenizer.id_of("<|im_end|>"));
}

TEST(SmolLm2, BytesThatAreNoUtf8AreEncodedWithoutHarmToTheRest) {
  const Tokenizer& tokenizer = *smollm2().tokenizer;
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("ab \x80\xe4\xbd cd")), "ab \x80\xe4\xbd cd");
}

TEST(SmolLm2, ExportedModelLoadsWithEqualWeightsAndTokenizer) {
  const TemporaryFolder folder;
  const LoadedModel& source = smollm2();
  for (int round = 0; round < 2; ++round)  // the second replaces the first
    export_model(folder.path() / "model", source.config, source.weights, source, "float32");
  const LoadedModel again = load_model(find_model((folder.path() / "model").string()));
  ASSERT_EQ(again.weights.size(), source.weights.size());
  for (std::size_t i = 0; i < source.weights.size(); ++i) {
    EXPECT_EQ(again.weights[i].name, source.weights[i].name);
    EXPECT_TRUE(at::equal(again.weights[i].tensor, source.weights[i].tensor)) << source.weights[i].name;
  }
  EXPECT_EQ(again.config.rope_base, source.config.rope_base);
  EXPECT_EQ(again.config.norm_epsilon, source.config.norm_epsilon);
  EXPECT_EQ(again.config.eos_id, source.config.eos_id);
  EXPECT_EQ(again.chat_template.jinja(), source.chat_template.jinja());
  EXPECT_EQ(again.tokenizer->end_of_text(), source.tokenizer->end_of_text());
  EXPECT_EQ(again.tokenizer->encode("a  b<|im_end|>12"), source.tokenizer->encode("a  b<|im_end|>12"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()),
            1);  // nothing temporary is left
}

TEST(SmolLm2, WeightsTravelThroughOneFile) {
  const TemporaryFolder folder;
  const LoadedModel& source = smollm2();
  const std::string checksum = write_weights(folder.path() / "w", source.weights, "bfloat16");
  EXPECT_EQ(checksum, write_weights(folder.path() / "v", source.weights, "bfloat16"));
  std::size_t found = 0;
  for (const NamedTensor& read : read_weights(folder.path() / "w"))
    for (const NamedTensor& written : source.weights)
      if (read.name == written.name) found += at::equal(read.tensor, written.tensor.to(at::kBFloat16));
  EXPECT_EQ(found, source.weights.size());
}

TEST(FindModel, SaysWhatWasLookedForWhere) {
  try {
    find_model("no-such-model");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.where().find("models/no-such-model (absent)"), std::string::npos) << error.where();
  }
}

// A folder of the model's name that had lost its files: "did you mean" the same name.
TEST(FindModel, ProposesNoNameThatWasGiven) {
  const TemporaryFolder home("kgfind");
  fs::create_directories(home.path() / "models" / "empty-model");
  const Environment kgtrain_home("KGTRAIN_HOME", home.path());
  try {
    find_model("empty-model");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.where().find("empty-model (no model in it)"), std::string::npos) << error.where();
    EXPECT_EQ(error.hint().find("did you mean empty-model?"), std::string::npos) << error.hint();
  }
}

}  // namespace
}  // namespace kg::policy
