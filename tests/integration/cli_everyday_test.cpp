// What newcomers typed: each test is named after what they saw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "dataset/store/dataset.h"
#include "tests/security/hacks/hack.h"
#include "tests/support/run_kgtrain.h"
#include "tests/support/shared_cache.h"
#include "tests/support/small_dataset.h"

namespace kg::cli {
namespace {

using kg::testing::Ran;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Everyday : public ::testing::Test {
 protected:
  Everyday() {
    kg::testing::make_small_dataset(path("some.h5"));
    kg::share_cache(path("home"));
    write("ascend_cot.json", R"([{"instruction": "a", "input": "", "output": "b"}])");
    write("empty.h5", "");
    write("kernel.cpp", "int x;");
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  Ran run(const std::string& words) const {
    return kg::testing::run_kgtrain(words,
                                    "cd '" + folder_.path().string() + "' && KGTRAIN_HOME='" + path("home") + "'");
  }
  // Wrong usage, with these words in what is said.
  void refused(const std::string& words, const std::vector<std::string>& said) const {
    const Ran ran = run(words);
    EXPECT_EQ(ran.status, 2) << words << "\n" << ran.output;
    for (const std::string& one : said) EXPECT_THAT(ran.output, HasSubstr(one)) << words;
    EXPECT_THAT(ran.output, HasSubstr("\n  at: ")) << words;
    EXPECT_THAT(ran.output, HasSubstr("\n  try: ")) << words;
  }

  TemporaryFolder folder_;
};

TEST_F(Everyday, AFolderAsConfigurationIsNotIgnored) {
  for (const char* command : {"sft", "judge", "data info some.h5"}) {
    refused(std::string(command) + " --config .", {"expected a TOML file, found a folder"});
    refused(std::string(command) + " --config none.toml", {"there is no such file", "none.toml"});
  }
}

TEST_F(Everyday, AFilterThatNothingHasIsNotSilence) {
  refused("tasks list --data some.h5 --split test", {"wanted one of: train, heldout"});
  refused("tasks list --data some.h5 --family rely", {"no task of the family \"rely\"", "did you mean relu?"});
  refused("data export some.h5 --split bogus", {"no sample of the split \"bogus\"", "its samples are of: train"});
  EXPECT_EQ(run("tasks list --data some.h5 --family relu").output, "tasks/relu\n");
}

TEST_F(Everyday, WhatIsNoDataSetIsAWrongWordAndNoBrokenDisk) {
  refused("data info empty.h5", {"expected a data set, found an empty file"});
  refused("data info .", {"expected a data set, found a folder"});
  refused("data info kernel.cpp", {"that is not HDF5"});
  refused("data info ascend_cot.json", {"expected a data set, found JSON", "kgtrain data import ascend_cot.json"});
}

TEST_F(Everyday, OutputThatIsLostIsAFailure) {
  for (const char* words : {"tasks list --data some.h5 > /dev/full;", "--help > /dev/full;"}) {
    const Ran ran = run(words + std::string(" (exit $?)"));
    EXPECT_EQ(ran.status, 3) << ran.output;
  }
}

TEST_F(Everyday, ARunThatIsNotThereIsNotBegunByResume) {
  refused("sft --resume --out typo --data some.h5", {"there is no run \"typo\" to continue"});
  fs::create_directories(path("home/runs/mine"));
  write("home/runs/mine/config.json", R"({"command": "sft", "options": {}})");
  refused("rl --resume --out mine",
          {"the run was made by kgtrain sft, not by kgtrain rl", "kgtrain sft --resume --out mine"});
}

TEST_F(Everyday, TheRunThatIsGoingOnIsTheLatest) {
  for (const char* name : {"going", "ended"}) fs::create_directories(path(std::string("home/runs/") + name));
  write("home/runs/ended/status.json", R"({"state": "finished", "command": "sft", "pid": 1, "time": 9, "step": 1})");
  fs::create_directory_symlink("ended", path("home/runs/latest-sft"));
  EXPECT_THAT(run("status").output, HasSubstr("ended"));
}

TEST_F(Everyday, EveryWrongLineOfABatchIsNamed) {
  write("batch.jsonl",
        "{\"task\": \"tasks/relu\", \"kernel\": \"x\"}\n{\"task\": \"none\", \"kernel\": \"x\"}\n{bad\n");
  refused("judge --data some.h5 --batch batch.jsonl",
          {"2 lines of the batch cannot be judged", "batch.jsonl:2: no task \"none\"", "batch.jsonl:3: not an object"});
  refused("judge --data some.h5 --batch - < batch.jsonl", {"standard input:2: no task \"none\""});
}

TEST_F(Everyday, TheCompilersWordsNameTheUsersFileAndLine) {
  write("empty.cpp", " \n");
  refused("judge --data some.h5 --task tasks/relu --kernel empty.cpp",
          {"expected a kernel, found an empty file", "empty.cpp"});
  const Ran broken = run("judge --data some.h5 --task tasks/relu --kernel kernel.cpp --allow-less-isolation");
  EXPECT_EQ(broken.status, 1) << broken.output;
  EXPECT_THAT(broken.output, HasSubstr("kernel_operator.h is not included"));
  EXPECT_THAT(broken.output, Not(HasSubstr("KG_ENTRY_POINT")));
  EXPECT_THAT(broken.output, Not(HasSubstr("largest absolute error")));
  write("mine.cpp", "#include \"kernel_operator.h\"\nint x\n");
  const Ran ran = run("judge --data some.h5 --task tasks/relu --kernel mine.cpp --allow-less-isolation");
  EXPECT_THAT(ran.output, HasSubstr("mine.cpp:2:6: error: expected ';'"));
  EXPECT_THAT(ran.output, HasSubstr("\n  2 | int x\n    |      ^\n"));
}

TEST_F(Everyday, WhatAKernelPrintsIsShown) {
  write("says.cpp", R"(#include "kernel_operator.h"
extern "C" __global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR y) {
  if (AscendC::GetBlockIdx() == 0) AscendC::printf("rows %d\n", 42);
}
)");
  const std::string judge = "judge --data some.h5 --task tasks/relu --kernel says.cpp --allow-less-isolation";
  EXPECT_THAT(run(judge).output, HasSubstr("\nprinted by the kernel in its first case\n"));
  EXPECT_THAT(run(judge).output, HasSubstr("rows 42\n"));
  EXPECT_THAT(run(judge + " --json").output, HasSubstr("rows 42\\n"));
}

TEST_F(Everyday, WhichOfTwoDataSetsIsUsedIsSaid) {
  fs::create_directories(path("home/data"));
  fs::copy(path("some.h5"), path("home/data/some.h5"));
  fs::copy(path("some.h5.d"), path("home/data/some.h5.d"), fs::copy_options::recursive);
  EXPECT_THAT(run("tasks list --data some.h5").output,
              HasSubstr(path("some.h5") + " is used, not " + path("home/data/some.h5")));
  fs::remove(path("some.h5"));
  EXPECT_THAT(run("tasks list --data some.h5").output, Not(HasSubstr("is used, not")));
}

TEST_F(Everyday, AnExportThatFailsLeavesNothing) {
  refused("data export some.h5 --form huggingface --out kernel.cpp/x", {"Not a directory"});
  fs::create_directories(path("model"));
  write("model/config.json", "{}");
  write("model/tokenizer.json", "{}");
  EXPECT_EQ(run("export --model model --out m").status, 2);
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("m.")) << entry.path();
}

TEST_F(Everyday, RunsAreListedAndThinnedOut) {
  for (const char* name : {"done", "broken"})
    for (const char* step : {"step-000001", "step-000002"}) {
      fs::create_directories(path(std::string("home/runs/") + name + "/checkpoints/" + step));
      write(std::string("home/runs/") + name + "/checkpoints/" + step + "/weights", std::string(1000, 'x'));
      write(std::string("home/runs/") + name + "/config.json", R"({"command": "sft", "options": {}})");
    }
  fs::create_directories(path("home/runs/done/model"));
  write("home/runs/done/model/config.json", "{}");
  write("home/runs/done/status.json", R"({"state": "finished", "command": "sft", "step": 2, "steps": 2, "time": 9})");
  write("home/runs/broken/status.json",
        R"({"state": "running", "command": "sft", "pid": 1, "step": 1, "steps": 9, "time": 8})");
  const std::string listed = run("runs").output;
  EXPECT_THAT(listed, HasSubstr("finished"));
  EXPECT_THAT(listed, HasSubstr("broken off"));
  EXPECT_THAT(run("runs --thin").output, HasSubstr("--yes deletes it"));
  EXPECT_TRUE(fs::exists(path("home/runs/done/checkpoints/step-000002")));
  EXPECT_EQ(run("runs --thin --yes").status, 0);
  EXPECT_FALSE(fs::exists(path("home/runs/done/checkpoints/step-000002")));
  EXPECT_FALSE(fs::exists(path("home/runs/broken/checkpoints/step-000001")));
  EXPECT_TRUE(fs::exists(path("home/runs/broken/checkpoints/step-000002"))) << "it goes on from there";
  refused("runs --remove . --yes", {"\".\" is not a run in $KGTRAIN_HOME/runs"});
  EXPECT_TRUE(fs::exists(path("some.h5")));
  EXPECT_EQ(run("runs --remove broken --yes").status, 0);
  EXPECT_FALSE(fs::exists(path("home/runs/broken")));
}

TEST_F(Everyday, CompletionKnowsCommandsOptionsAndTheirValues) {
  write("ask.sh",
        "eval \"$1\"\nshift\nCOMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n_kgtrain\nprintf '%s ' \"${COMPREPLY[@]}\"\n");
  const auto complete = [&](const std::string& words) {
    return run("completion bash > c.sh; bash ask.sh \"$(cat c.sh)\" kgtrain " + words).output;
  };
  EXPECT_EQ(complete("ju"), "judge ");
  EXPECT_EQ(complete("data pa"), "pack ");
  EXPECT_EQ(complete("judge --repo"), "--report ");
  EXPECT_EQ(complete("rl --correction seq"), "sequence sequence-mask ");
  EXPECT_THAT(complete("data build --"), HasSubstr("--samples"));
  EXPECT_THAT(run("completion man").output, StartsWith(".TH kgtrain 1"));
}

TEST_F(Everyday, ShortWordsAreNotTakenForOthers) {
  const Ran foo = run("foo");
  EXPECT_EQ(foo.status, 2);
  EXPECT_THAT(foo.output, Not(HasSubstr("did you mean")));
  EXPECT_THAT(run("jugde").output, HasSubstr("did you mean \"kgtrain judge\"?"));
  EXPECT_THAT(run("-v").output, StartsWith("kgtrain "));
  EXPECT_EQ(run("help data info").output, run("data --help").output);
  EXPECT_EQ(run("help judge").output, run("judge --help").output);
}

}  // namespace
}  // namespace kg::cli
