#include <atomic>
#include <cstdio>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "base/random.h"
#include "cli/data_commands.h"
#include "dataset/store/answer.h"
#include "dataset/store/dataset.h"
#include "proto/language.h"
#include "proto/message_json.h"
#include "reward/judge.h"
#include "sandbox/pool.h"

namespace kg::cli {
namespace {

struct Stored {
  std::uint64_t index = 0;
  std::string id;
  std::optional<proto::Task> task;
  std::string kernel;
  std::vector<proto::ProjectFile> project;
  proto::SourceLanguage language = proto::ASCENDC;
};

// "====== op_host/x.cpp ======\n```cpp\n...```", as NPUKernelBench's full mode has it.
std::vector<proto::ProjectFile> project_of(const std::string& answer) {
  std::vector<proto::ProjectFile> files;
  const std::string rule = "==================";
  for (std::size_t at = answer.find(rule); at != std::string::npos; at = answer.find(rule, at)) {
    const std::size_t name = at + rule.size() + 1, end = answer.find(rule, name);
    const std::size_t begin = answer.find("```cpp\n", end), close = answer.find("```", begin + 7);
    if (end == std::string::npos || begin == std::string::npos || close == std::string::npos) break;
    proto::ProjectFile& file = files.emplace_back();
    file.set_path(answer.substr(name, end - name - 1));
    file.set_content(answer.substr(begin + 7, close - begin - 7));
    at = close;
  }
  return files;
}

// The samples that hold a kernel which passes.
bool holds_kernel(const proto::Sample& sample) {
  return !sample.task().empty() && (sample.kind() == "kernel" || sample.kind() == "project" ||
                                    sample.kind() == "repair" || sample.kind() == "multi_turn");
}

}  // namespace

int run_data_check(int argc, const char* const* argv) {
  std::string name;
  std::uint64_t wanted = 500, seed = 1;
  int jobs = 0;
  sandbox::SandboxOptions sandbox;
  Options options("kgtrain data check",
                  "Judges kernels drawn at random from a data set again, each on its own: every one must be correct.");
  options.positional("FILE", name, "the data set")
      .add("samples", wanted, "kernels to judge")
      .range(1, 1e9)
      .add("seed", seed, "of the choice")
      .add("jobs", jobs, "sandboxes at once, 0: one for each core")
      .range(0, 256)
      .add("allow-less-isolation", sandbox.allow_less_isolation, "go on where the host forbids namespaces");
  if (!options.parse(argc, argv)) return 0;
  const auto data = dataset::Dataset::open(dataset::find_dataset(name), dataset::OpenMode::kRead);
  std::vector<std::uint64_t> holding;
  std::uint64_t index = 0;
  data->for_each_sample([&](const proto::Sample& sample) {
    if (holds_kernel(sample)) holding.push_back(index);
    ++index;
    return true;
  });
  if (holding.empty()) throw Error("the data set holds no kernels", name, "kgtrain data build makes some");
  Philox random(seed, 0x636865636b);
  for (std::size_t i = holding.size(); i > 1; --i) std::swap(holding[i - 1], holding[random.next_below(i)]);
  if (holding.size() > wanted) holding.resize(wanted);

  std::mutex mutex;  // of the data set
  std::atomic<std::size_t> passed{0};
  const double started = monotonic_seconds();
  sandbox::for_each_in_sandboxes(holding.size(), jobs, sandbox, [&](sandbox::Sandbox& judge, std::size_t i) {
    Stored one;
    {
      const std::lock_guard lock(mutex);
      const proto::Sample sample = data->sample(holding[i]);
      one.id = sample.id();
      one.task = data->task(sample.task());
      one.language = proto::language_of(sample);
      if (sample.kind() == "project")
        one.project = project_of(sample.output());
      else
        one.kernel = dataset::extract_kernel(sample.output(), one.language).kernel;
    }
    proto::Verdict verdict;
    std::string why = "no such task";
    if (one.task) {
      reward::JudgeOptions how{.reward = reward::reward_preset("staged")};
      how.language = one.language;
      verdict = one.project.empty() ? reward::judge(judge, *one.task, one.kernel, how)
                                    : reward::judge_project(judge, *one.task, one.project, how);
      if (!verdict.sandbox_error().empty())
        throw Error("the sandbox failed: " + verdict.sandbox_error(), one.id, "run kgtrain doctor",
                    Error::Kind::kEnvironment);
      why = proto::stage_name(verdict.stage()) + " " + verdict.compiler_output().substr(0, 200) +
            (verdict.faults_size() > 0 ? verdict.faults(0).message() : "");
    }
    if (verdict.correct())
      ++passed;
    else
      std::fprintf(stderr, "not correct: %s: %s\n", one.id.c_str(), why.c_str());
  });
  const double seconds = monotonic_seconds() - started;
  std::printf("%zu of %zu kernels passed again, %.1f/s\n", passed.load(), holding.size(),
              static_cast<double>(holding.size()) / seconds);
  return passed == holding.size() ? 0 : 1;
}

}  // namespace kg::cli
