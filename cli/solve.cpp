// `kgtrain solve`: a PyTorch operator in, a verified kernel out (docs/guide/solve.md).
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/judging_options.h"
#include "cli/own_operator.h"
#include "cli/solve/local_answers.h"
#include "cli/solve/model_check.h"
#include "cli/solve/search.h"
#include "cli/solve/server_answers.h"
#include "cli/solve/solve_display.h"
#include "cli/solve/solved_folder.h"
#include "cli/solve/tile_tuning.h"
#include "dataset/cot/modules/translation.h"
#include "dataset/store/dsl_prompt.h"
#include "evaluation/project_files.h"
#include "proto/language.h"
#include "proto/message_json.h"
#include "trainer/option_groups.h"
#include "trainer/sampling.h"

namespace kg::cli {
namespace {

struct SolveCommand : JudgingOptions {
  OwnOperatorOptions module;
  trainer::SamplingOptions sampling;
  trainer::DeviceOptions device;
  std::string model = "kernelgen-small", server_model, key_variable, language = "dsl", prompt_form, out;
  int attempts = 0, turns = 0, connections = 4;  // 0: by the model
  TuningLimits tune;
  std::uint64_t sampling_seed = 1;
  bool no_translation = false;

  bool asks_none() const { return model == "none"; }
  bool asks_server() const { return model.starts_with("http://") || model.starts_with("https://"); }
  proto::SourceLanguage source_language() const { return proto::language_from_name(language); }
};

// Nothing where the help text was asked for.
std::optional<SolveCommand> parsed(int argc, const char* const* argv) {
  SolveCommand asked;
  asked.sampling.max_new_tokens = 1024;
  asked.sampling.grammar = "task";
  Options options(
      "kgtrain solve",
      "Has a model write a kernel for an operator of yours, judges every answer, has wrong ones repaired, and "
      "leaves the fastest correct kernel (docs/guide/solve.md). Runs the file's Python with your rights.");
  options
      .positional("FILE", asked.module.own.file,
                  "Python file with a PyTorch module or function (docs/guide/own-operators.md)")
      .add("model", asked.model,
           "kernelgen-small, which comes with kgtrain; a Hugging Face directory, GGUF file, run, or a name in "
           "$KGTRAIN_HOME/models or runs; http://HOST:PORT/v1, an OpenAI-compatible server; or none: the translation "
           "alone")
      .add("server-model", asked.server_model, "the model as the server names it; empty: the first that it lists")
      .add("key-variable", asked.key_variable, "environment variable that holds the server's key; empty: no key")
      .add("connections", asked.connections, "requests to the server at once")
      .range(1, 256)
      .add("attempts", asked.attempts,
           "answers that the model begins with; 0 = 8 for a server, 12 for a model of this machine")
      .range(0, 100000)
      .add("turns", asked.turns,
           "turns of an attempt, each but the first repairs the answer before; 0 = 2 for a server, 1 for a model of "
           "this machine, whose fresh answers are worth more than its repairs")
      .range(0, 16)
      .add("language", asked.language, "language of the kernel")
      .choices({"dsl", "ascendc"})
      .add("prompt-form", asked.prompt_form,
           "short: the module's operators one by one; written: the module as it is written; explained: both, and the "
           "DSL before them; empty: explained for a server, else short")
      .choices({"", "short", "written", "explained"})
      .add("no-translation", asked.no_translation,
           "do not judge first what the module's operators say by themselves, one a statement, without a model")
      .add("out", asked.out, "folder to write; empty: solved-NAME");
  declare_tuning(options, asked.tune);
  trainer::declare_sampling(options, asked.sampling, /*greedy=*/true);
  options.add("sampling-seed", asked.sampling_seed, "random seed for sampling");
  declare_own_operator(options, asked.module);
  declare_judging(options, asked);
  options.add("device", asked.device.device, "where a model of this machine computes: cpu, cuda, cuda:N, npu, npu:N")
      .add("model-dtype", asked.device.dtype, "number type that it computes in; auto: bfloat16 where that is fast")
      .choices({"auto", "float32", "bfloat16"})
      .add("threads", asked.device.threads, "its threads; 0 = one per core")
      .range(0, 4096);
  if (!options.parse(argc, argv)) return {};
  if (asked.asks_none()) {
    if (asked.no_translation || asked.source_language() != proto::DSL)
      throw Error("no model is asked, and there is no translation", "--model none",
                  "name a model, or ask for the translation: --language dsl, without --no-translation");
    asked.attempts = 0;
  } else if (asked.attempts == 0) {
    asked.attempts = asked.asks_server() ? 8 : 12;
  }
  if (asked.turns == 0) asked.turns = asked.asks_server() ? 2 : 1;
  if (asked.out.empty()) asked.out = "solved-" + fs::path(asked.module.own.file).stem().string();
  return asked;
}

std::string prompt_of(const SolveCommand& asked, const proto::Task& task) {
  if (asked.source_language() != proto::DSL) return task.prompt_short();
  const std::string form = !asked.prompt_form.empty() ? asked.prompt_form : asked.asks_server() ? "explained" : "short";
  return dataset::dsl_prompt(task, form);
}

// Empty: none is wanted, or there is none, and `why`.
std::string translation_of(const SolveCommand& asked, const proto::Task& task, std::string& why) {
  if (asked.no_translation || asked.source_language() != proto::DSL) return "";
  return dataset::cot::modules::translation(task.prompt_short(), &why).value_or("");
}

// Of --model none.
class NoAnswers : public AnswerSource {
 public:
  void ask(const std::vector<Question>&) override {}
  std::optional<ModelAnswer> next(double) override { return {}; }
};

std::unique_ptr<AnswerSource> open_model(const SolveCommand& asked, const proto::Task& task, const fs::path& folder) {
  if (asked.asks_none()) return std::make_unique<NoAnswers>();
  if (asked.asks_server())
    return std::make_unique<ServerAnswers>(
        ServerModelOptions{.client = {.url = asked.model, .token = http::token_from_environment(asked.key_variable)},
                           .model = asked.server_model,
                           .connections = std::min(asked.connections, asked.attempts),
                           .temperature = asked.sampling.temperature,
                           .top_p = asked.sampling.top_p,
                           .max_new_tokens = asked.sampling.max_new_tokens,
                           .seed = asked.sampling_seed});
  proto::SamplingParameters sampling = trainer::sampling_of(asked.sampling);
  sampling.set_seed(asked.sampling_seed);
  if (asked.source_language() != proto::DSL) sampling.clear_grammar();
  return std::make_unique<LocalAnswers>(
      LocalModelOptions{.model = asked.model,
                        .folder = folder,
                        .arguments = {"--device", asked.device.device, "--dtype", asked.device.dtype, "--threads",
                                      std::to_string(asked.device.threads)},
                        .sampling = sampling,
                        .task = task});
}

// What `kgtrain judge` needs to make the same task of the same file.
std::vector<std::string> judge_arguments(const SolveCommand& asked) {
  const dataset::benchmarks::OwnOptions& own = asked.module.own;
  std::vector<std::string> words;
  const auto add = [&](const char* name, const std::string& value) {
    words.insert(words.end(), {std::string("--") + name, value});
  };
  for (const std::string& shape : own.shapes) add("shape", shape);
  if (!own.dtype.empty()) add("dtype", own.dtype);
  if (!own.operator_name.empty()) add("operator", own.operator_name);
  if (own.evaluation) words.emplace_back("--eval");
  add("largest", std::to_string(asked.module.largest_megabytes));
  add("seed", std::to_string(own.seed));
  if (asked.reward != JudgingOptions().reward) add("reward", asked.reward);
  return words;
}

// What the search came to, for people and for solve.json.
struct Outcome {
  std::size_t answers = 0, correct = 0, attempts_correct = 0;
  int tokens = 0;
  std::string translation;      // what became of it; empty: there was none
  const Tried* kept = nullptr;  // the fastest correct one, else the nearest miss
  std::uint64_t cycles_before_tuning = 0;
  double seconds = 0;
};

Outcome outcome_of(const std::vector<Tried>& all) {
  Outcome outcome{.answers = all.size()};
  for (const Tried& tried : all) {
    outcome.tokens += tried.answer.new_tokens;
    if (tried.attempt == kTranslation) outcome.translation = outcome_word(tried);
    if (tried.correct()) ++outcome.correct;
  }
  std::vector<int> solved;
  for (const Tried& tried : all)
    if (tried.correct() && tried.attempt != kTranslation) solved.push_back(tried.attempt);
  std::sort(solved.begin(), solved.end());
  outcome.attempts_correct = static_cast<std::size_t>(std::unique(solved.begin(), solved.end()) - solved.begin());
  outcome.kept = fastest_correct(all);
  if (outcome.kept == nullptr) outcome.kept = nearest_miss(all);
  return outcome;
}

nlohmann::json json_of(const SolveCommand& asked, const proto::Task& task, const Outcome& outcome,
                       const Solution& solution, const std::vector<SolvedProject>& projects) {
  nlohmann::json listed = nlohmann::json::array();
  for (const SolvedProject& project : projects)
    listed.push_back({{"folder", project.name}, {"case", project.task_case}, {"judged", project.judged}});
  nlohmann::json summary = {{"task", task.id()},
                            {"model", asked.model},
                            {"language", asked.language},
                            {"solved", solution.verdict.correct() && solution.verdict.reward_valid()},
                            {"translation", outcome.translation},
                            {"attempts", asked.attempts},
                            {"attempts_correct", outcome.attempts_correct},
                            {"answers", outcome.answers},
                            {"answers_correct", outcome.correct},
                            {"tokens", outcome.tokens},
                            {"seconds", outcome.seconds},
                            {"cycles", solution.verdict.cycles()},
                            {"cycles_before_tuning", outcome.cycles_before_tuning},
                            {"baseline_cycles", solution.verdict.baseline_cycles()},
                            {"speedup", solution.verdict.speedup()},
                            {"projects", std::move(listed)}};
  if (outcome.kept != nullptr)
    summary.update({{"attempt", outcome.kept->attempt + 1}, {"turn", outcome.kept->turn + 1}});
  return summary;
}

// The task's own judge, once more and with a timeline, on what is kept.
Solution final_look(const SolveCommand& asked, const proto::Task& task, reward::JudgeOptions rules,
                    std::string kernel) {
  Solution solution{.kernel = std::move(kernel), .language = asked.source_language()};
  rules.timeline = &solution.timeline;
  rules.cycle_report = &solution.cycles;
  const auto sandbox = sandbox::start_sandbox(asked.sandbox);
  solution.verdict = reward::judge_surely(*sandbox, task, solution.kernel, rules);
  return solution;
}

// Every judged project on its own case.
void judge_projects(const SolveCommand& asked, const proto::Task& task, reward::JudgeOptions rules,
                    const fs::path& folder, std::vector<SolvedProject>& projects) {
  rules.language = proto::ASCENDC;
  const auto sandbox = sandbox::start_sandbox(asked.sandbox);
  for (SolvedProject& project : projects) {
    if (!project.judged) continue;
    rules.only_case = project.task_case;
    const proto::Verdict verdict =
        reward::judge_project(*sandbox, task, evaluation::project_files((folder / project.name).string()), rules);
    if (verdict.correct()) continue;
    project.judged = false;
    std::fprintf(
        stderr, "note: %s is not correct by itself: %s\n", project.name.c_str(),
        verdict.sandbox_error().empty() ? proto::stage_name(verdict.stage()).c_str() : verdict.sandbox_error().c_str());
  }
}

int report_nothing(const Outcome& outcome, const fs::path& folder) {
  std::printf("not solved: %zu answers, none correct; %s\n", outcome.answers, duration_text(outcome.seconds).c_str());
  if (outcome.kept != nullptr)
    std::printf("nearest   %s: %s\n          %s\n", attempt_name(*outcome.kept).c_str(),
                outcome_word(*outcome.kept).c_str(), judge_words(*outcome.kept).c_str());
  std::printf("written   %s/: what was tried (tried.jsonl)%s\n", folder.c_str(),
              outcome.kept != nullptr && !outcome.kept->kernel.empty() ? ", the nearest miss and its page" : "");
  return 1;
}

int report_solved(const Outcome& outcome, const Solution& solution, const std::vector<SolvedProject>& projects,
                  const fs::path& folder) {
  const proto::Verdict& verdict = solution.verdict;
  std::printf("solved    %zu of %zu answers correct; %s\n", outcome.correct, outcome.answers,
              duration_text(outcome.seconds).c_str());
  std::printf("kept      %s: %llu cycles, baseline %llu, speed-up %.2f\n", attempt_name(*outcome.kept).c_str(),
              static_cast<unsigned long long>(verdict.cycles()),
              static_cast<unsigned long long>(verdict.baseline_cycles()), verdict.speedup());
  if (verdict.cycles() < outcome.cycles_before_tuning)
    std::printf("tuned     tile sizes: %llu cycles before\n",
                static_cast<unsigned long long>(outcome.cycles_before_tuning));
  std::printf("written   %s/: %s, report.html, tried.jsonl\n", folder.c_str(),
              solution.language == proto::DSL ? "kernel.dsl, kernel.cpp" : "kernel.cpp");
  for (const SolvedProject& project : projects)
    std::printf("project   %s/%s%s\n", folder.c_str(), project.name.c_str(),
                project.judged ? "" : " (lowered, not judged)");
  return 0;
}

std::vector<Tried> have_written(const SolveCommand& asked, const proto::Task& task, JudgeDesk& desk,
                                SolvedFolder& folder, SolveDisplay& display) {
  const auto model = open_model(asked, task, folder.path());
  std::string unknown;
  const std::string translation = translation_of(asked, task, unknown);
  if (asked.asks_none() && translation.empty())
    throw Error("the translation does not know all of this module: " + unknown, asked.module.own.file,
                "leave out --model none, so that kernelgen-small is asked");
  display.say(asked.asks_none() ? "" : "      the model is starting");
  return search({.prompt = prompt_of(asked, task),
                 .translation = translation,
                 .attempts = asked.attempts,
                 .turns = asked.turns,
                 .language = asked.source_language()},
                *model, desk,
                {.tried =
                     [&](const Tried& tried) {
                       folder.add(tried);
                       display.tried(tried);
                     },
                 .waiting = [&](const SearchState& state) { display.waiting(state); },
                 .left = [&](const std::string& why) { display.left(why); }});
}

}  // namespace

int run_solve(int argc, const char* const* argv) {
  const std::optional<SolveCommand> asked = parsed(argc, argv);
  if (!asked) return 0;
  const double began = monotonic_seconds();
  require_own_operator(asked->module);
  if (!asked->asks_none()) require_model(asked->model, asked->key_variable);
  const dataset::benchmarks::OwnOperator made = read_own_operator(asked->module, asked->worker);
  SolvedFolder folder(asked->out);
  folder.copy_operator(asked->module.own.file);
  reward::JudgeOptions rules{.reward = reward::reward_preset(asked->reward), .language = asked->source_language()};
  rules.benchmark_cases.get = [&made](const proto::Task&, int index) { return made.get(index); };
  SolveDisplay display(asked->attempts, asked->turns);
  JudgeDesk desk(made.task, rules, asked->sandbox, asked->jobs);
  const std::vector<Tried> all = have_written(*asked, made.task, desk, folder, display);
  Outcome outcome = outcome_of(all);
  Solution solution;
  std::vector<SolvedProject> projects;
  const bool solved = outcome.kept != nullptr && outcome.kept->correct();
  if (outcome.kept != nullptr && !outcome.kept->kernel.empty()) {
    std::string kernel = outcome.kept->kernel;
    proto::Verdict verdict = outcome.kept->verdict;
    outcome.cycles_before_tuning = verdict.cycles();
    if (solved && asked->source_language() == proto::DSL && asked->tune.variants > 0) {
      const auto judged = [&](int count) {
        display.say("      tuning tile sizes" +
                    (count > 0 ? ": " + std::to_string(count) + " variants" : std::string()));
      };
      judged(0);
      kernel = tuned(kernel, asked->tune, desk, verdict, judged);
    }
    solution = final_look(*asked, made.task, rules, kernel);
    projects = folder.write(made.task, solution, judge_arguments(*asked));
    if (solved) judge_projects(*asked, made.task, rules, folder.path(), projects);
  }
  outcome.seconds = monotonic_seconds() - began;
  write_file_atomically(folder.path() / "solve.json",
                        json_of(*asked, made.task, outcome, solution, projects).dump(2) + "\n");
  display.say("");
  return solved ? report_solved(outcome, solution, projects, folder.path()) : report_nothing(outcome, folder.path());
}

}  // namespace kg::cli
