// Answers in the DSL of a model that need not know it, with and without the grammar: how many end, parse, and what the
// checker says of them; what the grammar costs.
//
//   grammar_bench [--model M] [--answers N] [--batch B] [--max-new-tokens T] [--grammar dsl|off|both]
//     [--seed S]
#include <algorithm>
#include <cstdio>
#include <map>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "dataset/store/answer.h"
#include "dsl/lower.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"
#include "grammar/dsl_grammar.h"
#include "policy/files/model_io.h"
#include "policy/generation/generator_engine.h"

namespace {

using namespace kg;

constexpr const char* kPrompts[] = {
    "Write the kernel relu in the DSL for 48 cores.\nx: float[4096, 512]\ny = max(x, 0)",
    "Write the kernel softmax in the DSL for 48 cores.\nx: half[64, 1000]\ny = exp(x - max(x)) / sum(exp(x - max(x))) "
    "along rows",
    "Write the kernel add_scale in the DSL for 48 cores.\nx: half[8, 2048], y: half[8, 2048]\nz = (x + y) * 0.5",
    "Write the kernel mse in the DSL for 48 cores.\np: float[100000], t: float[100000]\nz = mean of (p - t) squared"};

struct Tally {
  int answers = 0, ended = 0, parsed = 0, lowered = 0;
  std::uint64_t tokens = 0;
  double seconds = 0;
  std::map<std::string, int> refused;  // by the checker's rule
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

void look_at(const proto::Completion& completion, Tally& tally) {
  ++tally.answers;
  tally.tokens += static_cast<std::uint64_t>(completion.token_ids_size());
  if (completion.truncated()) return;
  ++tally.ended;
  const std::string kernel = dataset::extract_kernel(completion.text(), proto::DSL).kernel;
  if (kernel.empty()) {
    std::printf("ended without a kernel:\n%s\n", completion.text().c_str());
    return;
  }
  dsl::LowerOptions options;
  try {
    for (const dsl::Parameter& parameter : dsl::parse(kernel).parameters)
      for (const dsl::ExprPtr& extent : parameter.extents)
        if (extent->kind == dsl::Expr::Kind::kName) options.bindings.names[extent->text] = 256;
  } catch (const dsl::Refusal& refusal) {
    std::printf("does not parse: %s\n%s\n", refusal.what(), completion.text().c_str());
    return;
  }
  ++tally.parsed;
  const dsl::Lowered lowered = dsl::lower(kernel, options);
  if (lowered.ok)
    ++tally.lowered;
  else
    ++tally.refused[rule_of(lowered.refusal)];
}

Tally run(policy::GenerationEngine& engine, const std::string& grammar, int answers, int tokens, int seed) {
  Tally tally;
  std::vector<proto::GenerateRequest> requests;
  const int prompts = static_cast<int>(std::size(kPrompts));
  for (int i = 0; i < prompts; ++i) {
    proto::GenerateRequest& request = requests.emplace_back();
    request.set_request_id(static_cast<std::uint64_t>(i) + 1);
    proto::ChatMessage& message = *request.add_messages();
    message.set_role("user");
    message.set_content(kPrompts[i]);
    request.set_count(static_cast<std::uint32_t>((answers + prompts - 1 - i) / prompts));
    proto::SamplingParameters& sampling = *request.mutable_sampling();
    sampling.set_temperature(1);
    sampling.set_max_new_tokens(tokens);
    sampling.set_seed(static_cast<std::uint64_t>(seed + i));
    sampling.set_grammar(grammar);
    if (request.count() == 0) requests.pop_back();
  }
  const double began = monotonic_seconds();
  for (const proto::GenerateReply& reply : policy::generate_all(engine, requests)) {
    if (!reply.error().empty()) std::printf("%s\n", reply.error().c_str());
    for (const proto::Completion& completion : reply.completions()) look_at(completion, tally);
  }
  tally.seconds = monotonic_seconds() - began;
  return tally;
}

void print(const std::string& name, const Tally& tally) {
  std::printf("%-4s %d answers, %d ended, %d of these parse, %d lower; %.1f tokens/s\n", name.c_str(), tally.answers,
              tally.ended, tally.parsed, tally.lowered, static_cast<double>(tally.tokens) / tally.seconds);
  std::vector<std::pair<int, std::string>> rules;
  for (const auto& [rule, count] : tally.refused) rules.emplace_back(count, rule);
  std::sort(rules.rbegin(), rules.rend());
  for (const auto& [count, rule] : rules) std::printf("     %5d  %s\n", count, rule.c_str());
}

int bench(int argc, char** argv) {
  std::string model = "smollm2-135m-instruct", grammar = "both";
  int answers = 64, batch = 16, tokens = 256, threads = 0, seed = 7;
  Options options("grammar_bench", "Answers with and without the grammar of the DSL.");
  options.add("model", model, "the model").add("answers", answers, "answers of each kind").range(1, 1e6);
  options.add("batch", batch, "answers at once").range(1, 4096).add("max-new-tokens", tokens, "longest answer");
  options.add("threads", threads, "threads; 0: one for each CPU")
      .add("seed", seed, "of the first prompt's answers; the others follow")
      .add("grammar", grammar, "which")
      .choices({"dsl", "off", "both"});
  if (!options.parse(argc, argv)) return 0;
  policy::known_grammars()["dsl"] = &grammar::make_dsl_grammar;
  const policy::LoadedModel loaded = policy::load_model(policy::find_model(model));
  policy::EngineOptions engine_options{
      .max_batch = batch, .dtype = policy::sampling_dtype("auto", "cpu"), .threads = threads};
  policy::GenerationEngine engine(loaded.config, loaded.tokenizer, loaded.chat_template, engine_options);
  engine.set_weights(policy::pack_weights(loaded.config, loaded.weights, "cpu", engine_options.dtype), 1);
  if (grammar != "dsl") print("off", run(engine, "", answers, tokens, seed));
  if (grammar != "off") print("dsl", run(engine, "dsl", answers, tokens, seed));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  kg::start_logging("grammar_bench");
  return kg::run_program([&] { return bench(argc, argv); });
}
