#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/job_script.h"
#include "cli/slurm.h"
#include "cli/submit_request.h"

namespace kg::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

SubmitRequest parsed(const std::string& command, std::vector<const char*> words) {
  SubmitRequest request;
  words.insert(words.begin(), command.c_str());
  EXPECT_TRUE(parse_submit(command, static_cast<int>(words.size()), words.data(), request));
  return request;
}

TEST(JobScript, NamesBetweenAtSignsAreFilledInAndNothingElse) {
  EXPECT_EQ(
      fill_template("#SBATCH --signal=TERM@@GRACE@\nexec \"$@\" @RUN@ a@b.c @", {{"GRACE", "60"}, {"RUN", "/r"}}, "t"),
      "#SBATCH --signal=TERM@60\nexec \"$@\" /r a@b.c @");
  EXPECT_THAT(message_of([] { fill_template("@RAN@", {{"RUN", "/r"}}, "site/learner.sh"); }),
              AllOf(HasSubstr("site/learner.sh"), HasSubstr("did you mean @RUN@?")));
}

TEST(JobScript, WordsComeBackFromAShellAsTheyWere) {
  EXPECT_EQ(shell_words({"--out", "/a b", "it's", "", "tcp://0.0.0.0:0"}),
            "--out '/a b' 'it'\\''s' '' tcp://0.0.0.0:0");
}

TEST(Submit, WordsAreDividedBetweenSlurmAndTheCommand) {
  const SubmitRequest request = parsed("rl", {"--nodes", "4", "--steps=7", "--partition=gpu", "--dry-run", "--out",
                                              "/r/x", "--resume", "--deterministic", "--workers-per-node", "8"});
  EXPECT_EQ(request.nodes, 4);
  EXPECT_EQ(request.workers_per_node, 8);
  EXPECT_EQ(request.partition, "gpu");
  EXPECT_TRUE(request.dry_run);
  EXPECT_EQ(request.run, "/r/x");
  EXPECT_THAT(request.words, ElementsAre("--steps=7", "--deterministic"));
}

TEST(Submit, AWrongOptionOfTheCommandIsFoundBeforeTheJobWaitsInAQueue) {
  EXPECT_THAT(message_of([] { parsed("rl", {"--nodes", "2", "--step", "7"}); }), HasSubstr("--steps"));
  EXPECT_THAT(message_of([] { parsed("rl", {"--nodes", "0"}); }), HasSubstr("nodes"));
  EXPECT_THAT(message_of([] { parsed("sft", {"--workers-per-node", "4"}); }), HasSubstr("has no --workers-per-node"));
  EXPECT_THAT(message_of([] { parsed("rl", {"--resume"}); }), HasSubstr("name it by --out RUN"));
}

TEST(Slurm, RefusalsHaveANamedCause) {
  for (const auto& [said, cause, hint] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"sbatch: error: invalid partition specified: nosuch", "no such partition", "sinfo"},
           {"sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit)",
            "a quota of the account is full", "wait until jobs have ended"},
           {"sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some "
            "limit)",
            "more than the partition allows", "MaxTime"},
           {"sbatch: error: Batch job submission failed: Requested node configuration is not available",
            "no node of the partition has", "sinfo -N"},
           {"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)",
            "controller does not answer", "sinfo"},
           {"sbatch: error: Invalid --time specification", "not one that Slurm reads", "2:00:00"}}) {
    const std::string message = sbatch_error(said, "/run/submit/learner.sh").full_message();
    EXPECT_THAT(message, AllOf(HasSubstr(cause), HasSubstr(hint), HasSubstr(said), HasSubstr("learner.sh")));
  }
  EXPECT_THAT(sbatch_error("sbatch: error: something new", "s").full_message(), HasSubstr("something new"));
}

}  // namespace
}  // namespace kg::cli
