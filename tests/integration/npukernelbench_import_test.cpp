#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dataset/store/dataset.h"
#include "tests/support/run_kgtrain.h"

// Imports the benchmark in npukernelbench_fake and judges kernels on it. Needs the Python of scripts/setup.sh
// --with-peers.
namespace kg::dataset {
namespace {

using kg::testing::Ran;
using kg::testing::run_kgtrain;
using ::testing::HasSubstr;

const fs::path kFake = fs::path(KG_SOURCE_DIR) / "tests/integration/npukernelbench_fake";

class NpuKernelBenchImport : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* python = std::getenv("KGTRAIN_PEER_PYTHON");
    ASSERT_NE(python, nullptr) << "scripts/setup.sh --with-peers makes the Python that this test needs";
    ::setenv("KGTRAIN_PYTHON", python, 1);
    ::setenv("KGTRAIN_HOME", folder_.path().c_str(), 1);
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  Ran import(const std::string& name, const std::string& environment = "") const {
    return run_kgtrain("tasks import npukernelbench '" + kFake.string() + "' --keep 16 --out '" + file(name) + "'",
                       environment);
  }
  nlohmann::json judge(const std::string& data, const std::string& task, const std::string& kernel,
                       const std::string& more) const {
    write_file_atomically(file("kernel.cpp"), kernel);
    const Ran ran = run_kgtrain("judge --json --data '" + file(data) + "' --task " + task + " --kernel '" +
                                file("kernel.cpp") + "' " + more);
    const auto begin = ran.output.find('{');
    const auto verdict =
        nlohmann::json::parse(begin == std::string::npos ? "" : ran.output.substr(begin), nullptr, false);
    EXPECT_TRUE(verdict.is_object()) << ran.output;
    return verdict;
  }

  TemporaryFolder folder_{"kgtrain-import-test"};
};

// y = factor * x of `elements` floats for each of 48 cores.
std::string twice_kernel(const std::string& type, int elements, const std::string& factor) {
  std::string kernel = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, COUNT * sizeof(TYPE));
  pipe.InitBuffer(out, 1, COUNT * sizeof(TYPE));
  GlobalTensor<TYPE> from, to;
  from.SetGlobalBuffer((__gm__ TYPE*)x + GetBlockIdx() * COUNT, COUNT);
  to.SetGlobalBuffer((__gm__ TYPE*)y + GetBlockIdx() * COUNT, COUNT);
  LocalTensor<TYPE> a = in.AllocTensor<TYPE>();
  DataCopy(a, from, COUNT);
  in.EnQue(a);
  a = in.DeQue<TYPE>();
  LocalTensor<TYPE> b = out.AllocTensor<TYPE>();
  Muls(b, a, (TYPE)FACTOR, COUNT);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<TYPE>();
  DataCopy(to, b, COUNT);
  out.FreeTensor(b);
}
)";
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (auto at = kernel.find(what); at != std::string::npos; at = kernel.find(what))
      kernel.replace(at, what.size(), by);
  };
  replace("COUNT", std::to_string(elements));
  replace("TYPE", type);
  replace("FACTOR", factor);
  return kernel;
}

TEST_F(NpuKernelBenchImport, TakesTasksCasesAndPromptsAndJudgesRightAndWrongKernels) {
  const Ran imported = import("fake.h5");
  ASSERT_EQ(imported.status, 0) << imported.output;
  EXPECT_THAT(imported.output, HasSubstr("2 of 2 tasks (0 taken before), 5 of 5 cases"));
  EXPECT_EQ(run_kgtrain("tasks list --data '" + file("fake.h5") + "'").output,
            "level1/Math/Twice\nlevel2/Foreach/ForeachGrow\n");

  const auto data = Dataset::open(file("fake.h5"), OpenMode::kRead);
  const proto::Task twice = data->task("level1/Math/Twice").value();
  EXPECT_EQ(twice.entry_point(), "twice");
  EXPECT_EQ(twice.block_dim(), 48u);
  EXPECT_EQ(twice.level_weight(), 0.2);
  EXPECT_EQ(twice.prompt_dynamic_full(), "Write a project for Twice, any case.");
  EXPECT_EQ(twice.cases(1).prompt_kernel_only(), "Write a kernel for Twice, case 1.");
  EXPECT_EQ(twice.cases(0).attributes(0).name(), "scale");
  EXPECT_EQ(twice.cases(0).attributes(0).real(), 2.0);
  EXPECT_EQ(twice.cases(0).check().name(), "both");
  EXPECT_EQ(twice.cases(0).check().relative(), 1e-3);
  const proto::Task grow = data->task("level2/Foreach/ForeachGrow").value();
  ASSERT_EQ(grow.cases(1).inputs_size(), 4);
  EXPECT_EQ(grow.cases(1).inputs(3).dtype(), proto::FLOAT16) << "a scalar has the type of its column in the definition";
  ASSERT_EQ(grow.cases(0).outputs_size(), 2);
  EXPECT_EQ(grow.cases(0).outputs(1).in_place_of(), "x");
  EXPECT_TRUE(grow.cases(0).outputs(1).without_parameter());
  EXPECT_EQ(grow.cases(1).check().absolute(), 0.01) << "bounds are the checker's own";

  // Kept in the file: input, expected output, fp64 output. The large case: only hashes.
  const auto kept = data->tensors(twice.id(), 0);
  ASSERT_EQ(kept.size(), 3u);
  for (const proto::CaseTensor& tensor : kept) EXPECT_EQ(tensor.data().size(), tensor.byte_count());
  for (const proto::CaseTensor& tensor : data->tensors(twice.id(), 1)) {
    EXPECT_TRUE(tensor.data().empty());
    EXPECT_NE(tensor.hash(), 0u);
  }

  auto verdict = judge("fake.h5", "level1/Math/Twice", twice_kernel("float", 64, "2"), "--case 0");
  EXPECT_EQ(verdict["stage"], "correct") << verdict;
  EXPECT_EQ(verdict["published"]["correct"], true);
  EXPECT_EQ(verdict["strict"]["correct"], true);
  verdict = judge("fake.h5", "level1/Math/Twice", twice_kernel("float", 512, "2"), "--case 1");
  EXPECT_EQ(verdict["stage"], "correct") << "made again from its seed: " << verdict;
  EXPECT_EQ(verdict["strict"]["correct"], true) << verdict;
  verdict = judge("fake.h5", "level1/Math/Twice", twice_kernel("half", 64, "2"), "--case 2");
  EXPECT_EQ(verdict["stage"], "correct") << verdict;
  verdict = judge("fake.h5", "level1/Math/Twice", twice_kernel("float", 64, "2.1"), "--case 0");
  EXPECT_EQ(verdict["stage"], "compare") << verdict;
  EXPECT_EQ(verdict["published"]["correct"], false);
  EXPECT_EQ(verdict["strict"]["correct"], false);
  // 4 parts in a thousand of at most 2: where the value is below a quarter, the published rule lets it pass, the strict
  // one does not.
  verdict = judge("fake.h5", "level1/Math/Twice", twice_kernel("float", 64, "2.0005"), "--case 0");
  EXPECT_EQ(verdict["correct"], true) << verdict;
  EXPECT_THAT(judge("fake.h5", "level1/Math/Twice", twice_kernel("float", 64, "2"), "").dump(),
              HasSubstr("\"cases_total\":3"));
}

TEST_F(NpuKernelBenchImport, KilledInTheMiddleItGoesOnAndHoldsTheSame) {
  ASSERT_EQ(import("whole.h5").status, 0);
  const Ran killed = import("killed.h5", "FAKE_KILL=1");
  ASSERT_EQ(killed.status, -1) << killed.output;
  const Ran resumed = import("killed.h5");
  ASSERT_EQ(resumed.status, 0) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("2 of 2 tasks (1 taken before), 5 of 5 cases"));
  const auto whole = Dataset::open(file("whole.h5"), OpenMode::kRead),
             again = Dataset::open(file("killed.h5"), OpenMode::kRead);
  for (const std::string& id : whole->task_ids("")) {
    ASSERT_TRUE(again->task(id).has_value());
    EXPECT_EQ(again->task(id)->SerializeAsString(), whole->task(id)->SerializeAsString());
    for (int i = 0; i < whole->task(id)->cases_size(); ++i) {
      const auto one = whole->tensors(id, static_cast<unsigned>(i)),
                 other = again->tensors(id, static_cast<unsigned>(i));
      ASSERT_EQ(one.size(), other.size());
      for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].SerializeAsString(), other[k].SerializeAsString());
    }
  }
}

TEST_F(NpuKernelBenchImport, SaysWhatIsWrongWithAFolderThatIsNoCheckout) {
  const Ran none = run_kgtrain("tasks import npukernelbench /nowhere --out '" + file("x.h5") + "'");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, HasSubstr("there is no such folder"));
  const Ran other =
      run_kgtrain("tasks import npukernelbench '" + folder_.path().string() + "' --out '" + file("x.h5") + "'");
  EXPECT_EQ(other.status, 2) << other.output;
  EXPECT_THAT(other.output, HasSubstr("not a checkout of NPUKernelBench"));
  EXPECT_THAT(other.output, HasSubstr("has no tasks"));
  // Half a checkout: without what makes its prompts each task would fail by itself.
  fs::copy(KG_SOURCE_DIR "/tests/integration/npukernelbench_fake", folder_.path() / "half",
           fs::copy_options::recursive);
  fs::remove_all(folder_.path() / "half/kernel_generator");
  const Ran half = run_kgtrain("tasks import npukernelbench '" + file("half") + "' --out '" + file("x.h5") + "'");
  EXPECT_EQ(half.status, 2) << half.output;
  EXPECT_THAT(half.output, HasSubstr("has no kernel_generator/"));
  EXPECT_FALSE(fs::exists(file("x.h5"))) << "nothing is made of a folder that is refused";
}

}  // namespace
}  // namespace kg::dataset
