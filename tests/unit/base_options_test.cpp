#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"

namespace kg {
namespace {

struct Parsed {
  int workers = 4;
  double rate = 1e-4;
  bool resume = false;
  std::string model = "base";
  std::vector<std::string> targets{"q"};
  Options options{"kgtrain test", "A command for tests."};

  Parsed() {
    options.add("workers", workers, "number of workers").range(1, 64);
    options.add("learning-rate", rate, "peak learning rate");
    options.add("resume", resume, "go on with the run");
    options.add("model", model, "the model").choices({"base", "sft"});
    options.add("target", targets, "what to adapt");
  }
  bool parse(std::vector<const char*> words) {
    words.insert(words.begin(), "test");
    return options.parse(static_cast<int>(words.size()), words.data());
  }
};

TEST(Options, CommandLineWinsOverFileAndFileOverDefault) {
  TemporaryFolder folder;
  const fs::path config = folder.path() / "run.toml";
  std::ofstream(config) << "workers = 8\nlearning-rate = 1\ntarget = [\"k\", \"v\"]\n";
  Parsed parsed;
  ASSERT_TRUE(parsed.parse({"--config", config.c_str(), "--learning-rate=0.5", "--resume"}));
  EXPECT_EQ(parsed.workers, 8);
  EXPECT_EQ(parsed.rate, 0.5);
  EXPECT_TRUE(parsed.resume);
  EXPECT_THAT(parsed.targets, testing::ElementsAre("k", "v"));
  EXPECT_EQ(parsed.options.resolved().at("workers"), 8);
  EXPECT_TRUE(parsed.options.given("workers"));
  EXPECT_FALSE(parsed.options.given("model"));
}

TEST(Options, UnknownOptionNamesTheNearest) {
  Parsed parsed;
  try {
    parsed.parse({"--worker", "8"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::HasSubstr("--workers"));
    EXPECT_EQ(error.exit_status(), 2);
  }
}

TEST(Options, UnknownKeyNamesFileLineAndNearest) {
  TemporaryFolder folder;
  const fs::path config = folder.path() / "run.toml";
  std::ofstream(config) << "\nworkrs = 8\n";
  Parsed parsed;
  try {
    parsed.parse({"--config", config.c_str()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::HasSubstr("run.toml:2"));
    EXPECT_THAT(error.full_message(), testing::HasSubstr("\"workers\""));
  }
}

TEST(Options, FileWhereTheLibraryFailsItsOwnAssertionIsRefused) {
  TemporaryFolder folder;
  const fs::path config = folder.path() / "run.toml";
  std::ofstream(config) << "[/table]\n";
  Parsed parsed;
  EXPECT_THROW(parsed.parse({"--config", config.c_str()}), Error);
}

TEST(Options, ValueOutOfRangeOrOfWrongKindIsRefused) {
  EXPECT_THROW(Parsed().parse({"--workers", "0"}), Error);
  EXPECT_THROW(Parsed().parse({"--workers", "eight"}), Error);
  EXPECT_THROW(Parsed().parse({"--workers"}), Error);
  EXPECT_THROW(Parsed().parse({"--model", "sfd"}), Error);
}

TEST(Options, ReferenceHasARowForEachOptionThatMarkdownCannotMisread) {
  std::string file, language = "dsl";
  Options options("kgtrain test", "A command for tests.");
  options.positional("FILE", file, "a file: <name>.cpp");
  options.add("language", language, "a | b").choices({"", "dsl"});
  EXPECT_EQ(
      options.reference_markdown(),
      "## kgtrain test\n\nA command for tests.\n\n| option | kind | default | meaning |\n|---|---|---|---|\n"
      "| `FILE` | text | required | a file: &lt;name>.cpp |\n| `--language` | empty, `dsl` | `dsl` | a \\| b |\n\n");
}

TEST(Options, AValueMayFollowItsFlagOrAnEqualsSignAndANegatedSwitchTakesNone) {
  Parsed parsed;
  ASSERT_TRUE(
      parsed.parse({"--workers", "8", "--model=sft", "--resume", "--no-resume", "--target", "a", "--target=b"}));
  EXPECT_EQ(parsed.workers, 8);
  EXPECT_EQ(parsed.model, "sft");
  EXPECT_FALSE(parsed.resume);
  EXPECT_THAT(parsed.targets, testing::ElementsAre("a", "b"));
  EXPECT_THROW(Parsed().parse({"--no-resume=true"}), Error);
  EXPECT_THROW(Parsed().parse({"--no-model"}), Error);
  EXPECT_THROW(Parsed().parse({"stray"}), Error);
}

}  // namespace
}  // namespace kg
