#include "dataset/store/summary.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "proto/dtype.h"

namespace kg::dataset {
namespace {

constexpr double kBinGrowth = 1.06;

std::string or_none(const std::string& text) { return text.empty() ? "(none)" : text; }

// By the number of elements and dimensions.
std::string size_class(std::int64_t elements, int dimensions) {
  const char* size = elements == 0      ? "empty"
                     : elements < 256   ? "below 256"
                     : elements < 4096  ? "below 4096"
                     : elements < 65536 ? "below 65536"
                                        : "larger";
  return std::to_string(dimensions) + (dimensions == 1 ? " dimension, " : " dimensions, ") + size;
}

void add_rollout(Summary& summary, const proto::Rollout& rollout) {
  RunSummary& run = summary.runs[or_none(rollout.run()) + " / " + or_none(rollout.purpose())];
  const proto::Verdict& verdict = rollout.verdict();
  ++run.rollouts;
  ++run.stages[verdict.stage()];
  run.compiled += verdict.compiled();
  run.correct += verdict.correct();
  run.truncated += rollout.completion().truncated();
  run.tokens.add(rollout.completion().token_ids_size());
  if (verdict.correct()) run.speedup.add(verdict.speedup());
  if (!verdict.reward_valid()) return;
  run.reward_low = run.valid == 0 ? verdict.reward() : std::min(run.reward_low, verdict.reward());
  run.reward_high = run.valid == 0 ? verdict.reward() : std::max(run.reward_high, verdict.reward());
  run.reward_sum += verdict.reward();
  ++run.valid;
}

}  // namespace

void Distribution::add(double value) {
  smallest_ = count_ == 0 ? value : std::min(smallest_, value);
  largest_ = count_ == 0 ? value : std::max(largest_, value);
  ++count_;
  sum_ += value;
  ++bins_[value < 1e-6 ? -1000 : static_cast<int>(std::floor(std::log(value) / std::log(kBinGrowth)))];
}

double Distribution::quantile(double q) const {
  const double wanted = q * static_cast<double>(count_);
  double seen = 0;
  for (const auto& [bin, count] : bins_) {
    seen += static_cast<double>(count);
    if (seen >= wanted) return std::clamp(bin == -1000 ? 0 : std::pow(kBinGrowth, bin + 0.5), smallest_, largest_);
  }
  return largest_;
}

Summary summarise(const Dataset& data) {
  Summary summary{.counts = data.counts()};
  std::map<std::string, std::set<std::string>> structures;
  data.for_each_task([&](const proto::Task& task) {
    ++summary.families[or_none(task.family())][or_none(task.split())];
    ++summary.categories[or_none(task.category())];
    structures[or_none(task.split())].insert(task.structure());
    std::set<std::string> operators;
    for (const proto::GraphNode& node : task.graph().nodes()) operators.insert(node.op());
    for (const std::string& op : operators) ++summary.operators[op];
    ++summary.levels[std::to_string(task.level())];
    ++summary.cores[std::to_string(task.block_dim())];
    if (task.cases_size() > 0 && task.cases(0).inputs_size() > 0) {
      const proto::TensorSpec& input = task.cases(0).inputs(0);
      ++summary.types[proto::dtype_name(input.dtype())];
      ++summary.elements[size_class(proto::element_count(input.shape()), input.shape_size())];
    }
    return true;
  });
  for (const auto& [split, names] : structures) summary.structures[split] = names.size();
  data.for_each_sample([&](const proto::Sample& sample) {
    ++summary.sample_kinds[or_none(sample.kind())];
    ++summary.sample_splits[or_none(sample.split())];
    ++summary.sample_styles[or_none(sample.style())];
    ++summary.sample_prompts[or_none(sample.prompt_form())];
    summary.instruction_bytes.add(static_cast<double>(sample.instruction().size() + sample.input().size()));
    summary.output_bytes.add(static_cast<double>(sample.output().size()));
    summary.kind_bytes[or_none(sample.kind())].add(
        static_cast<double>(sample.instruction().size() + sample.input().size() + sample.output().size()));
    if (const std::size_t at = sample.provenance().find(" mutant "); at != std::string::npos) {
      const std::size_t begin = at + 8, end = sample.provenance().find(' ', begin);
      ++summary.mutations[sample.provenance().substr(begin, end - begin)];
    }
    return true;
  });
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    add_rollout(summary, rollout);
    return true;
  });
  return summary;
}

}  // namespace kg::dataset
