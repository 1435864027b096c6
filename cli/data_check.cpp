#include <atomic>
#include <cstdio>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "base/random.h"
#include "cli/data_commands.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/store/answer.h"
#include "dataset/store/dataset.h"
#include "proto/language.h"
#include "proto/message_json.h"
#include "reward/judge.h"
#include "sandbox/isolation_option.h"
#include "sandbox/pool.h"

namespace kg::cli {
namespace {

struct Stored {
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

// At most `wanted` random samples that contain a kernel, by index.
std::vector<std::uint64_t> drawn(const dataset::Dataset& data, std::uint64_t wanted, std::uint64_t seed) {
  std::vector<std::uint64_t> holding;
  data.for_each_numbered_sample([&](std::uint64_t index, const proto::Sample& sample) {
    if (holds_kernel(sample)) holding.push_back(index);
    return true;
  });
  Philox random(seed, 0x636865636b);
  for (std::size_t i = holding.size(); i > 1; --i) std::swap(holding[i - 1], holding[random.next_below(i)]);
  if (holding.size() > wanted) holding.resize(wanted);
  return holding;
}

Stored stored_at(const dataset::Dataset& data, std::uint64_t index) {
  const proto::Sample sample = data.sample(index);
  Stored one{.id = sample.id(), .task = data.task(sample.task()), .language = proto::language_of(sample)};
  if (sample.kind() == "project")
    one.project = project_of(sample.output());
  else
    one.kernel = dataset::extract_kernel(sample.output(), one.language).kernel;
  return one;
}

// Why it is not correct; empty if it is.
std::string what_is_wrong(sandbox::Sandbox& sandbox, const Stored& one, const reward::BenchmarkCases& cases) {
  if (!one.task) return "no such task";
  reward::JudgeOptions rules{.reward = reward::reward_preset("staged")};
  rules.language = one.language;
  rules.benchmark_cases = cases;
  const proto::Verdict verdict = one.project.empty() ? reward::judge(sandbox, *one.task, one.kernel, rules)
                                                     : reward::judge_project(sandbox, *one.task, one.project, rules);
  if (!verdict.sandbox_error().empty())
    throw Error("the sandbox failed: " + verdict.sandbox_error(), one.id, "run kgtrain doctor",
                Error::Kind::kEnvironment);
  if (verdict.correct()) return "";
  return proto::stage_name(verdict.stage()) + " " + verdict.compiler_output().substr(0, 200) +
         (verdict.faults_size() > 0 ? verdict.faults(0).message() : "");
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
      .add("seed", seed, "random seed for the selection")
      .add("jobs", jobs, "number of sandboxes that judge at once; 0 = one per core")
      .range(0, 256);
  sandbox::declare_isolation(options, sandbox.allow_less_isolation);
  if (!options.parse(argc, argv)) return 0;
  const fs::path path = dataset::find_dataset(name);
  const auto data = dataset::Dataset::open(path, dataset::OpenMode::kRead);
  const bool damaged = print_damage(path);
  const std::vector<std::uint64_t> chosen = drawn(*data, wanted, seed);
  if (chosen.empty()) throw Error("the data set holds no kernels", name, "kgtrain data build makes some");
  std::vector<Stored> kernels;
  for (const std::uint64_t index : chosen) kernels.push_back(stored_at(*data, index));
  dataset::benchmarks::StoredCases tensors(*data, {});
  const reward::BenchmarkCases cases = tensors.source();
  std::atomic<std::size_t> passed{0};
  const double started = monotonic_seconds();
  sandbox::for_each_in_sandboxes(chosen.size(), jobs, sandbox, [&](sandbox::Sandbox& judge, std::size_t i) {
    const std::string wrong = what_is_wrong(judge, kernels[i], cases);
    if (wrong.empty())
      ++passed;
    else
      std::fprintf(stderr, "not correct: %s: %s\n", kernels[i].id.c_str(), wrong.c_str());
  });
  const double seconds = monotonic_seconds() - started;
  std::printf("%zu of %zu kernels passed again, %.1f/s\n", passed.load(), chosen.size(),
              static_cast<double>(chosen.size()) / seconds);
  return passed == chosen.size() && !damaged ? 0 : 1;
}

}  // namespace kg::cli
