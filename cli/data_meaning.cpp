#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/options.h"
#include "cli/data_commands.h"
#include "dataset/cot/meaning_audit.h"

namespace kg::cli {
namespace {

constexpr std::size_t kBatch = 512;

// "module/1/12/module0" belongs to the graph "module/1/12"; other samples stand alone.
std::string graph_of(const std::string& sample) {
  return sample.starts_with("module/") ? sample.substr(0, sample.rfind('/')) : sample;
}

void write_clean(const dataset::Dataset& data, const std::set<std::string>& found, const std::string& out) {
  std::set<std::string> graphs;
  for (const std::string& id : found) graphs.insert(graph_of(id));
  const auto clean = dataset::Dataset::open(out, dataset::OpenMode::kAppendOrCreate);
  std::set<std::string> there;
  clean->for_each_sample([&](const proto::Sample& sample) { return there.insert(sample.id()).second; });
  std::vector<proto::JournalRecord> batch;
  std::uint64_t kept = 0, dropped = 0;
  data.for_each_sample([&](const proto::Sample& sample) {
    if (graphs.contains(graph_of(sample.id()))) {
      ++dropped;
      return true;
    }
    if (there.contains(sample.id()))
      throw Error("the sample " + sample.id() + " is already in it", out,
                  "name another data set with --clean, or make the samples with another --seed");
    ++kept;
    *batch.emplace_back().mutable_sample() = sample;
    if (batch.size() == kBatch) clean->append(batch), batch.clear();
    return true;
  });
  clean->append(batch);
  clean->fold();
  std::printf("%s: %llu samples kept, %llu dropped with their graphs\n", out.c_str(),
              static_cast<unsigned long long>(kept), static_cast<unsigned long long>(dropped));
}

}  // namespace

int run_data_meaning(int argc, const char* const* argv) {
  std::string name, probes, programs, out, clean;
  Options options(
      "kgtrain data meaning",
      "Looks for programs in a data set that compute what a task of a benchmark computes: on the same numbers, in "
      "every "
      "order of the inputs. Exits with status 1 if there is one, unless --clean writes a data set without them.");
  options.positional("FILE", name, "the data set")
      .add("probes", probes, "inputs and results of the benchmark's references, made by dataset/benchmarks/probes.py")
      .required()
      .add("programs", programs, "folder of DSL programs that must not be in the data either, whatever their constants")
      .add("out", out, "where the report is stored as JSON; default: beside the data set, FILE.meaning.json")
      .add("clean", clean, "data set to write, or to add to: all samples except those of graphs that were found");
  if (!options.parse(argc, argv)) return 0;
  const fs::path path = dataset::find_dataset(name);
  const auto data = dataset::Dataset::open(path, dataset::OpenMode::kRead);
  const auto report = dataset::cot::meaning_audit(*data, probes, programs);
  std::map<std::string, std::set<std::string>> tasks;
  for (const auto& found : report.findings) tasks[found.task + " (" + found.how + ")"].insert(graph_of(found.sample));
  std::printf("%llu samples, %llu programs, %llu tasks in %llu probes; %llu comparisons; %zu samples found\n",
              static_cast<unsigned long long>(report.samples), static_cast<unsigned long long>(report.programs),
              static_cast<unsigned long long>(report.tasks), static_cast<unsigned long long>(report.probes),
              static_cast<unsigned long long>(report.compared), report.findings.size());
  nlohmann::json stored = {{"data", path.string()},          {"samples", report.samples},
                           {"programs", report.programs},    {"tasks", report.tasks},
                           {"comparisons", report.compared}, {"found", nlohmann::json::object()}};
  for (const auto& [task, graphs] : tasks) {
    std::printf("  %-60s %zu\n", task.c_str(), graphs.size());
    stored["found"][task] = graphs;
  }
  write_file_durably(out.empty() ? fs::path(path.string() + ".meaning.json") : fs::path(out), stored.dump(1) + "\n");
  if (clean.empty()) return report.findings.empty() ? 0 : 1;
  write_clean(*data, dataset::cot::found_samples(report), clean);
  return 0;
}

}  // namespace kg::cli
