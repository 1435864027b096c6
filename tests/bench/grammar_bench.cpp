// Answers in the DSL of a model that need not know it, with and without the grammar: how many end, parse, and what the
// checker says of them; what the grammar costs. `lines` is the control: the block is opened, and every line is drawn
// freely again until a program may begin with it, for as many tokens as `--tokens` says. Whole answers that are drawn
// until one parses are those of `off`.
//
//   grammar_bench [--model M] [--answers N] [--batch B] [--max-new-tokens T] [--grammar dsl|off|both|lines]
//     [--seed S] [--tokens T]
#include <algorithm>
#include <cstdio>
#include <map>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "dataset/store/answer.h"
#include "dsl/beginning.h"
#include "dsl/lower.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"
#include "grammar/dsl_grammar.h"
#include "policy/files/model_io.h"
#include "policy/generation/generator_engine.h"
#include "policy/generation/prompt_tokens.h"

namespace {

using namespace kg;

constexpr const char* kPrompts[] = {
    "Write the kernel relu in the DSL for 48 cores.\nx: float[4096, 512]\ny = max(x, 0)",
    "Write the kernel softmax in the DSL for 48 cores.\nx: half[64, 1000]\ny = exp(x - max(x)) / sum(exp(x - max(x))) "
    "along rows",
    "Write the kernel add_scale in the DSL for 48 cores.\nx: half[8, 2048], y: half[8, 2048]\nz = (x + y) * 0.5",
    "Write the kernel mse in the DSL for 48 cores.\np: float[100000], t: float[100000]\nz = mean of (p - t) squared"};

struct Tally {
  int answers = 0, ended = 0, empty = 0, parsed = 0, lowered = 0;  // empty: without a block
  std::uint64_t tokens = 0;
  double seconds = 0;
  std::map<std::string, int> unparsed, refused;  // by the rule of the parser, and of the checker
};

// The rule of a refusal without what it names: the words behind the second colon, and behind a type with its extents.
std::string rule_of(const std::string& refusal) {
  const std::size_t first = refusal.find(": "), second = refusal.find(": ", first + 2);
  std::string rule = second == std::string::npos ? refusal : refusal.substr(second + 2);
  if (const std::size_t extents = rule.rfind("]: "); extents != std::string::npos) rule.erase(0, extents + 3);
  if (const std::size_t lacks = rule.find(" has no value"); lacks != std::string::npos)
    rule.replace(0, lacks, "an extent of calculated names");
  return rule.substr(0, 60);
}

// An answer that has ended.
void look_at(const std::string& text, Tally& tally) {
  ++tally.ended;
  const std::string kernel = dataset::extract_kernel(text, proto::DSL).kernel;
  if (kernel.empty()) return ++tally.empty, void();
  dsl::LowerOptions options;
  try {
    for (const dsl::Parameter& parameter : dsl::parse(kernel).parameters)
      for (const dsl::ExprPtr& extent : parameter.extents)
        if (extent->kind == dsl::Expr::Kind::kName) options.bindings.names[extent->text] = 256;
  } catch (const dsl::Refusal& refusal) {
    ++tally.unparsed[rule_of(refusal.what())];
    return;
  }
  ++tally.parsed;
  const dsl::Lowered lowered = dsl::lower(kernel, options);
  if (lowered.ok)
    ++tally.lowered;
  else
    ++tally.refused[rule_of(lowered.refusal)];
}

constexpr int kPromptCount = static_cast<int>(std::size(kPrompts));

proto::GenerateRequest ask(int prompt, int count, int tokens, int seed) {
  proto::GenerateRequest request;
  proto::ChatMessage& message = *request.add_messages();
  message.set_role("user");
  message.set_content(kPrompts[prompt]);
  request.set_count(static_cast<std::uint32_t>(count));
  proto::SamplingParameters& sampling = *request.mutable_sampling();
  sampling.set_temperature(1);
  sampling.set_max_new_tokens(tokens);
  sampling.set_seed(static_cast<std::uint64_t>(seed));
  return request;
}

Tally run(policy::GenerationEngine& engine, const std::string& grammar, int answers, int tokens, int seed) {
  Tally tally;
  std::vector<proto::GenerateRequest> requests;
  for (int i = 0; i < kPromptCount; ++i) {
    const int count = (answers + kPromptCount - 1 - i) / kPromptCount;
    if (count == 0) continue;
    requests.push_back(ask(i, count, tokens, seed + i));
    requests.back().mutable_sampling()->set_grammar(grammar);
  }
  const double began = monotonic_seconds();
  for (const proto::GenerateReply& reply : policy::generate_all(engine, requests)) {
    if (!reply.error().empty()) std::printf("%s\n", reply.error().c_str());
    for (const proto::Completion& completion : reply.completions()) {
      ++tally.answers;
      tally.tokens += static_cast<std::uint64_t>(completion.token_ids_size());
      if (!completion.truncated()) look_at(completion.text(), tally);
    }
  }
  tally.seconds = monotonic_seconds() - began;
  return tally;
}

// An answer that is drawn line by line.
struct Lines {
  proto::GenerateRequest request;
  std::vector<std::int32_t> prompt, tokens;  // the second: of the lines that were taken
  std::string source;
};

constexpr const char* kOpening = "```dsl\n";

Lines begin_lines(const policy::LoadedModel& loaded, int prompt, int seed) {
  Lines made{.request = ask(prompt, 1, 0, seed), .prompt = {}, .tokens = {}, .source = ""};
  made.request.mutable_sampling()->add_stop("\n");
  made.prompt = policy::prompt_tokens(loaded.chat_template, *loaded.tokenizer, made.request);
  for (const std::int32_t token : loaded.tokenizer->encode(kOpening)) made.prompt.push_back(token);
  return made;
}

// Draws answers until `budget` tokens were drawn, those of lines that were not taken among them.
Tally run_lines(policy::GenerationEngine& engine, const policy::LoadedModel& loaded, int at_once, int tokens, int seed,
                std::uint64_t budget) {
  Tally tally;
  std::vector<Lines> open;
  int begun = 0, draws = 0;
  const double began = monotonic_seconds();
  while (tally.tokens < budget) {
    while (static_cast<int>(open.size()) < at_once) open.push_back(begin_lines(loaded, begun++ % kPromptCount, seed));
    std::map<std::uint64_t, std::size_t> asked;
    for (std::size_t i = 0; i < open.size(); ++i) {
      proto::SamplingParameters& sampling = *open[i].request.mutable_sampling();
      sampling.set_seed(static_cast<std::uint64_t>(seed + ++draws));
      sampling.set_max_new_tokens(tokens - static_cast<int>(open[i].tokens.size()));
      std::vector<std::int32_t> prompt = open[i].prompt;
      prompt.insert(prompt.end(), open[i].tokens.begin(), open[i].tokens.end());
      asked[engine.submit_tokens(open[i].request, std::move(prompt))] = i;
    }
    while (engine.step()) {
    }
    std::vector<bool> over(open.size());
    for (const policy::FinishedRequest& finished : engine.take_finished()) {
      const std::size_t i = asked.at(finished.handle);
      Lines& lines = open[i];
      const proto::Completion& drawn = finished.reply.completions(0);
      tally.tokens += static_cast<std::uint64_t>(drawn.token_ids_size());
      const bool ends = drawn.text().starts_with("```") && dsl::read_beginning(lines.source).whole;
      if (ends) {
        ++tally.answers;
        look_at(kOpening + lines.source + "```", tally);
        over[i] = true;
      } else if (drawn.text().find('\n') != std::string::npos &&
                 dsl::read_beginning(lines.source + drawn.text()).right) {
        lines.source += drawn.text();
        lines.tokens.insert(lines.tokens.end(), drawn.token_ids().begin(), drawn.token_ids().end());
        over[i] = static_cast<int>(lines.tokens.size()) >= tokens;
        tally.answers += over[i];
      }
    }
    std::vector<Lines> rest;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (!over[i]) rest.push_back(std::move(open[i]));
    open = std::move(rest);
  }
  tally.answers += static_cast<int>(open.size());
  tally.seconds = monotonic_seconds() - began;
  return tally;
}

void print(const std::string& name, const Tally& tally) {
  std::printf(
      "%-5s %d answers, %d ended, %d of these without a program, %d parse, %d lower; %llu tokens, %.1f a second\n",
      name.c_str(), tally.answers, tally.ended, tally.empty, tally.parsed, tally.lowered,
      static_cast<unsigned long long>(tally.tokens), static_cast<double>(tally.tokens) / tally.seconds);
  for (const auto& [what, counts] :
       {std::pair("not parsed", tally.unparsed), std::pair("not lowered", tally.refused)}) {
    std::vector<std::pair<int, std::string>> rules;
    for (const auto& [rule, count] : counts) rules.emplace_back(count, rule);
    std::sort(rules.rbegin(), rules.rend());
    for (const auto& [count, rule] : rules) std::printf("     %5d  %s: %s\n", count, what, rule.c_str());
  }
}

int bench(int argc, char** argv) {
  std::string model = "smollm2-135m-instruct", grammar = "both";
  int answers = 64, batch = 16, tokens = 256, threads = 0, seed = 7, budget = 16384;
  Options options("grammar_bench", "Answers with and without the grammar of the DSL.");
  options.add("model", model, "the model").add("answers", answers, "answers of each kind").range(1, 1e6);
  options.add("batch", batch, "answers at once").range(1, 4096).add("max-new-tokens", tokens, "longest answer");
  options.add("threads", threads, "threads; 0: one for each CPU")
      .add("seed", seed, "of the first prompt's answers; the others follow")
      .add("grammar", grammar, "which")
      .choices({"dsl", "off", "both", "lines"});
  options.add("tokens", budget, "drawn by lines").range(1, 1e9);
  if (!options.parse(argc, argv)) return 0;
  policy::known_grammars()["dsl"] = &grammar::make_dsl_grammar;
  const policy::LoadedModel loaded = policy::load_model(policy::find_model(model));
  policy::EngineOptions engine_options{
      .max_batch = batch, .dtype = policy::sampling_dtype("auto", "cpu"), .threads = threads};
  policy::GenerationEngine engine(loaded.config, loaded.tokenizer, loaded.chat_template, engine_options);
  engine.set_weights(policy::pack_weights(loaded.config, loaded.weights, "cpu", engine_options.dtype), 1);
  if (grammar == "lines")
    print("lines", run_lines(engine, loaded, batch, tokens, seed, static_cast<std::uint64_t>(budget)));
  if (grammar == "off" || grammar == "both") print("off", run(engine, "", answers, tokens, seed));
  if (grammar == "dsl" || grammar == "both") print("dsl", run(engine, "dsl", answers, tokens, seed));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  kg::start_logging("grammar_bench");
  return kg::run_program([&] { return bench(argc, argv); });
}
