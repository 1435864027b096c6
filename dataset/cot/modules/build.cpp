#include "dataset/cot/modules/build.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/clock.h"
#include "base/error.h"
#include "dataset/cot/modules/unit.h"
#include "dataset/store/dataset.h"
#include "dataset/store/meta_record.h"
#include "reward/judge_version.h"
#include "sandbox/pool.h"

namespace kg::dataset::cot::modules {
namespace {

constexpr int kGenerator = 7;
constexpr const char* kOptionsKey = "module options";
constexpr const char* kStateKey = "module state";
constexpr int kStrata = 5;
constexpr int kSameStructure = 12;          // graphs of one structure
constexpr std::uint64_t kFruitless = 1000;  // it ends after this many useless draws in a row

// Processes of Python, as many as threads want one at a time.
class Runners {
 public:
  explicit Runners(std::string python) : python_(std::move(python)) {}
  std::unique_ptr<Runner> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Runner>(python_);
    auto one = std::move(free_.back());
    free_.pop_back();
    return one;
  }
  void give(std::unique_ptr<Runner> one) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(one));
  }

 private:
  std::string python_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Runner>> free_;
};

// Decides which units are useful: not too many of one structure, and, if requested, strata and hops in equal parts.
class Choice {
 public:
  Choice(const BuildOptions& options, nlohmann::json& state) : options_(options), state_(state) {}
  bool wants(const Unit& unit) {
    const int most = options_.even_strata && options_.makes_tasks() ? 1 : kSameStructure;
    if (state_["structures"].value(unit.structure, 0) >= most) return false;
    if (options_.even_strata) {
      const std::string key = unit.stratum + (unit.hops >= 2 ? " far" : " near");
      if (state_["strata"].value(key, 0) >= static_cast<int>((options_.graphs + 2 * kStrata - 1) / (2 * kStrata)))
        return false;
    }
    return true;
  }
  void took(const Unit& unit) {
    state_["structures"][unit.structure] = state_["structures"].value(unit.structure, 0) + 1;
    const std::string key = unit.stratum + (options_.even_strata ? (unit.hops >= 2 ? " far" : " near") : "");
    state_["strata"][key] = state_["strata"].value(key, 0) + 1;
  }

 private:
  const BuildOptions& options_;
  nlohmann::json& state_;
};

std::uint64_t number(const nlohmann::json& state, const char* key) { return state.value(key, std::uint64_t{0}); }

void add(nlohmann::json& state, const char* key, std::uint64_t by) { state[key] = number(state, key) + by; }

// The result of a unit, as records; counts go into the state.
std::vector<proto::JournalRecord> records_of(Unit& unit, Choice& choice, nlohmann::json& state,
                                             std::set<std::string>& known, std::ofstream& rejects) {
  std::vector<proto::JournalRecord> records;
  add(state, "executed", static_cast<std::uint64_t>(unit.executed));
  add(state, "wrong", unit.wrong.size());
  add(state, "by lines", static_cast<std::uint64_t>(unit.line_programs));
  for (const std::string& text : unit.wrong) rejects << "==== surface " << text << "\n";
  if (!unit.why_not.empty()) {
    add(state, "failed", 1);
    add(state["reasons"], unit.why_not.substr(0, 60).c_str(), 1);
    rejects << "==== graph " << unit.structure << ": " << unit.why_not << "\n" << unit.example << "\n";
    return records;
  }
  if (unit.other_split || !choice.wants(unit)) return records;
  choice.took(unit);
  add(state, "graphs", 1);
  for (proto::CaseTensor& tensor : unit.tensors) *records.emplace_back().mutable_tensor() = std::move(tensor);
  for (proto::Task& task : unit.tasks) *records.emplace_back().mutable_task() = std::move(task);
  for (proto::Sample& sample : unit.samples) {
    const bool isnew = known.insert(sample.instruction()).second;
    add(state, isnew ? "samples" : "duplicates", 1);
    if (isnew) *records.emplace_back().mutable_sample() = std::move(sample);
  }
  return records;
}

void show(const nlohmann::json& state) {
  const auto count = [&](const char* key) { return static_cast<unsigned long long>(number(state, key)); };
  std::fprintf(
      stderr,
      "%llu graphs, %llu samples, %llu of them a statement an operator; %llu modules executed, %llu thrown away; "
      "%llu graphs failed\n",
      count("graphs"), count("samples"), count("by lines"), count("executed"), count("wrong"), count("failed"));
}

BuildReport report_of(const nlohmann::json& state) {
  BuildReport report{.graphs = number(state, "graphs"),
                     .samples = number(state, "samples"),
                     .executed = number(state, "executed"),
                     .wrong = number(state, "wrong"),
                     .failed = number(state, "failed"),
                     .duplicates = number(state, "duplicates"),
                     .reasons = {},
                     .strata = {}};
  for (const auto& [key, value] : state["reasons"].items()) report.reasons[key] = value;
  for (const auto& [key, value] : state["strata"].items()) report.strata[key] = value;
  return report;
}

// The options that decide what the data set contains.
std::string options_record(const BuildOptions& options) {
  nlohmann::json given{{"generator", kGenerator},        {"seed", options.seed},
                       {"surfaces", options.surfaces},   {"descriptions", options.descriptions},
                       {"described", options.described}, {"written", options.written},
                       {"split", options.split},         {"even", options.even_strata}};
  if (options.makes_tasks() && options.split == "train") given["tasks"] = true;
  return given.dump();
}

}  // namespace

BuildReport run_build(const BuildOptions& options) {
  const auto data = Dataset::open(options.out, OpenMode::kAppendOrCreate);
  const std::string wanted = options_record(options);
  if (const auto found = data->meta(kOptionsKey); found && *found != wanted)
    throw Error("the data set was built with " + *found + ", not " + wanted, options.out.string(),
                "give the same options, or another --out");
  nlohmann::json state = {{"next", 0},
                          {"structures", nlohmann::json::object()},
                          {"strata", nlohmann::json::object()},
                          {"reasons", nlohmann::json::object()}};
  if (const auto found = data->meta(kStateKey)) state = nlohmann::json::parse(*found);
  data->append({meta_record(kOptionsKey, wanted)});
  const UnitOptions how{.seed = options.seed,
                        .surfaces = options.surfaces,
                        .descriptions = options.descriptions,
                        .written = options.written,
                        .split = options.split,
                        .described = options.described,
                        .tasks = options.makes_tasks(),
                        .judge_version = reward::judge_version()};
  Runners runners(options.python);
  Choice choice(options, state);
  std::set<std::string> known;
  data->for_each_sample([&](const proto::Sample& sample) { return known.insert(sample.instruction()), true; });
  std::ofstream rejects;
  if (!options.rejects.empty()) rejects.open(options.rejects, std::ios::app);
  const std::uint64_t first = state["next"];
  double shown = monotonic_seconds();
  if (number(state, "graphs") < options.graphs) {
    sandbox::OrderedPool<Unit> pool({.first = first, .ahead = 16, .jobs = options.jobs, .sandbox = options.sandbox},
                                    [&](sandbox::Sandbox& sandbox, std::uint64_t index) {
                                      auto runner = runners.take();
                                      Unit unit = make_unit(index, how, *runner, sandbox);
                                      runners.give(std::move(runner));
                                      return unit;
                                    });
    std::uint64_t fruitful = first;
    for (std::uint64_t index = first; number(state, "graphs") < options.graphs; ++index) {
      if (index - fruitful >= kFruitless) {
        std::fprintf(stderr, "stopped: the last %llu graphs drawn were of strata or structures that are full\n",
                     static_cast<unsigned long long>(kFruitless));
        break;
      }
      Unit unit = pool.take();
      const std::uint64_t before = number(state, "graphs");
      auto records = records_of(unit, choice, state, known, rejects);
      if (number(state, "graphs") > before) fruitful = index;
      state["next"] = index + 1;
      records.push_back(meta_record(kStateKey, state.dump()));
      data->append(records);
      if (const double now = monotonic_seconds(); now - shown > 10) shown = now, show(state);
    }
  }
  data->fold();
  return report_of(state);
}

}  // namespace kg::dataset::cot::modules
