#include "dataset/cot/unit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "dataset/cot/documentation.h"
#include "dataset/cot/feedback.h"
#include "dataset/cot/kernel_style.h"
#include "dataset/cot/mutation.h"
#include "dataset/cot/prompts.h"
#include "dataset/cot/reasoning.h"
#include "dataset/dsl_prompt.h"
#include "proto/message_json.h"
#include "reward/golden.h"
#include "reward/judge.h"

namespace kg::dataset::cot {
namespace {

constexpr std::uint64_t kStructures = 4000;   // of a data set, before shapes repeat
constexpr std::uint64_t kQuestionsEvery = 8;  // units
constexpr int kQuestions = 5;                 // a unit of questions
constexpr int kTurns = 12;                    // shapes tried until one is possible
constexpr double kLargest = 30000;            // of any value: fits half and int16

// Number `i` of 0 .. n-1 in an order that the seed decides.
std::uint64_t shuffled(std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> orders;
  const std::lock_guard lock(mutex);
  auto& order = orders[{n, seed}];
  if (order.empty()) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0u);
    Philox random(seed, 0x636f74);
    for (std::size_t k = n; k > 1; --k) std::swap(order[k - 1], order[random.next_below(k)]);
  }
  return order[i];
}

// Does the task say anything: finite values that its types hold, results that are not all alike?
bool says_something(const proto::Task& task) {
  std::vector<reward::GoldenTensor> inputs;
  for (const proto::Tensor& tensor : reward::make_inputs(task.cases(0))) inputs.push_back(reward::to_golden(tensor));
  const auto values = reward::golden_values(task.graph(), std::move(inputs), {});
  for (const auto& tensor : values)
    for (const double value : tensor.values)
      if (!(std::abs(value) < kLargest)) return false;
  for (const std::int32_t output : task.graph().outputs()) {
    const auto& result = values[static_cast<std::size_t>(output)].values;
    if (result.size() > 8 &&
        std::all_of(result.begin(), result.end(), [&](double value) { return value == result[0]; }))
      return false;
  }
  return true;
}

struct Way {
  KernelStyle style;
  LoweredKernel kernel;
  std::uint64_t cycles = 0;
};

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
    }
  }

  // -- a task

  bool choose() {
    const std::uint64_t number = index_ - index_ / kQuestionsEvery;  // of the units that are tasks
    const std::uint64_t which = shuffled(number % kStructures, kStructures, options_.seed);
    const Structure& structure = structures(kStructures)[which];
    for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
      instance_ = instance_of(structure, number / kStructures * kTurns + turn);
      if (!possible(instance_)) continue;
      task_ = task_of(instance_, options_.seed);
      if (says_something(task_)) return true;
    }
    return false;
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
    KernelStyle queues = styles[1];  // what the DSL's compiler makes: proves the program
    if (!try_way(is_empty(instance_) ? styles[0] : queues)) return;
    finish_task();
    unit_.tasks.push_back(task_);
    if (task_.split() != "train") return;
    for (std::size_t turn = 0, start = random_.next_below(styles.size());
         static_cast<int>(ways_.size()) < options_.ways && turn < styles.size() && !is_empty(instance_); ++turn)
      if (const KernelStyle& style = styles[(start + turn * 5) % styles.size()]; style.name != "queues") try_way(style);
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

  proto::Sample& sample(const std::string& kind, const std::string& name, const std::string& style,
                        const std::string& form) {
    proto::Sample& made = unit_.samples.emplace_back();
    made.set_id(task_.id() + "/" + name);
    made.set_task(task_.id());
    made.set_kind(kind);
    made.set_split(task_.split());
    made.set_style(style);
    made.set_prompt_form(form);
    made.set_provenance(provenance());
    return made;
  }

  static std::string cpp(const std::string& source) { return "```cpp\n" + source + "```"; }
  static std::string dsl(const std::string& program) { return "```dsl\n" + program + "```"; }
  std::uint64_t pick() { return random_.next_u64() >> 16; }

  void proven(proto::Sample& made, const Way& way) {
    const Measured m = measured(way);
    made.set_cycles(way.cycles);
    made.set_provenance(provenance() + " correct, " + std::to_string(task_.cases_size()) + " cases, way " +
                        way.style.name + ", rank " + std::to_string(m.rank) + " of " + std::to_string(m.ways));
  }

  void kernel_sample(const Way& way, const std::string& form) {
    proto::Sample& made = sample("kernel", way.style.name + "/" + form, way.style.name, form);
    const std::string workspace = task_.workspace_bytes() > 0 ? " with a workspace" : "";
    made.set_instruction(form == "npukernelbench" ? task_.prompt_npukernelbench()
                                                  : short_prompt(instance_, style_words(way.style) + workspace));
    const bool plain = form == "short";
    const std::string thought = plain ? short_reasoning(instance_, way.style, way.kernel.facts, pick())
                                      : long_reasoning(instance_, way.style, way.kernel.facts, measured(way), pick());
    made.set_output(form == "npukernelbench"
                        ? thought + "\n<kernel_impl>\n" + cpp(way.kernel.source) + "\n</kernel_impl>"
                        : thought + "\n" + cpp(way.kernel.source));
    proven(made, way);
  }

  // What an engineer decides before the first line is written.
  void plan_sample(const Way& way) {
    proto::Sample& made = sample("plan", way.style.name + "/plan", way.style.name, "short");
    made.set_instruction("Plan the Ascend C kernel " + entry_point(instance_) + " " + style_words(way.style) + " for " +
                         std::to_string(instance_.cores) + (instance_.cores == 1 ? " core" : " cores") +
                         ": split, tiles and buffers, alignment, stages and their order, cost. No code.\n" +
                         task_lines(instance_));
    made.set_output(long_reasoning(instance_, way.style, way.kernel.facts, measured(way), pick()));
    proven(made, way);
  }

  void dsl_sample(const Way& way, bool with_language) {
    const std::string form = with_language ? "npukernelbench" : "short";
    proto::Sample& made = sample("kernel", "dsl/" + form, "dsl", form);
    made.set_instruction(dsl_prompt(task_, form));
    made.set_output(dsl_reasoning(instance_, way.kernel.facts, pick()) + "\n" + dsl(way.kernel.program));
    proven(made, way);
  }

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
    proto::Sample& made = sample("project", "project", way.style.name, "project");
    made.set_instruction(project_prompt(instance_, way.kernel.project));
    made.set_output(project_answer(long_reasoning(instance_, way.style, way.kernel.facts, measured(way), pick()),
                                   way.kernel.project));
    proven(made, way);
    made.set_cycles(verdict.cycles());
  }

  // -- wrong kernels

  struct Wrong {
    Mutant mutant;
    proto::Verdict verdict;
  };

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

  static std::string place(const Mutant& mutant) {
    std::string text = "Line " + std::to_string(mutant.line);
    if (mutant.now.empty()) return text + ": `" + mutant.was + "` is missing.";
    return text + ": `" + mutant.now + "`.";
  }

  std::string diagnosis(const Wrong& found) {
    const std::string fix =
        found.mutant.now.empty() ? "Put `" + found.mutant.was + "` back." : "It must be `" + found.mutant.was + "`.";
    const std::string& cause = found.mutant.cause;
    switch (pick() % 3) {
      case 0:
        return place(found.mutant) + " " + cause + " " + fix;
      case 1:
        return cause + " " + place(found.mutant) + " " + fix;
      default:
        return "It is " +
               (verdict_word(found.verdict) == "fault"           ? std::string("a fault")
                : verdict_word(found.verdict) == "wrong numbers" ? std::string("wrong arithmetic, not a crash")
                                                                 : std::string("a compile error")) +
               ". " + place(found.mutant) + " " + cause + " " + fix;
    }
  }

  void describe(proto::Sample& made, const Wrong& found) {
    made.set_provenance(provenance() + " mutant " + found.mutant.kind + " line " + std::to_string(found.mutant.line) +
                        ", ended at " + proto::stage_name(found.verdict.stage()));
  }

  void repair_sample(const Wrong& found, const Way& way, bool in_dsl) {
    proto::Sample& made =
        sample("repair", std::string(in_dsl ? "dsl" : way.style.name) + "/repair/" + found.mutant.kind,
               in_dsl ? "dsl" : way.style.name, "short");
    const std::string broken = in_dsl ? dsl(found.mutant.source) : cpp(found.mutant.source);
    made.set_instruction("This kernel is not right. Say why and repair it.\n" + task_lines(instance_) + "\n" + broken +
                         "\nThe judge says:\n" + feedback_text(found.verdict));
    made.set_output(diagnosis(found) + "\n" + (in_dsl ? dsl(way.kernel.program) : cpp(way.kernel.source)));
    made.set_cycles(way.cycles);
    describe(made, found);
  }

  void prediction_sample(const Wrong& found, const Way& way, bool in_dsl) {
    proto::Sample& made =
        sample("prediction", std::string(in_dsl ? "dsl" : way.style.name) + "/prediction/" + found.mutant.kind,
               in_dsl ? "dsl" : way.style.name, "short");
    made.set_instruction(
        "What will the judge say to this kernel: correct, compile error, fault or wrong numbers? Give the reason.\n" +
        task_lines(instance_) + "\n" + (in_dsl ? dsl(found.mutant.source) : cpp(found.mutant.source)));
    made.set_output(verdict_word(found.verdict) + "\n" + place(found.mutant) + " " + found.mutant.cause + "\n" +
                    feedback_text(found.verdict));
    describe(made, found);
  }

  void right_prediction(const Way& way, bool in_dsl) {
    proto::Sample& made = sample("prediction", std::string(in_dsl ? "dsl" : way.style.name) + "/prediction/right",
                                 in_dsl ? "dsl" : way.style.name, "short");
    made.set_instruction(
        "What will the judge say to this kernel: correct, compile error, fault or wrong numbers? Give the reason.\n" +
        task_lines(instance_) + "\n" + (in_dsl ? dsl(way.kernel.program) : cpp(way.kernel.source)));
    made.set_output("correct\n" + short_reasoning(instance_, way.style, way.kernel.facts, pick()) + " It takes " +
                    std::to_string(way.cycles) + " cycles for " + std::to_string(task_.cases_size()) + " cases.");
    proven(made, way);
  }

  // Attempt, what the judge said, a second attempt with another mistake, and the kernel that passes.
  void multi_turn(const Way& way, bool in_dsl) {
    const std::string& right = in_dsl ? way.kernel.program : way.kernel.source;
    const auto language = in_dsl ? proto::DSL : proto::ASCENDC;
    const auto mutants = in_dsl ? dsl_mutants(right) : ascendc_mutants(right);
    const auto first = wrong(mutants, language), second = wrong(mutants, language);
    if (!first || !second || first->mutant.kind == second->mutant.kind) return;
    proto::Sample& made = sample("multi_turn", std::string(in_dsl ? "dsl" : way.style.name) + "/turns",
                                 in_dsl ? "dsl" : way.style.name, "multi_turn");
    made.set_instruction(in_dsl ? dsl_prompt(task_, "short") : short_prompt(instance_, style_words(way.style)));
    const auto block = [&](const std::string& source) { return in_dsl ? dsl(source) : cpp(source); };
    made.set_input("Attempt 1:\n" + block(first->mutant.source) + "\nThe judge says: " + feedback_text(first->verdict) +
                   "\nAttempt 2, after this: " + diagnosis(*first) + "\n" + block(second->mutant.source) +
                   "\nThe judge says: " + feedback_text(second->verdict));
    made.set_output(diagnosis(*second) + "\n" + block(right));
    made.set_cycles(way.cycles);
    describe(made, *second);
  }

  void samples() {
    const Way& queues = ways_.front();
    const bool empty = is_empty(instance_);
    const std::uint64_t turn = index_ % kQuestionsEvery + index_ / kQuestionsEvery;
    if (empty) {
      kernel_sample(queues, "short");
      return;
    }
    // Short forms in most turns, long ones in some: seven samples of ten have at most 600 tokens of SmolLM2.
    dsl_sample(queues, /*with_language=*/turn % 8 == 6);
    std::size_t shortest = 0, fastest = 0;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      if (ways_[i].kernel.source.size() < ways_[shortest].kernel.source.size()) shortest = i;
      if (ways_[i].cycles < ways_[fastest].cycles) fastest = i;
    }
    const Way& small = ways_[shortest];
    plan_sample(ways_[turn % ways_.size()]);
    if (turn % 3 != 2) kernel_sample(small, "short");
    if (turn % 2 == 0) long_sample(turn / 2, small, ways_[fastest]);
    const auto dsl_mistakes = dsl_mutants(queues.kernel.program);
    if (const auto found = wrong(dsl_mistakes, proto::DSL)) {
      if (pick() % 3 != 0)
        repair_sample(*found, queues, true);
      else
        prediction_sample(*found, queues, true);
    }
    if (turn % 4 == 0) {
      right_prediction(queues, /*in_dsl=*/true);
    } else if (turn % 4 == 2) {
      if (const auto found = wrong(dsl_mistakes, proto::DSL)) prediction_sample(*found, queues, true);
    }
    if (turn % 2 == 0) return;
    if (const auto found = wrong(ascendc_mutants(small.kernel.source), proto::ASCENDC)) {
      if (pick() % 2 == 0)
        repair_sample(*found, small, false);
      else
        prediction_sample(*found, small, false);
    }
  }

  void long_sample(std::uint64_t turn, const Way& small, const Way& fastest) {
    const Way &queues = ways_.front(), &other = ways_.back();
    switch (turn % 8) {
      case 0:
        kernel_sample(fastest, "npukernelbench");
        break;
      case 1:
        kernel_sample(other, "reasoned");
        break;
      case 2:
        project_sample(queues);
        break;
      case 3:
        kernel_sample(fastest, "reasoned");
        break;
      case 4:
        kernel_sample(other, "npukernelbench");
        break;
      case 5:
        multi_turn(small, /*in_dsl=*/false);
        break;
      case 6:
        multi_turn(queues, /*in_dsl=*/true);
        break;
      default:
        right_prediction(small, /*in_dsl=*/false);
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
  Unit unit_;
};

}  // namespace

Unit make_unit(std::uint64_t index, const UnitOptions& options, sandbox::Sandbox& sandbox) {
  return Maker(index, options, sandbox).run();
}

}  // namespace kg::dataset::cot
