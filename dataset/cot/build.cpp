#include "dataset/cot/build.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/clock.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/terminal_line.h"
#include "dataset/cot/near_duplicates.h"
#include "dataset/cot/unit.h"
#include "dataset/cot/unit_parts.h"
#include "dataset/store/dataset.h"
#include "dataset/store/meta_record.h"
#include "sandbox/pool.h"

namespace kg::dataset::cot {
namespace {

constexpr int kGenerator = 2;  // version of what is made from the same options
constexpr const char* kOptionsKey = "cot options";
constexpr const char* kUnitsKey = "cot units";  // number of complete units, stored with the last record of each

std::string options_text(const BuildOptions& options) {
  return nlohmann::json{{"generator", kGenerator}, {"seed", options.seed}, {"ways", options.ways}}.dump();
}

std::string text_of(const proto::Sample& sample) {
  return sample.instruction() + "\n" + sample.input() + "\n" + sample.output();
}

class Progress {
 public:
  explicit Progress(const BuildOptions& options) : options_(options), started_(monotonic_seconds()) {}
  void show(const BuildReport& report, std::uint64_t before) {
    const double now = monotonic_seconds();
    if (options_.quiet || now - shown_ < (line_.there() ? 0.5 : 10.0)) return;
    shown_ = now;
    const double passed = now - started_, rate = static_cast<double>(report.samples - before) / passed;
    char text[200];
    std::snprintf(
        text, sizeof text,
        "%llu of %llu samples, %.1f/s; %.1f kernels/s judged; %llu duplicates, %zu not correct; %s to go",
        static_cast<unsigned long long>(report.samples), static_cast<unsigned long long>(options_.samples), rate,
        static_cast<double>(report.judged) / passed, static_cast<unsigned long long>(report.duplicates),
        report.failures.size(),
        rate > 0 ? duration_text(static_cast<double>(options_.samples - report.samples) / rate).c_str() : "?");
    line_.there() ? line_.draw(text) : line_.keep(text);
  }

 private:
  const BuildOptions& options_;
  TerminalLine line_;
  double started_, shown_ = 0;
};

// About its share of the samples: some will be duplicates of other parts', and the joining build makes what is missing.
BuildReport run_part(const BuildOptions& options) {
  const BuildPart part = parse_build_part(options.part);
  PartFile file(options.units, part, options_text(options));
  BuildReport report{.samples = file.samples()};
  Progress progress(options);
  const std::uint64_t share = (options.samples + part.count - 1) / part.count, before = file.samples();
  const UnitOptions how{.seed = options.seed, .ways = options.ways};
  const std::uint64_t first = file.units();
  const auto index_of = [&](std::uint64_t own) { return own * part.count + part.index; };
  if (file.samples() >= share) return report;
  sandbox::OrderedPool<Unit> pool(
      {.first = first, .jobs = options.jobs, .sandbox = options.sandbox},
      [&](sandbox::Sandbox& sandbox, std::uint64_t own) { return make_unit(index_of(own), how, sandbox); });
  for (std::uint64_t own = first; file.samples() < share; ++own) {
    const Unit unit = pool.take();
    file.append(index_of(own), unit);
    ++report.units;
    report.samples = file.samples();
    report.judged += static_cast<std::uint64_t>(unit.judged);
    report.failures.insert(report.failures.end(), unit.failures.begin(), unit.failures.end());
    progress.show(report, before);
  }
  return report;
}

// The samples already in the data set.
struct Stored {
  NearDuplicates known;
  std::unordered_set<std::string> ids;  // a task may come again, with a sample of the same name
};

// The records of a unit, as far as `wanted` samples allow, without those already stored.
std::vector<proto::JournalRecord> take_unit(Unit unit, std::uint64_t index, std::uint64_t wanted, Stored& stored,
                                            BuildReport& report) {
  std::vector<proto::JournalRecord> records;
  for (proto::Task& task : unit.tasks) *records.emplace_back().mutable_task() = std::move(task);
  bool whole = true;
  for (proto::Sample& sample : unit.samples) {
    whole = report.samples < wanted;
    if (!whole) break;
    if (stored.ids.contains(sample.id()) || stored.known.known_or_add(text_of(sample))) {
      ++report.duplicates;
      continue;
    }
    stored.ids.insert(sample.id());
    *records.emplace_back().mutable_sample() = std::move(sample);
    ++report.samples;
  }
  // If a unit was cut off at the end, a call for more samples begins with it again.
  if (whole) records.push_back(meta_record(kUnitsKey, std::to_string(index + 1)));
  ++report.units;
  report.judged += static_cast<std::uint64_t>(unit.judged);
  report.failures.insert(report.failures.end(), unit.failures.begin(), unit.failures.end());
  return records;
}

}  // namespace

BuildReport run_build(const BuildOptions& options) {
  if (!options.part.empty()) return run_part(options);
  const auto data = Dataset::open(options.out, OpenMode::kAppendOrCreate);
  const std::string wanted = options_text(options);
  if (const auto found = data->meta(kOptionsKey); found && *found != wanted)
    throw Error("the data set was built with " + *found + ", not " + wanted, options.out.string(),
                "give the same --seed and --ways, or another --out");
  if (!data->meta(kOptionsKey)) data->append({meta_record(kOptionsKey, wanted)});

  BuildReport report;
  Stored stored;
  const std::uint64_t first = data->meta(kUnitsKey) ? std::stoull(*data->meta(kUnitsKey)) : 0;
  const std::string mine = "cot seed=" + std::to_string(options.seed) + " unit=";
  data->for_each_sample([&](const proto::Sample& sample) {
    // Records left by a kill of an incomplete unit are made again, and must not count as duplicates of themselves.
    if (!sample.provenance().starts_with(mine) || std::stoull(sample.provenance().substr(mine.size())) >= first)
      return true;
    stored.known.known_or_add(text_of(sample));
    stored.ids.insert(sample.id());
    ++report.samples;
    return true;
  });
  const std::uint64_t before = report.samples;
  Progress progress(options);
  if (report.samples < options.samples) {
    const UnitOptions how{.seed = options.seed, .ways = options.ways};
    const UnitParts parts(options.units, wanted);
    sandbox::OrderedPool<Unit> pool({.first = first, .jobs = options.jobs, .sandbox = options.sandbox},
                                    [&](sandbox::Sandbox& sandbox, std::uint64_t index) {
                                      std::optional<Unit> unit = parts.find(index);
                                      return unit ? std::move(*unit) : make_unit(index, how, sandbox);
                                    });
    for (std::uint64_t index = first; report.samples < options.samples; ++index) {
      data->append(take_unit(pool.take(), index, options.samples, stored, report));
      progress.show(report, before);
    }
  }
  data->fold();
  // All existing samples: some may belong to an incomplete unit, which the loop above does not count.
  report.tasks = data->counts().tasks;
  report.samples = data->counts().samples;
  return report;
}

}  // namespace kg::dataset::cot
