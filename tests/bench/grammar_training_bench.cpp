// What the masks of a grammar cost in training: gradients of the same answers with the sets that the sampler recorded,
// and as if they had been drawn from the whole vocabulary, in turns.
//
//   grammar_training_bench [--model M] [--answers N] [--rounds R]
#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "grammar/dsl_grammar.h"
#include "policy/files/model_io.h"
#include "policy/generation/generator_engine.h"
#include "trainer/answer_loss.h"
#include "trainer/trainable.h"

namespace {

using namespace kg;

proto::GenerateReply sample(const policy::LoadedModel& loaded, int answers) {
  const policy::EngineOptions options{.max_batch = answers, .dtype = policy::sampling_dtype("auto", "cpu")};
  policy::GenerationEngine engine(loaded.config, loaded.tokenizer, loaded.chat_template, options);
  engine.set_weights(policy::pack_weights(loaded.config, loaded.weights, "cpu", options.dtype), 1);
  proto::GenerateRequest request;
  proto::ChatMessage& message = *request.add_messages();
  message.set_role("user");
  message.set_content("Write the kernel add_scale in the DSL for 48 cores.\nx: half[8, 2048]\nz = x * 0.5");
  request.set_count(static_cast<std::uint32_t>(answers));
  request.mutable_sampling()->set_temperature(1);
  request.mutable_sampling()->set_max_new_tokens(256);
  request.mutable_sampling()->set_seed(7);
  request.mutable_sampling()->set_grammar("dsl");
  return policy::generate_all(engine, {request}).front();
}

// Seconds of a forward and backward pass over all rows.
double pass(trainer::Trainable& trained, const std::vector<trainer::PackedRow>& rows,
            const std::vector<std::vector<proto::KeptSet>>& kept, const proto::SamplingParameters& sampling) {
  const double began = monotonic_seconds();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    trainer::KeptSets sets;
    if (!sampling.grammar().empty())
      for (const proto::KeptSet& set : kept[i]) sets.push_back(&set);
    trained.accumulate(trainer::answer_loss(trained.model(), rows[i], sampling, sets,
                                            [](const at::Tensor& log_prob, std::int64_t) { return -log_prob.sum(); }));
  }
  const double seconds = monotonic_seconds() - began;
  trained.discard_gradients();
  return seconds;
}

int bench(int argc, char** argv) {
  std::string model = "smollm2-135m-instruct";
  int answers = 16, rounds = 5;
  Options options("grammar_training_bench", "The cost of a grammar's masks in training.");
  options.add("model", model, "the model").add("answers", answers, "answers").range(1, 4096);
  options.add("rounds", rounds, "passes of each kind").range(1, 1000);
  if (!options.parse(argc, argv)) return 0;
  policy::known_grammars()["dsl"] = &grammar::make_dsl_grammar;
  const policy::LoadedModel loaded = policy::load_model(policy::find_model(model));
  const proto::GenerateReply reply = sample(loaded, answers);
  std::vector<trainer::PackedRow> rows;
  std::vector<std::vector<proto::KeptSet>> kept;
  std::size_t tokens = 0, left = 0;
  for (const proto::Completion& completion : reply.completions()) {
    trainer::Document document;
    document.ids.assign(completion.prompt_ids().begin(), completion.prompt_ids().end());
    document.prompt_length = completion.prompt_ids_size();
    document.ids.insert(document.ids.end(), completion.token_ids().begin(), completion.token_ids().end());
    rows.push_back(trainer::assemble_row({&document}));
    kept.push_back(proto::read_kept_sets(completion.kept(), static_cast<std::size_t>(completion.token_ids_size()),
                                         loaded.config.vocabulary));
    tokens += kept.back().size();
    for (const proto::KeptSet& set : kept.back()) left += set.tokens.size();
  }
  std::printf("%d answers, %zu tokens, %zu kept for each in the mean\n", answers, tokens, left / tokens);
  trainer::Trainable trained(loaded.config, loaded.weights, trainer::resolve_dtype("auto"), {});
  const proto::SamplingParameters masked = reply.completions(0).sampling(), whole = trainer::plain_distribution();
  pass(trained, rows, kept, whole);
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    const double without = pass(trained, rows, kept, whole), with = pass(trained, rows, kept, masked);
    std::printf("without %.2f s, with %.2f s: %.3f\n", without, with, with / without);
    ratios.push_back(with / without);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("median %.3f\n", ratios[ratios.size() / 2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  kg::start_logging("grammar_training_bench");
  return kg::run_program([&] { return bench(argc, argv); });
}
