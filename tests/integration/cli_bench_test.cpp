// `kgtrain bench` as it is typed. Beside the peers themselves it is run only where $KGTRAIN_PYTHON has them (label
// peer).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/support/run_kgtrain.h"

namespace kg::cli {
namespace {

using kg::testing::Ran;
using ::testing::HasSubstr;
using ::testing::Not;

class CliBench : public ::testing::Test {
 protected:
  CliBench() {
    std::ofstream(folder_.path() / "config.json")
        << R"({"model_type": "llama", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
               "num_key_value_heads": 1, "intermediate_size": 48, "vocab_size": 300, "max_position_embeddings": 512,
               "tie_word_embeddings": true, "rms_norm_eps": 1e-5})";
  }
  Ran run(const std::string& words, const std::string& python = "") const {
    return kg::testing::run_kgtrain("bench " + words,
                                    "cd '" + folder_.path().string() + "' && KGTRAIN_PYTHON='" + python + "'");
  }

  TemporaryFolder folder_;
};

constexpr const char* kTiny =
    " --model config.json --length 32 --prompt-tokens 8 --new-tokens 8 --steps 1 --rounds 1 --threads 2 ";

TEST_F(CliBench, TableHasARateForEachKind) {
  for (const auto& [what, unit] : {std::pair("sft", "tokens/s"), {"grpo", "answers/s"}, {"decode", "tokens/s"}}) {
    const Ran ran = run(what + std::string(kTiny));
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(unit)) << what;
    EXPECT_THAT(ran.output, HasSubstr("\nkgtrain ")) << what;
    std::istringstream lines(ran.output);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("kgtrain ")) {
        EXPECT_LE(line.size(), 80U) << line;
      }
  }
}

TEST_F(CliBench, WithoutAPythonItSaysWhoIsMissing) {
  EXPECT_THAT(run("sft" + std::string(kTiny)).output,
              HasSubstr("only kgtrain is measured: no Python with transformers"));
}

TEST_F(CliBench, JsonHasWhatTheTableIsMadeOf) {
  const Ran ran = run("sft --json --peers none --dtype float32" + std::string(kTiny));
  ASSERT_EQ(ran.status, 0) << ran.output;
  const nlohmann::json result = nlohmann::json::parse(ran.output);
  EXPECT_GT(result.at("rate").get<double>(), 0);
  EXPECT_EQ(result.at("dtype"), "float32");
  // 2 documents of 32 tokens: 6 operations for each weight, those of attention beside it.
  const double weights = 300 * 32 + 2 * (32 * 32 * 2 + 16 * 32 * 2 + 48 * 32 * 3);
  EXPECT_NEAR(result.at("teraflops").get<double>() * 1e12 * result.at("seconds").get<double>(),
              64 * (6 * weights + 6 * 32 * 2 * 32), 1);
}

TEST_F(CliBench, TraceIsWritten) {
  const Ran ran = run("sft --json --peers none --trace trace.json" + std::string(kTiny));
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(nlohmann::json::parse(read_file(folder_.path() / "trace.json")).contains("traceEvents"));
}

TEST_F(CliBench, WrongInputIsNamed) {
  const auto refused = [&](const std::string& words, const std::string& said) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.status, 2) << words << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(said)) << words;
  };
  refused("speed", "nothing called \"speed\"");
  refused("sft --peers llama.cpp", "llama.cpp cannot be measured beside sft");
  refused("sft --data x.h5 --peers transformers", "transformers cannot be measured beside sft");
  refused("sft --data x.h5 --peers none" + std::string(kTiny), "samples need a tokeniser");
  refused("grpo --peers trl" + std::string(kTiny), "with random weights");
  refused("sft --trace t.json" + std::string(kTiny), "--peers none");
  refused("sft --documents 0", "--documents");
}

TEST_F(CliBench, APeerThatFailsIsLeftOut) {
  const Ran ran = run("sft" + std::string(kTiny), "/bin/false");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("transformers ended with exit status 1, and is left out"));
}

TEST(CliBenchPeer, TransformersStandsBesideKgtrain) {
  const char* python = std::getenv("KGTRAIN_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "set KGTRAIN_PYTHON";
  const TemporaryFolder folder;
  for (const char* what : {"sft", "decode"}) {
    const Ran ran = kg::testing::run_kgtrain(
        "bench " + std::string(what) +
        " --peers transformers --length 32 --prompt-tokens 8 --new-tokens 8 --steps 1 --rounds 1");
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("\ntransformers ")) << what;
  }
}

}  // namespace
}  // namespace kg::cli
