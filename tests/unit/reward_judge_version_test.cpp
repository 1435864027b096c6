#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "reward/code_hash.h"
#include "reward/judge.h"
#include "reward/judge_version.h"
#include "reward/verdict.h"

namespace kg::reward {
namespace {

TEST(CodeText, LeavesOutCommentsAndSpacesButNoLiteral) {
  EXPECT_EQ(code_text("int a = 1;  // one\n/* two\n   three */ int b;\n"), "inta=1;intb;");
  EXPECT_EQ(code_text("f(\"a // b\", 'c', '\"', ' ');"), "f(\"a // b\",'c','\"',' ');");
  EXPECT_EQ(code_text("int n = 1'000'000; // '\nint m;"), "intn=1'000'000;intm;");
  EXPECT_EQ(code_text("auto s = R\"x(a \" // )y\")x\" + t;"), "autos=R\"x(a \" // )y\")x\"+t;");
  EXPECT_EQ(code_text("f(\"\\\" // \");"), "f(\"\\\" // \");");
  EXPECT_EQ(code_text("a / b // c"), "a/b");
}

class CodeHash : public ::testing::Test {
 protected:
  // A checkout of its own, with one header.
  static std::string hash_of(const std::string& text, const std::string& name = "npu/chip.h") {
    const TemporaryFolder root;
    fs::create_directories((root.path() / name).parent_path());
    write_file_atomically(root.path() / name, text);
    write_file_atomically(root.path() / "npu/README.md", root.path().string());
    return code_hash(root.path(), "npu");
  }
};

TEST_F(CodeHash, SameSourceInAnotherFolderHasTheSameHash) {
  EXPECT_EQ(hash_of("constexpr int kVectorCores = 48;\n"), hash_of("constexpr int kVectorCores = 48;\n"));
  EXPECT_EQ(hash_of("constexpr int kVectorCores = 48;\n"),
            hash_of("// Atlas A2\nconstexpr int   kVectorCores = 48;  // cores\n"));
}

TEST_F(CodeHash, FigureInAHeaderChangesIt) {
  const std::string hash = hash_of("constexpr int kVectorCores = 48;\n");
  EXPECT_NE(hash, hash_of("constexpr int kVectorCores = 20;\n"));
  EXPECT_NE(hash, hash_of("constexpr int kVectorCores = 48;\n", "npu/other.h"));
}

TEST(JudgeVersion, EachPartChangesIt) {
  const std::vector<JudgePart> parts = {{"npu", "a"}, {"reward", "b"}, {"compiler", "Debian clang version 14.0.6"}};
  const std::string version = version_of(parts);
  EXPECT_THAT(version, ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(version_of(parts), version);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<JudgePart> changed = parts;
    changed[i].state += "1";
    EXPECT_NE(version_of(changed), version) << parts[i].name;
  }
  EXPECT_NE(version_of({{"np", "ua"}, parts[1], parts[2]}), version);
}

TEST(JudgeVersion, HasChipHeadersProgramToleranceAndCompiler) {
  std::vector<std::string> names;
  for (const JudgePart& part : judge_parts()) {
    names.push_back(part.name);
    EXPECT_THAT(part.state, ::testing::Not(::testing::HasSubstr("/")));
  }
  EXPECT_THAT(names,
              ::testing::IsSupersetOf({"npu", "dsl", "operators", "sandbox", "reward", "headers in use", "compiler"}));
  EXPECT_EQ(judge_version(), version_of(judge_parts()));
}

TEST(JudgeVersion, EveryVerdictHasIt) {
  proto::Task task;
  EXPECT_EQ(verdict_without_kernel(task, "no code block", {}).judge_version(), judge_version());
  EXPECT_EQ(verdict_unjudged(task, Error("what", "where", "hint")).judge_version(), judge_version());
}

}  // namespace
}  // namespace kg::reward
