#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <vector>

#include "dataset/store/summary.h"
#include "proto/message_json.h"

namespace kg::dataset {
namespace {

std::string tally_line(const char* what, const Tally& tally) {
  std::string text;
  for (const auto& [name, count] : tally) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return fmt::format("  {:<12} {}\n", what, text);
}

// A table of several columns, the most frequent first.
std::string tally_table(const char* what, const Tally& tally) {
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  for (const auto& [name, count] : tally) rows.emplace_back(count, name);
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string text = fmt::format("\n{} ({})\n", what, rows.size());
  constexpr std::size_t columns = 4;
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("  {:<22} {:>6}{}", rows[i].second, rows[i].first,
                        (i + 1) % columns == 0 || i + 1 == rows.size() ? "\n" : "");
  return text;
}

std::string distribution_line(const char* what, const char* unit, const Distribution& d) {
  return fmt::format("  {:<12} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f}  {}\n", what, d.smallest(), d.quantile(0.5),
                     d.mean(), d.quantile(0.95), d.largest(), unit);
}

std::string distribution_head() {
  return fmt::format("  {:<12} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "smallest", "median", "mean", "95 %", "largest");
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string run_text(const std::string& name, const RunSummary& run) {
  std::string text = fmt::format("\n  {}: {} rollouts\n", name, run.rollouts);
  std::string stages;
  for (const auto& [stage, count] : run.stages) {
    const std::string stage_name = stage == 0 ? "unjudged" : proto::stage_name(static_cast<proto::Stage>(stage));
    stages +=
        fmt::format("{}{} {} ({:.1f} %)", stages.empty() ? "" : ", ", stage_name, count, share(count, run.rollouts));
  }
  text += fmt::format("  {:<12} {}\n", "ended at", stages);
  text += fmt::format("  {:<12} {:.1f} %, correct {:.1f} %, cut off {:.1f} %\n", "compiled",
                      share(run.compiled, run.rollouts), share(run.correct, run.rollouts),
                      share(run.truncated, run.rollouts));
  if (run.valid > 0)
    text += fmt::format("  {:<12} mean {:.4f}, from {:.4f} to {:.4f}, {} valid of {}\n", "reward",
                        run.reward_sum / static_cast<double>(run.valid), run.reward_low, run.reward_high, run.valid,
                        run.rollouts);
  text +=
      fmt::format("  {:<12} median {:.0f}, largest {:.0f}\n", "tokens", run.tokens.quantile(0.5), run.tokens.largest());
  if (run.speedup.count() > 0)
    text += fmt::format("  {:<12} median {:.2f}, largest {:.2f}\n", "speed-up", run.speedup.quantile(0.5),
                        run.speedup.largest());
  return text;
}

}  // namespace

std::string describe(const Summary& summary) {
  const Counts& counts = summary.counts;
  std::string text = fmt::format("{} tasks, {} samples, {} rollouts, {} preferences\n", counts.tasks, counts.samples,
                                 counts.rollouts, counts.preferences);
  if (counts.tasks > 0) {
    text += "\nTasks\n" + tally_line("category", summary.categories) + tally_line("structures", summary.structures);
    for (const auto& [family, splits] : summary.families) text += tally_line(family.c_str(), splits);
    text +=
        tally_line("type", summary.types) + tally_line("level", summary.levels) + tally_line("cores", summary.cores);
    text +=
        tally_table("Operators, by tasks", summary.operators) + tally_table("First input, by tasks", summary.elements);
  }
  if (counts.samples > 0) {
    text += "\nSamples\n" + tally_line("kind", summary.sample_kinds) + tally_line("split", summary.sample_splits) +
            tally_line("prompt", summary.sample_prompts) + distribution_head() +
            distribution_line("instruction", "bytes, with input", summary.instruction_bytes) +
            distribution_line("output", "bytes", summary.output_bytes);
    for (const auto& [kind, sizes] : summary.kind_bytes)
      text += distribution_line(kind.c_str(), "bytes, all texts", sizes);
    text += tally_table("Styles, by samples", summary.sample_styles);
    if (!summary.mutations.empty()) text += tally_table("Mistakes, by samples", summary.mutations);
  }
  if (counts.rollouts > 0) text += "\nRollouts\n";
  for (const auto& [name, run] : summary.runs) text += run_text(name, run);
  return text;
}

}  // namespace kg::dataset
