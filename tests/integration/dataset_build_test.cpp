// `kgtrain data build` with the real sandbox and the emulated NPU.
#include <gtest/gtest.h>

#include "dataset/store/answer.h"
#include "dataset/store/dataset.h"
#include "dataset/synthesis/build.h"

namespace kg::dataset {
namespace {

struct Content {
  std::vector<std::string> tasks, samples;  // serialized, in storage order
  bool operator==(const Content&) const = default;
};

Content content_of(const fs::path& file) {
  Content content;
  const auto data = Dataset::open(file, OpenMode::kRead);
  data->for_each_task([&](const proto::Task& task) {
    content.tasks.push_back(task.SerializeAsString());
    return true;
  });
  data->for_each_sample([&](const proto::Sample& sample) {
    content.samples.push_back(sample.SerializeAsString());
    return true;
  });
  return content;
}

// One family of each category: about 50 kernels instead of 300.
BuildOptions options_for(const fs::path& file, int jobs, std::uint64_t samples = 40) {
  return {.out = file,
          .samples = samples,
          .seed = 5,
          .jobs = jobs,
          .families = {"scalar_chain", "compare_scalar", "unary_chain", "reduce", "normalise_scalar"},
          .quiet = true,
          .sandbox = {.program = KG_BINARY_DIR "/bin/kgtrain-sandbox"}};
}

TEST(Build, EveryKernelIsCorrectAndTheContentDoesNotDependOnJobsOrRestarts) {
  const TemporaryFolder folder;
  const fs::path one = folder.path() / "one.h5", two = folder.path() / "two.h5";
  const BuildReport report = run_build(options_for(one, /*jobs=*/2));
  EXPECT_TRUE(report.failures.empty()) << report.failures.front();
  EXPECT_EQ(report.samples, 40u);
  EXPECT_GT(report.heldout_tasks, 0u);
  const Content content = content_of(one);
  EXPECT_EQ(content.samples.size(), 40u);
  EXPECT_EQ(content.tasks.size(), report.tasks);

  // A part first, as if it had been killed, then the whole, by one sandbox.
  run_build(options_for(two, /*jobs=*/1, /*samples=*/15));
  const BuildReport rest = run_build(options_for(two, /*jobs=*/1));
  EXPECT_EQ(rest.judged, 25u);
  EXPECT_EQ(rest.samples, 40u);
  EXPECT_EQ(content, content_of(two));
  EXPECT_EQ(run_build(options_for(two, /*jobs=*/1)).judged, 0u);
}

TEST(Build, SamplesAreOfTrainingTasksAndHoldTheirKernel) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "data.h5";
  BuildOptions options = options_for(file, /*jobs=*/0, /*samples=*/8);
  options.families = {"normalise_scalar"};
  EXPECT_TRUE(run_build(options).failures.empty());
  const auto data = Dataset::open(file, OpenMode::kRead);
  data->for_each_sample([&](const proto::Sample& sample) {
    const auto task = data->task(sample.task());
    EXPECT_TRUE(task);
    EXPECT_EQ(task->split(), "train");
    EXPECT_NE(extract_kernel(sample.output()).kernel.find("custom_op"), std::string::npos);
    EXPECT_GT(sample.cycles(), 0u);
    return true;
  });
  EXPECT_TRUE(data->meta("synthesis"));
}

}  // namespace
}  // namespace kg::dataset
