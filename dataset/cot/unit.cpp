#include "dataset/cot/unit.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "dataset/cot/choice.h"
#include "dataset/cot/documentation.h"
#include "dataset/cot/kernel_only_prompt.h"
#include "dataset/cot/kernel_style.h"
#include "dataset/cot/mutation.h"
#include "dataset/cot/prompts.h"
#include "dataset/cot/sample_writer.h"
#include "dataset/store/feedback.h"
#include "proto/message_json.h"
#include "reward/judge.h"
#include "reward/judge_version.h"

namespace kg::dataset::cot {
namespace {

constexpr std::uint64_t kQuestionsEvery = 8;  // units
constexpr int kQuestions = 5;                 // a unit of questions

class Maker {
 public:
  Maker(std::uint64_t index, const UnitOptions& options, sandbox::Sandbox& sandbox)
      : index_(index), options_(options), sandbox_(sandbox), random_(options.seed, hash64("cot unit") + index) {
    judge_.reward = reward::reward_preset("staged");
    judge_.limits.set_cycles(20'000'000);
    judge_.limits.set_run_seconds(120);
    judge_.limits.set_compile_seconds(120);
    judge_.second_look = false;  // at kernels of our own
  }

  Unit run() {
    if (index_ % kQuestionsEvery == kQuestionsEvery - 1)
      questions();
    else
      task();
    return std::move(unit_);
  }

 private:
  // -- questions

  void questions() {
    const std::uint64_t all = question_count(), first = index_ / kQuestionsEvery * kQuestions;
    for (std::uint64_t i = first; i < first + kQuestions && i < all; ++i) {
      const auto question = ask(shuffled(i, all, options_.seed), sandbox_);
      ++unit_.judged;
      if (!question) continue;
      proto::Sample& sample = unit_.samples.emplace_back();
      sample.set_id("cot/question/" + hash128_hex(question->question).substr(0, 12));
      sample.set_kind("documentation");
      sample.set_split("train");
      sample.set_style(question->topic);
      sample.set_prompt_form("short");
      sample.set_instruction(question->question);
      sample.set_output(question->answer);
      sample.set_provenance(provenance() + " " + question->provenance);
      sample.set_judge_version(reward::judge_version());
    }
  }

  // -- a task

  bool choose() {
    auto chosen = choose_task(index_ - index_ / kQuestionsEvery, options_.seed);  // counts only units that are tasks
    if (!chosen.found) return false;
    instance_ = std::move(chosen.instance);
    task_ = std::move(chosen.task);
    return true;
  }

  proto::Verdict judged(const std::string& source, proto::SourceLanguage language = proto::ASCENDC) {
    reward::JudgeOptions options = judge_;
    options.language = language;
    ++unit_.judged;
    return reward::judge_surely(sandbox_, task_, source, options);
  }

  // Adds a way if its kernel is correct.
  bool try_way(const KernelStyle& style) {
    Way way{.style = style, .kernel = is_empty(instance_) ? nothing_to_do() : lower_kernel(instance_, style)};
    if (!way.kernel.refusal.empty()) return false;
    task_.set_workspace_bytes(way.kernel.workspace_bytes);
    const proto::Verdict verdict = judged(way.kernel.source);
    if (!verdict.correct() || !verdict.reward_valid()) {
      unit_.failures.push_back(task_.id() + " " + style.name + ": " + proto::stage_name(verdict.stage()) + " " +
                               feedback_text(verdict) + verdict.invalid_reason());
      return false;
    }
    way.cycles = verdict.cycles();
    baseline_ = verdict.baseline_cycles();
    ways_.push_back(std::move(way));
    return true;
  }

  LoweredKernel nothing_to_do() const {
    LoweredKernel kernel;
    std::string parameters;
    for (const auto& tensors : {inputs_of(instance_), outputs_of(instance_)})
      for (const TensorOf& tensor : tensors)
        parameters += (parameters.empty() ? "GM_ADDR " : ", GM_ADDR ") + tensor.name;
    kernel.source =
        "#include \"kernel_operator.h\"\n\n// The tensors have no elements.\nextern \"C\" __global__ __aicore__ void " +
        entry_point(instance_) + "(" + parameters + ") {}\n";
    return kernel;
  }

  void task() {
    if (!choose()) return;
    const std::vector<KernelStyle> styles = styles_of(instance_);
    KernelStyle queues = styles[1];  // the style that the DSL's compiler makes: proves the program
    if (!try_way(is_empty(instance_) ? styles[0] : queues)) return;
    finish_task();
    unit_.tasks.push_back(task_);
    if (task_.split() != "train") return;
    if (options_.ways > 1 && !is_empty(instance_)) has_strided_ = try_way(styles.back());
    for (std::size_t turn = 0, start = random_.next_below(styles.size());
         static_cast<int>(ways_.size()) < options_.ways && turn < styles.size() && !is_empty(instance_); ++turn)
      if (const KernelStyle& style = styles[(start + turn * 5) % styles.size()];
          style.name != "queues" && !style.strided)
        try_way(style);
    samples();
  }

  void finish_task() {
    const bool workspace = task_.workspace_bytes() > 0;
    task_.set_prompt_short(short_prompt(instance_, workspace ? "with a workspace" : ""));
    task_.set_prompt_npukernelbench(kernel_only_prompt(instance_));
  }

  Measured measured(const Way& way) const {
    Measured made{.cycles = way.cycles,
                  .baseline = baseline_,
                  .rank = 1,
                  .ways = static_cast<int>(ways_.size()),
                  .best = way.style.name,
                  .best_cycles = way.cycles};
    for (const Way& other : ways_) {
      made.rank += other.cycles < way.cycles;
      if (other.cycles < made.best_cycles) {
        made.best_cycles = other.cycles;
        made.best = other.style.name;
      }
    }
    return made;
  }

  std::string provenance() const {
    return "cot seed=" + std::to_string(options_.seed) + " unit=" + std::to_string(index_);
  }

  std::uint64_t pick() { return random_.next_u64() >> 16; }

  void project_sample(const Way& way) {
    if (way.kernel.project.empty()) return;
    std::vector<proto::ProjectFile> files;
    for (const auto& part : way.kernel.project) {
      proto::ProjectFile& file = files.emplace_back();
      file.set_path(part.path);
      file.set_content(part.text);
    }
    const proto::Verdict verdict = reward::judge_project(sandbox_, task_, files, judge_);
    ++unit_.judged;
    if (!verdict.correct()) {
      unit_.failures.push_back(task_.id() + " project: " + proto::stage_name(verdict.stage()) + " " +
                               feedback_text(verdict));
      return;
    }
    write_.project(way, measured(way), verdict.cycles());
  }

  // -- wrong kernels

  // A mutant that the judge tells apart, of the kind whose turn it is.
  std::optional<Wrong> wrong(const std::vector<Mutant>& mutants, proto::SourceLanguage language) {
    if (mutants.empty()) return std::nullopt;
    const std::size_t start = pick() % mutants.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(3, mutants.size()); ++i) {
      const Mutant& mutant = mutants[(start + i * 7) % mutants.size()];
      proto::Verdict verdict = judged(mutant.source, language);
      if (!verdict.correct() && is_repeatable(verdict) && !feedback_text(verdict).empty())
        return Wrong{mutant, std::move(verdict)};
    }
    return std::nullopt;
  }

  void multi_turn(const Way& way, bool in_dsl) {
    const auto language = in_dsl ? proto::DSL : proto::ASCENDC;
    const auto mutants = in_dsl ? dsl_mutants(way.kernel.program) : ascendc_mutants(way.kernel.source);
    const auto first = wrong(mutants, language), second = wrong(mutants, language);
    if (first && second && first->mutant.kind != second->mutant.kind) write_.multi_turn(*first, *second, way, in_dsl);
  }

  void samples() {
    const Way& queues = ways_.front();
    const bool empty = is_empty(instance_);
    const std::uint64_t turn = index_ % kQuestionsEvery + index_ / kQuestionsEvery;
    if (empty) {
      write_.kernel(queues, measured(queues), "short");
      return;
    }
    // Short forms in most turns, long ones in some: seven samples of ten have at most 600 tokens of SmolLM2.
    write_.dsl_kernel(queues, measured(queues), /*with_language=*/turn % 8 == 6);
    std::size_t shortest = 0, fastest = 0;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const auto size = [&](std::size_t way) { return ways_[way].kernel.source.size(); };
      if (!ways_[i].style.strided && size(i) < size(shortest)) shortest = i;
      if (ways_[i].cycles < ways_[fastest].cycles) fastest = i;
    }
    const Way& small = ways_[shortest];
    write_.plan(ways_[turn % ways_.size()], measured(ways_[turn % ways_.size()]));
    const Way& usual = has_strided_ ? ways_[1] : small;  // the default style, if none is requested
    if (turn % 3 != 2) write_.kernel(usual, measured(usual), "short");
    if (turn % 2 == 0) long_sample(turn / 2, small, ways_[fastest]);
    const auto dsl_mistakes = dsl_mutants(queues.kernel.program);
    if (const auto found = wrong(dsl_mistakes, proto::DSL)) {
      if (pick() % 3 != 0)
        write_.repair(*found, queues, true);
      else
        write_.prediction(*found, queues, true);
    }
    if (turn % 4 == 0) {
      write_.right_prediction(queues, measured(queues), /*in_dsl=*/true);
    } else if (turn % 4 == 2) {
      if (const auto found = wrong(dsl_mistakes, proto::DSL)) write_.prediction(*found, queues, true);
    }
    if (turn % 2 == 0) return;
    if (turn % 6 == 5) return write_.kernel(small, measured(small), "short");
    const Way& broken = turn % 4 == 1 ? usual : small;
    if (const auto found = wrong(ascendc_mutants(broken.kernel.source), proto::ASCENDC)) {
      if (pick() % 2 == 0)
        write_.repair(*found, broken, false);
      else
        write_.prediction(*found, broken, false);
    }
  }

  void long_sample(std::uint64_t turn, const Way& small, const Way& fastest) {
    const Way &queues = ways_.front(), &other = ways_.back();
    switch (turn % 8) {
      case 0:
        write_.kernel(fastest, measured(fastest), "npukernelbench");
        break;
      case 1:
        write_.kernel(other, measured(other), "reasoned");
        break;
      case 2:
        project_sample(queues);
        break;
      case 3:
        write_.kernel(fastest, measured(fastest), "reasoned");
        break;
      case 4:
        write_.kernel(other, measured(other), "npukernelbench");
        break;
      case 5:
        multi_turn(small, /*in_dsl=*/false);
        break;
      case 6:
        multi_turn(queues, /*in_dsl=*/true);
        break;
      default:
        write_.right_prediction(small, measured(small), /*in_dsl=*/false);
        break;
    }
  }

  std::uint64_t index_;
  const UnitOptions& options_;
  sandbox::Sandbox& sandbox_;
  Philox random_;
  reward::JudgeOptions judge_;
  Instance instance_;
  proto::Task task_;
  std::vector<Way> ways_;
  std::uint64_t baseline_ = 0;
  bool has_strided_ = false;  // ways_[1]
  Unit unit_;
  SampleWriter write_{instance_, task_, provenance(), random_, unit_.samples};
};

}  // namespace

Unit make_unit(std::uint64_t index, const UnitOptions& options, sandbox::Sandbox& sandbox) {
  return Maker(index, options, sandbox).run();
}

}  // namespace kg::dataset::cot
