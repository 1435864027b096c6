// `kgtrain data build` of samples of all kinds, with the real sandbox: the same content whatever the number of
// sandboxes and however often it was ended; every stored kernel passes again. KG_COT_SAMPLES samples (default 40).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "dataset/cot/build.h"
#include "dataset/store/answer.h"
#include "dataset/store/content_hash.h"
#include "dataset/store/dataset.h"
#include "dataset/store/schema.h"
#include "proto/language.h"
#include "reward/judge.h"

namespace kg::dataset::cot {
namespace {

std::uint64_t wanted() {
  const char* text = std::getenv("KG_COT_SAMPLES");
  return text == nullptr ? 32 : std::strtoull(text, nullptr, 10);
}

BuildOptions options_for(const fs::path& file, int jobs, std::uint64_t samples = wanted()) {
  return {.out = file,
          .samples = samples,
          .seed = 3,
          .jobs = jobs,
          .ways = 2,
          .quiet = true,
          .sandbox = {.program = KG_BINARY_DIR "/bin/kgtrain-sandbox"}};
}

std::string hash_of(const fs::path& file) { return content_hash(*Dataset::open(file, OpenMode::kRead)); }

// Builds in a child that is killed after so many samples stand.
void build_and_kill(const fs::path& file, std::uint64_t after) {
  const pid_t child = ::fork();
  if (child == 0) {
    run_build(options_for(file, /*jobs=*/2));
    ::_exit(0);
  }
  for (;;) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) return;  // it was faster
    std::uint64_t samples = 0;
    if (fs::exists(file)) samples = Dataset::open(file, OpenMode::kRead)->counts().samples;
    if (samples >= after) break;
    ::usleep(20000);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// What the format's page says of a column of the samples.
std::string described(const std::string& column) {
  const auto& columns = schema(Table::kSamples).columns;
  const auto found = std::ranges::find(columns, column, &Column::name);
  return found == columns.end() ? "" : found->meaning;
}

TEST(CotBuild, TheContentIsTheSameHoweverItWasMadeAndEveryKernelPassesAgain) {
  const TemporaryFolder folder;
  const fs::path one = folder.path() / "one.h5", two = folder.path() / "two.h5";
  for (const std::uint64_t after : {wanted() / 5, wanted() / 2}) build_and_kill(two, after);
  run_build(options_for(two, /*jobs=*/1));
  const BuildReport report = run_build(options_for(one, /*jobs=*/2));
  EXPECT_TRUE(report.failures.empty()) << report.failures.front();
  EXPECT_EQ(report.samples, wanted());
  EXPECT_EQ(hash_of(one), hash_of(two));

  const auto data = Dataset::open(one, OpenMode::kRead);
  EXPECT_EQ(data->counts().samples, wanted());
  const auto sandbox = sandbox::start_sandbox({.program = KG_BINARY_DIR "/bin/kgtrain-sandbox"});
  std::map<std::string, int> kinds;
  int checked = 0;
  data->for_each_sample([&](const proto::Sample& sample) {
    ++kinds[sample.kind()];
    EXPECT_EQ(sample.split(), "train");
    for (const auto& [column, value] :
         {std::pair("kind", sample.kind()), std::pair("prompt_form", sample.prompt_form())})
      EXPECT_THAT(described(column), ::testing::HasSubstr(value));
    EXPECT_FALSE(sample.provenance().empty());
    if ((sample.kind() != "kernel" && sample.kind() != "repair") || ++checked % 3 != 0) return true;
    reward::JudgeOptions options{.reward = reward::reward_preset("staged")};
    options.language = proto::language_of(sample);
    const auto task = data->task(sample.task());
    EXPECT_TRUE(task);
    const proto::Verdict verdict =
        reward::judge(*sandbox, *task, extract_kernel(sample.output(), options.language).kernel, options);
    EXPECT_TRUE(verdict.correct()) << sample.id() << "\n" << sample.output();
    return true;
  });
  for (const char* kind : {"kernel", "repair", "prediction", "documentation"}) EXPECT_GT(kinds[kind], 0) << kind;
  EXPECT_GT(checked, 5);
}

TEST(CotBuild, RefusesADataSetThatWasBuiltWithOtherOptions) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "data.h5";
  run_build(options_for(file, 1, /*samples=*/2));
  BuildOptions other = options_for(file, 1, 2);
  other.seed = 4;
  EXPECT_ANY_THROW(run_build(other));
}

}  // namespace
}  // namespace kg::dataset::cot
