// kgtrain-worker itself with its sandbox: answers of a canned generator become verdicts in the data set.
#include <gtest/gtest.h>

#include <cstdlib>

#include "rollout/coordinator.h"
#include "rollout/local_fleet.h"
#include "rollout_memory_dataset.h"

namespace kg::rollout {
namespace {

proto::Task relu_task() {
  proto::Task task = test_task("relu");
  task.set_entry_point("relu_kernel");
  task.set_block_dim(2);
  task.mutable_graph()->set_input_count(1);
  proto::GraphNode& node = *task.mutable_graph()->add_nodes();
  node.set_op("relu");
  node.add_inputs(0);
  task.mutable_graph()->add_outputs(1);
  proto::TaskCase& task_case = *task.add_cases();
  task_case.set_seed(1);
  for (proto::TensorSpec* spec : {task_case.add_inputs(), task_case.add_outputs()}) {
    spec->set_name(spec == &task_case.inputs(0) ? "x" : "y");
    spec->set_dtype(proto::FLOAT32);
    spec->add_shape(1024);
  }
  task_case.mutable_inputs(0)->mutable_distribution()->set_low(-1);
  task_case.mutable_inputs(0)->mutable_distribution()->set_high(1);
  return task;
}

// One tile of 512 elements on each of two cores; `compute` goes from x to y.
std::string answer(const std::string& compute) {
  return "It fits in one tile.\n```cpp\n"
         "#include \"kernel_operator.h\"\n"
         "using namespace AscendC;\n"
         "extern \"C\" __global__ __aicore__ void relu_kernel(GM_ADDR x, GM_ADDR y) {\n"
         "  TPipe pipe; TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out;\n"
         "  GlobalTensor<float> gx, gy;\n"
         "  gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * 512, 512);\n"
         "  gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * 512, 512);\n"
         "  pipe.InitBuffer(in, 1, 2048); pipe.InitBuffer(out, 1, 2048);\n"
         "  LocalTensor<float> a = in.AllocTensor<float>();\n"
         "  DataCopy(a, gx, 512); in.EnQue(a); a = in.DeQue<float>();\n"
         "  LocalTensor<float> b = out.AllocTensor<float>();\n"
         "  " +
         compute +
         "\n"
         "  out.EnQue(b); in.FreeTensor(a); b = out.DeQue<float>(); DataCopy(gy, b, 512); out.FreeTensor(b);\n"
         "}\n```\n";
}

TEST(WorkerProgram, AnswersBecomeVerdictsInTheDataSet) {
  TemporaryFolder folder;
  const fs::path bin = fs::path(KG_BINARY_DIR) / "bin", programs = folder.path() / "programs",
                 run = folder.path() / "run";
  fs::create_directories(programs);
  fs::create_directories(run);
  fs::create_symlink(bin / "rollout_fake_generator", programs / "kgtrain-generator");
  fs::create_symlink(bin / "kgtrain-worker", programs / "kgtrain-worker");
  MemoryDataset data;
  const proto::Task task = relu_task();
  add_task(data, task);
  auto coordinator = Coordinator::start({.run = "run-1", .run_folder = run, .heartbeat_seconds = 0.2}, data);
  LocalFleet fleet({.run_folder = run,
                    .model = "none",
                    .coordinator = coordinator->endpoint(),
                    .workers = 2,
                    .worker_arguments = {"--weights-cache", (folder.path() / "cache").string()},
                    .programs = programs});

  const std::map<std::string, proto::Stage> wanted{
      {"I do not know.", proto::REJECTED},
      {answer("Rellu(b, a, 512);"), proto::COMPILE},
      {answer("Abs(b, a, 512);"), proto::COMPARE},
      {answer("Relu(b, a, 512);"), proto::CORRECT},
  };
  for (const auto& [text, stage] : wanted) {
    Work work{.work_id = 0, .task = task, .messages = {}, .samples = 2, .sampling = {}, .purpose = "train"};
    work.messages.emplace_back().set_content(text);
    coordinator->submit(work);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto finished = coordinator->wait(90);
    fleet.check();
    ASSERT_TRUE(finished) << coordinator->stats().last_return_reason << read_file(run / "logs/worker-0.log");
    const std::string& text = finished->work.messages[0].content();
    for (const proto::Rollout& rollout : finished->rollouts) {
      const proto::Verdict& verdict = rollout.verdict();
      EXPECT_EQ(verdict.stage(), wanted.at(text)) << text << verdict.compiler_output() << verdict.sandbox_error();
      EXPECT_TRUE(verdict.reward_valid()) << verdict.invalid_reason();
      EXPECT_EQ(verdict.correct(), wanted.at(text) == proto::CORRECT);
      EXPECT_EQ(rollout.kernel().empty(), wanted.at(text) == proto::REJECTED);
    }
  }
  EXPECT_EQ(data.rollouts().size(), 2 * wanted.size());
}

}  // namespace
}  // namespace kg::rollout
