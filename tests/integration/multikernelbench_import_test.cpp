#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/store/dataset.h"
#include "tests/support/run_kgtrain.h"
#include "tests/support/shared_cache.h"

// Imports the checkout in multikernelbench_fake and judges answers to its tasks. Needs the Python of scripts/setup.sh
// --with-peers.
namespace kg::dataset {
namespace {

using kg::testing::Ran;
using kg::testing::run_kgtrain;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kFake = fs::path(KG_SOURCE_DIR) / "tests/integration/multikernelbench_fake";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

class MultiKernelBenchImport : public ::testing::Test {
 protected:
  // Imported once; the compiled headers of PyTorch are made once.
  static void SetUpTestSuite() {
    const char* python = std::getenv("KGTRAIN_PEER_PYTHON");
    ASSERT_NE(python, nullptr) << "scripts/setup.sh --with-peers makes the Python that this test needs";
    ::setenv("KGTRAIN_PYTHON", python, 1);
    folder_ = new TemporaryFolder("kgtrain-import-test");
    kg::share_cache(folder_->path());
    ::setenv("KGTRAIN_HOME", folder_->path().c_str(), 1);
    imported_ = new Ran(import("tasks.h5"));
    right_ = new std::string(read_file(kFake / "answers/activation/doubled/right.py"));
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete imported_;
    delete right_;
  }
  static std::string file(const std::string& name) { return (folder_->path() / name).string(); }
  static Ran import(const std::string& name, const std::string& environment = "") {
    return run_kgtrain("tasks import multikernelbench '" + kFake.string() + "' --keep 4 --out '" + file(name) + "'",
                       environment);
  }
  static nlohmann::json judge(const std::string& task, const std::string& answer,
                              const std::string& more = "--case 0") {
    write_file_atomically(file("answer.py"), answer);
    const Ran ran = run_kgtrain("judge --json --data '" + file("tasks.h5") + "' --task " + task + " --kernel '" +
                                file("answer.py") + "' " + more);
    const auto begin = ran.output.find('{');
    auto verdict = nlohmann::json::parse(begin == std::string::npos ? "" : ran.output.substr(begin), nullptr, false);
    EXPECT_TRUE(verdict.is_object()) << ran.output;
    return verdict;
  }

  static TemporaryFolder* folder_;
  static Ran* imported_;
  static std::string* right_;
};
TemporaryFolder* MultiKernelBenchImport::folder_ = nullptr;
Ran* MultiKernelBenchImport::imported_ = nullptr;
std::string* MultiKernelBenchImport::right_ = nullptr;

TEST_F(MultiKernelBenchImport, TakesTrialsAndGroupsAndNamesWhatItLeavesOut) {
  ASSERT_EQ(imported_->status, 0) << imported_->output;
  EXPECT_THAT(imported_->output, HasSubstr("4 of 6 tasks (0 taken before), 17 of 27 cases"));
  EXPECT_THAT(imported_->output,
              HasSubstr("left out  reduce/large: its inputs are 4398047 MB, and --largest is 2130 MB"));
  EXPECT_THAT(imported_->output,
              HasSubstr("left out  fuse/needs_npu: ModuleNotFoundError: No module named 'torch_npu'"));
  EXPECT_EQ(run_kgtrain("tasks list --data '" + file("tasks.h5") + "'").output,
            "activation/doubled\nfuse/scale_shift\nnpukernelbench_level1/1_twice\nreduce/row_sums\n");
  const auto data = Dataset::open(file("tasks.h5"), OpenMode::kRead);
  const proto::Task scale = data->task("fuse/scale_shift").value();
  EXPECT_EQ(scale.suite(), "multikernelbench");
  EXPECT_EQ(scale.entry_point(), "scale_shift_custom");
  EXPECT_EQ(scale.level(), -1);
  ASSERT_EQ(scale.cases_size(), 5);
  EXPECT_THAT(scale.prompt_npukernelbench(), HasSubstr("return x * self.factor, x + self.shift"));
  const proto::TaskCase& trial = scale.cases(0);
  EXPECT_EQ(trial.check().name(), "allclose");
  EXPECT_EQ(trial.check().absolute(), 1e-4);
  EXPECT_EQ(trial.seed(), 7u) << "of config.py";
  const auto call = nlohmann::json::parse(trial.call());
  EXPECT_EQ(call["seed"], 7);
  EXPECT_EQ(call["init"], nlohmann::json::parse("[16, 0.5]"));
  EXPECT_EQ(call["arguments"], nlohmann::json::parse(R"([{"tensor": 0}])"));
  EXPECT_EQ(call["state"],
            nlohmann::json::parse(R"([{"path": "shift", "name": "shift", "dtype": "float32", "shape": [16]}])"));
  EXPECT_THAT(call["frame"].get<std::string>(), HasSubstr("class ModelNew(torch.nn.Module):"));
  EXPECT_THAT(call["frame"].get<std::string>(), Not(HasSubstr("forward")));
  EXPECT_EQ(nlohmann::json::parse(trial.result_form()),
            nlohmann::json::parse(R"({"list": [{"tensor": 0}, {"tensor": 1}]})"));
  const proto::Task twice = data->task("npukernelbench_level1/1_twice").value();
  EXPECT_EQ(twice.level(), 1);
  EXPECT_EQ(twice.entry_point(), "twice_custom");
  ASSERT_EQ(twice.cases_size(), 2);
  EXPECT_EQ(twice.cases(0).inputs(1).name(), "tensors_1");
  EXPECT_EQ(nlohmann::json::parse(twice.cases(1).call())["arguments"],
            nlohmann::json::parse(R"([{"list": [{"tensor": 0}]}, {"float": "inf"}])"));
  EXPECT_EQ(twice.cases(1).inputs(0).dtype(), proto::FLOAT16);

  // Small inputs are kept; large ones are hashes, their outputs are kept all the same.
  for (const proto::CaseTensor& tensor : data->tensors("activation/doubled", 2))
    EXPECT_EQ(tensor.data().size(), tensor.byte_count());
  int inputs = 0, outputs = 0;
  for (const proto::CaseTensor& tensor : data->tensors("reduce/row_sums", 0)) {
    EXPECT_NE(tensor.hash(), 0u);
    (tensor.role() == proto::CaseTensor::INPUT ? inputs : outputs) += tensor.data().size() == tensor.byte_count();
  }
  EXPECT_EQ(inputs, 0);
  EXPECT_EQ(outputs, 2) << "as the reference has them, and in fp64";
}

TEST_F(MultiKernelBenchImport, KilledInTheMiddleItGoesOnAndHoldsTheSame) {
  ASSERT_EQ(import("killed.h5", "FAKE_KILL=1").status, -1);
  const Ran resumed = import("killed.h5");
  ASSERT_EQ(resumed.status, 0) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("4 of 6 tasks (1 taken before)"));
  const auto whole = Dataset::open(file("tasks.h5"), OpenMode::kRead),
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

TEST_F(MultiKernelBenchImport, RightAnswersPass) {
  auto verdict = judge("activation/doubled", *right_, "");
  EXPECT_EQ(verdict["stage"], "correct") << verdict;
  EXPECT_EQ(verdict["cases_passed"], 5);
  EXPECT_EQ(verdict["published"]["correct"], true);
  EXPECT_EQ(verdict["strict"]["correct"], true);
  EXPECT_GT(verdict["cycles"], 0);
  verdict = judge("activation/doubled", "Here it is:\n```python\n" + *right_ + "\n```\nThat is all.");
  EXPECT_EQ(verdict["stage"], "correct") << "the text of an answer around it: " << verdict;
  verdict = judge("fuse/scale_shift", read_file(kFake / "answers/fuse/scale_shift/right.py"), "");
  EXPECT_EQ(verdict["stage"], "correct") << "with weights, an attribute, two outputs: " << verdict;
}

TEST_F(MultiKernelBenchImport, ProgramsInTheDslBecomeModules) {
  constexpr const char* kDoubled =
      "kernel twice(x: float[N]) -> z: float[N]:\n"
      "  for t in cores(tiles(N)):\n"
      "    store z[t] = 2 * relu(load x[t])\n";
  auto verdict = judge("activation/doubled", kDoubled, "--language dsl");
  EXPECT_EQ(verdict["stage"], "correct") << verdict;
  EXPECT_EQ(verdict["cases_passed"], 5);
  EXPECT_GT(verdict["cycles"], 0);
  verdict = judge("activation/doubled", replaced(kDoubled, "2 * relu", "3 * relu"), "--language dsl --case 0");
  EXPECT_EQ(verdict["stage"], "compare") << verdict;
  verdict = judge("activation/doubled", replaced(kDoubled, "load x[t]", "load y[t]"), "--language dsl --case 0");
  EXPECT_EQ(verdict["stage"], "rejected") << verdict;
  EXPECT_THAT(verdict["compiler_output"].get<std::string>(), HasSubstr("kernel.dsl:3"));
  verdict = judge("activation/doubled", replaced(kDoubled, "load x[t])", "load x[t + N])"), "--language dsl --case 0");
  EXPECT_NE(verdict["stage"], "correct") << verdict;
}

TEST_F(MultiKernelBenchImport, ProgramsInTheDslGetTheModulesParametersByName) {
  constexpr const char* kBoth =
      "kernel k(x: float[R, C], shift: float[C]) -> a: float[R, C], b: float[R, C]:\n"
      "  s = load shift[:]\n"
      "  for r in cores(R):\n"
      "    v = load x[r, :]\n"
      "    store a[r, :] = v * 0.5\n"
      "    store b[r, :] = v + s\n";
  auto verdict = judge("fuse/scale_shift", kBoth, "--language dsl");
  EXPECT_EQ(verdict["stage"], "correct") << verdict;
  verdict = judge("fuse/scale_shift", replaced(kBoth, "shift: float[C]", "shift: float[R]"), "--language dsl");
  EXPECT_EQ(verdict["stage"], "rejected") << verdict;
}

TEST_F(MultiKernelBenchImport, ScaledTasksKeepWhatOverflowsUbAndAreLoweredAtFullSize) {
  const Ran ran = run_kgtrain("tasks import multikernelbench '" + kFake.string() +
                              "' --scale 1 --only reduce/large --out '" + file("scaled.h5") + "'");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const proto::Task task = Dataset::open(file("scaled.h5"), OpenMode::kRead)->task("reduce/large").value();
  ASSERT_EQ(task.cases_size(), 6);
  EXPECT_LE(task.cases(0).inputs(0).shape(0) * 4, 1000000);
  EXPECT_GT(task.cases(0).inputs(0).shape(0) * 4, 192 << 10);
  EXPECT_EQ(task.cases(5).inputs(0).shape(0), std::int64_t{1} << 40);
  EXPECT_TRUE(task.cases(5).checked().empty());
  const std::string sum =
      "kernel k(x: float[N]) -> z: float[1]:\n"
      "  s = 0.0\n"
      "  for t in cores(tiles(N)):\n"
      "    s += sum(load x[t])\n"
      "  store z[0] = all_sum(s)\n";
  write_file_atomically(file("sum.dsl"), sum);
  const std::string judged =
      "judge --data '" + file("scaled.h5") + "' --task reduce/large --kernel '" + file("sum.dsl") + "'";
  EXPECT_THAT(run_kgtrain(judged).output, HasSubstr("stage     correct"));
  write_file_atomically(file("sum.dsl"), replaced(sum, "tiles(N)", "tiles(N, N)"));
  EXPECT_THAT(run_kgtrain(judged).output, HasSubstr("at the task's full size"));
}

TEST_F(MultiKernelBenchImport, TheSecondLookAtAScaledTaskIsAtItsSizes) {
  ASSERT_EQ(run_kgtrain("tasks import multikernelbench '" + kFake.string() + "' --scale 1 --only reduce/large --out '" +
                        file("second.h5") + "'")
                .status,
            0);
  const auto data = Dataset::open(file("second.h5"), OpenMode::kRead);
  const proto::Task task = data->task("reduce/large").value();
  benchmarks::StoredCases cases(*data, {.checkout = "", .python = std::getenv("KGTRAIN_PYTHON")});
  // Asked first: no case was made by this process's worker before.
  const auto other = cases.other(task, 0, {.seed = std::uint64_t{7} << 40, .wide = true});
  ASSERT_TRUE(other);
  ASSERT_EQ(other->inputs.size(), 1u);
  EXPECT_EQ(other->inputs[0].shape(0), task.cases(0).inputs(0).shape(0));
}

TEST_F(MultiKernelBenchImport, WrongNumbersShapesAndWeightsDoNotPass) {
  auto verdict = judge("activation/doubled", replaced(*right_, "Muls(b, b, 2.0f", "Muls(b, b, 2.001f"));
  EXPECT_EQ(verdict["stage"], "compare") << verdict;
  EXPECT_THAT(verdict.dump(), HasSubstr("wrong by the benchmark's checker (allclose)"));
  verdict = judge("activation/doubled", replaced(*right_, "return custom_ops_lib.doubled(x)",
                                                 "return custom_ops_lib.doubled(x).reshape(16, 24)"));
  EXPECT_EQ(verdict["stage"], "compare") << verdict;
  EXPECT_THAT(verdict.dump(), HasSubstr("found float32[16,24], wanted float32[24,16]"));
  verdict = judge("activation/doubled",
                  replaced(*right_, "return custom_ops_lib.doubled(x)", "return [custom_ops_lib.doubled(x)]"));
  EXPECT_EQ(verdict["stage"], "compare") << "a list is no tensor: " << verdict;
  verdict = judge("fuse/scale_shift", replaced(read_file(kFake / "answers/fuse/scale_shift/right.py"),
                                               "torch.randn(width))", "torch.rand(width))"));
  EXPECT_EQ(verdict["stage"], "compare") << "weights drawn otherwise: " << verdict;
  EXPECT_EQ(verdict["cases_passed"], 0);
}

TEST_F(MultiKernelBenchImport, WhatIsBrokenSaysWhere) {
  auto verdict = judge("activation/doubled", "kernel_src = 'x'");
  EXPECT_EQ(verdict["stage"], "compile") << verdict;
  EXPECT_THAT(verdict["compiler_output"].get<std::string>(), HasSubstr("the answer sets no text project_json_src"));
  verdict = judge("activation/doubled", replaced(*right_, "[{\"op\"", "[{\"op"));
  EXPECT_THAT(verdict["compiler_output"].get<std::string>(), HasSubstr("project_json_src: error"));
  verdict = judge("activation/doubled", replaced(*right_, "Relu(b", "Rellu(b"));
  EXPECT_EQ(verdict["stage"], "compile") << verdict;
  EXPECT_THAT(verdict["compiler_output"].get<std::string>(), HasSubstr("Rellu"));
  verdict = judge("activation/doubled", replaced(*right_, "at::empty_like(x)", "at::emty_like(x)"));
  EXPECT_EQ(verdict["stage"], "compile") << verdict;
  EXPECT_THAT(verdict["compiler_output"].get<std::string>(), HasSubstr("python_bind_src.cpp"));
  verdict = judge("activation/doubled", replaced(*right_, "EXEC_NPU_CMD(aclnnDoubledCustom, x, y)",
                                                 "EXEC_NPU_CMD(aclnnDoubledCustom, x, x, y)"));
  EXPECT_EQ(verdict["stage"], "run") << verdict;
  EXPECT_THAT(verdict.dump(), HasSubstr("the command has 3 arguments, the operator definition 1 inputs"));
  verdict = judge("activation/doubled", replaced(*right_, "EXEC_NPU_CMD(aclnnDoubledCustom", "EXEC_NPU_CMD(aclnnRelu"));
  EXPECT_THAT(verdict.dump(), HasSubstr("the answer's operator is aclnnDoubledCustom"));
  verdict = judge("activation/doubled", replaced(*right_, "return custom_ops_lib.doubled(x)", "return undefined"));
  EXPECT_EQ(verdict["stage"], "run") << verdict;
  EXPECT_THAT(verdict.dump(), HasSubstr("NameError"));
}

TEST_F(MultiKernelBenchImport, ModulesThatComputeInPyTorchAreRightAsPublishedButNotCorrect) {
  const auto in_place_of_operator = [](const std::string& by) {
    return replaced(*right_, "return custom_ops_lib.doubled(x)", by);
  };
  auto verdict = judge("activation/doubled", in_place_of_operator("return torch.relu(x) * 2"));
  EXPECT_EQ(verdict["published"]["correct"], true) << verdict;
  EXPECT_EQ(verdict["correct"], false) << verdict;
  EXPECT_EQ(verdict["stage"], "check");
  EXPECT_THAT(verdict.dump(), HasSubstr("launches no operator"));
  EXPECT_THAT(verdict.dump(), HasSubstr("refused by the benchmark's rules"));
  // The rules read words; what is done shows all the same, also in the binding's C++.
  verdict =
      judge("activation/doubled",
            in_place_of_operator("custom_ops_lib.doubled(x); return getattr(torch, 're' + 'lu')(x) + x.clamp(min=0)"));
  EXPECT_EQ(verdict["stage"], "check") << verdict;
  EXPECT_THAT(verdict.dump(), HasSubstr("computes with PyTorch's own operators: add, clamp, relu"));
  verdict = judge("activation/doubled", replaced(*right_, "  return y;", "  return at::relu(x) * 2;"));
  EXPECT_EQ(verdict["stage"], "check") << verdict;
}

// The operator is launched for show; PyTorch sees no operator of its own.
TEST_F(MultiKernelBenchImport, ModulesThatComputeOutsideTheKernelAreNotCorrect) {
  struct Attack {
    const char* name;
    const char* forward;  // in place of the return
    const char* message;
  };
  const Attack attacks[] = {
      {"numpy", "custom_ops_lib.doubled(x); import numpy as np; return torch.from_numpy(np.maximum(x.numpy(), 0) * 2)",
       "takes numbers out of its tensors: Tensor.numpy"},
      {"numpy by its own protocol",
       "custom_ops_lib.doubled(x); import numpy as np; return torch.from_numpy(np.maximum(np.asarray(x), 0) * 2)",
       "Tensor.__array__"},
      {"ctypes",
       "custom_ops_lib.doubled(x); import ctypes, numpy as np; a = np.frombuffer(ctypes.string_at(x.data_ptr(), "
       "x.numel() * 4), 'float32'); return torch.from_numpy(np.maximum(a, 0) * 2).view(x.shape)",
       "Tensor.data_ptr"},
      {"Python lists",
       "custom_ops_lib.doubled(x); return torch.tensor([[2 * max(v, 0.0) for v in row] for row in x.tolist()])",
       "Tensor.tolist"},
      {"one number after the other",
       "custom_ops_lib.doubled(x); return torch.tensor([[2 * max(v.item(), 0.0) for v in row] for row in x])",
       "item, 384 times"},
      {"DLPack",
       "custom_ops_lib.doubled(x); import numpy as np; return torch.from_numpy(np.maximum(np.from_dlpack(x), 0) * 2)",
       "Tensor.__dlpack__"},
      {"what the kernel gives, changed in place by numpy",
       "y = custom_ops_lib.doubled(x); a = y.numpy(); a[...] = 0; a += 2 * x.numpy().clip(0); return y",
       "Tensor.numpy"},
      {"numpy before a kernel that copies",
       "import numpy as np; return custom_ops_lib.doubled(torch.from_numpy(np.maximum(x.numpy(), 0)))", "Tensor.numpy"},
  };
  for (const Attack& attack : attacks) {
    auto verdict = judge("activation/doubled", replaced(*right_, "return custom_ops_lib.doubled(x)", attack.forward));
    EXPECT_EQ(verdict["correct"], false) << attack.name << ": " << verdict;
    EXPECT_EQ(verdict["stage"], "check") << attack.name << ": " << verdict;
    EXPECT_THAT(verdict.dump(), HasSubstr(attack.message)) << attack.name;
  }
  // A buffer that shares its memory with a tensor would let numbers out by a plain copy.
  auto shared =
      judge("activation/doubled",
            replaced(*right_, "return custom_ops_lib.doubled(x)",
                     "custom_ops_lib.doubled(x); import numpy as np; a = np.zeros(tuple(x.shape), 'float32'); "
                     "torch.from_numpy(a).copy_(x); return torch.from_numpy(np.maximum(a, 0) * 2)"));
  EXPECT_EQ(shared["stage"], "compare") << shared;
}

TEST_F(MultiKernelBenchImport, ModulesThatGiveNothingOfTheirOwnAreNotCorrect) {
  for (const char* forward : {
           "custom_ops_lib.doubled(x); return x",
           "custom_ops_lib.doubled(x); return torch.zeros_like(x)",
           "custom_ops_lib.doubled(x); import glob; return torch.load(glob.glob('/**/*golden*', recursive=True)[0])",
           "custom_ops_lib.doubled(x); import sys; return sys.modules['__main__'].request['expected']",
       }) {
    auto verdict = judge("activation/doubled", replaced(*right_, "return custom_ops_lib.doubled(x)", forward));
    EXPECT_EQ(verdict["correct"], false) << forward << ": " << verdict;
  }
  // Nothing is kept from one case to the next.
  auto fresh = judge("activation/doubled",
                     replaced(*right_, "return custom_ops_lib.doubled(x)",
                              "import builtins; assert not hasattr(builtins, 'kept'); builtins.kept = x; "
                              "return custom_ops_lib.doubled(x)"),
                     "");
  EXPECT_EQ(fresh["stage"], "correct") << fresh;
}

TEST_F(MultiKernelBenchImport, TheModuleSeesNeitherTheHostNorExpectedOutputs) {
  const std::string probe = R"(
        import os, socket
        seen = []
        for path in ('/etc/passwd', '/proc/self/environ', @DATA@, @CHECKOUT@, '/root', '/home', '/tmp'):
            if os.path.exists(path): seen.append(path)
        if os.getuid() == 0: seen.append('root')
        if os.environ.get('KGTRAIN_HOME'): seen.append('environment')
        try:
            socket.socket(); seen.append('socket')
        except OSError: pass
        for path in ('/kgtrain/kernel/x', '/x'):
            try:
                open(path, 'w'); seen.append('wrote ' + path)
            except OSError: pass
        raise RuntimeError('seen: ' + repr([p for p in seen if p not in @PYTHON@]))
)";
  std::string answer = replaced(*right_, "        return custom_ops_lib.doubled(x)\n", probe);
  answer = replaced(answer, "@DATA@", "'" + file("tasks.h5") + "'");
  answer = replaced(answer, "@CHECKOUT@", "'" + kFake.string() + "'");
  // Folders above the interpreter's own exist, empty but for it.
  answer = replaced(answer, "@PYTHON@", "('/root', '/home', '/tmp')");
  const auto verdict = judge("activation/doubled", answer);
  EXPECT_THAT(verdict.dump(), HasSubstr("seen: []")) << verdict;
}

TEST_F(MultiKernelBenchImport, EvaluatesAFolderOfAnswers) {
  const Ran ran = run_kgtrain("eval --answers '" + (kFake / "answers").string() + "' --data '" + file("tasks.h5") +
                              "' --out '" + file("results.jsonl") + "' --jobs 1");
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto summary = nlohmann::json::parse(read_file(file("results.jsonl.summary.json")));
  EXPECT_EQ(summary["tables"]["all"]["answers"], 2);
  EXPECT_EQ(summary["tables"]["all"]["at_k"][0]["correct"]["value"], 1.0);
}

TEST_F(MultiKernelBenchImport, ARefusedFolderLeavesNothing) {
  const Ran other =
      run_kgtrain("tasks import multikernelbench '" + folder_->path().string() + "' --out '" + file("x.h5") + "'");
  EXPECT_EQ(other.status, 2) << other.output;
  EXPECT_THAT(other.output, HasSubstr("not a checkout of MultiKernelBench"));
  EXPECT_FALSE(fs::exists(file("x.h5")));
}

}  // namespace
}  // namespace kg::dataset
