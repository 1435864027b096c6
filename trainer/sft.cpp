#include "trainer/sft.h"

#include <ATen/TensorOperators.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "dataset/store/dataset.h"
#include "policy/files/adapter_io.h"
#include "policy/files/model_io.h"
#include "policy/model/device.h"
#include "trainer/answer_loss.h"
#include "trainer/checkpoint.h"
#include "trainer/packing.h"
#include "trainer/progress.h"
#include "trainer/replicas.h"
#include "trainer/run_folder.h"
#include "trainer/runtime.h"
#include "trainer/schedule.h"
#include "trainer/sft_data.h"
#include "trainer/sft_options.h"
#include "trainer/stop_signal.h"
#include "trainer/trainable.h"

namespace kg::trainer {
namespace {

// How far a run goes: at most `steps` steps, ending early at `end_epoch`.
struct Plan {
  std::int64_t steps = 0;
  std::uint64_t end_epoch = ~0ULL;
  std::int64_t tokens = 0;
};

Plan make_plan(const SftOptions& options, const SftData& data) {
  Plan plan;
  if (options.steps == 0 && options.tokens == 0) {
    plan.end_epoch = static_cast<std::uint64_t>(std::ceil(options.epochs));
    if (options.epochs < static_cast<double>(plan.end_epoch))  // part of an epoch is a number of tokens
      plan.tokens = static_cast<std::int64_t>(options.epochs * static_cast<double>(data.tokens));
  }
  const std::int64_t token_limit = options.steps > 0 ? 0 : std::max(plan.tokens, options.tokens);
  plan.tokens = 0;
  DocumentOrder order(data.lengths, options.seed);
  DataPosition position;
  while ((options.steps == 0 || plan.steps < options.steps) && (token_limit == 0 || plan.tokens < token_limit)) {
    const auto documents = order.next(options.batch_tokens, position, plan.end_epoch);
    if (documents.empty()) break;
    for (const std::size_t document : documents) plan.tokens += data.lengths[document];
    ++plan.steps;
  }
  return plan;
}

struct StepResult {
  double loss = 0;
  std::int64_t tokens = 0;
  StepOutcome outcome;
};

// Of several processes that train together, each takes its share of the step's rows.
StepResult train_step(Trainable& trainable, const Replicas& replicas, const SftData& data,
                      const std::vector<std::size_t>& documents, const SftOptions& options, double rate) {
  StepResult result;
  double answers = 0;
  for (const std::size_t document : documents) {
    result.tokens += data.lengths[document];
    answers += static_cast<double>(data.lengths[document] - data.documents[document].prompt_length);
  }
  const auto rows = pack_rows(documents, data.lengths, options.sequence_length);
  for (auto row_number = static_cast<std::size_t>(replicas.rank()); row_number < rows.size();
       row_number += static_cast<std::size_t>(replicas.size())) {
    std::vector<const Document*> pointers;
    for (const std::size_t document : rows[row_number]) pointers.push_back(&data.documents[document]);
    const PackedRow row = assemble_row(pointers);
    // Divided by the answer tokens of the whole step, so that the rows of a step add up to its mean.
    const at::Tensor loss =
        answer_loss(trainable.model(), row, plain_distribution(),
                    [&](const at::Tensor& log_prob, std::int64_t) { return log_prob.sum() / -answers; });
    const double value = loss.item<double>();
    result.loss += value;
    if (!std::isfinite(value)) break;
    trainable.accumulate(loss);
  }
  result.loss = replicas.sum(std::vector<double>{result.loss}).front();
  if (!std::isfinite(result.loss)) {
    trainable.discard_gradients();
    result.outcome.skipped = "the loss is not finite";
    return result;
  }
  result.outcome = trainable.step(rate, options.clip_norm);
  return result;
}

double estimated_gigabytes(const std::vector<policy::NamedTensor>& weights, const policy::ModelConfig& config,
                           const SftOptions& options, const std::string& dtype) {
  double count = 0;
  for (const policy::NamedTensor& weight : weights) count += static_cast<double>(weight.tensor.numel());
  const double element = dtype == "bfloat16" ? 2 : 4;
  // Masters, two moments and gradients in fp32, a compute copy with gradients in bf16; about 12 activations of the
  // width and 5 of the FFN a layer and token are kept for the backward pass.
  const double state = count * (16 + (element == 2 ? 4 : 0));
  const double kept = static_cast<double>(options.sequence_length * config.layers) *
                      static_cast<double>(12 * config.width + 5 * config.ffn_width) * element;
  return (state + kept) / 1e9;
}

}  // namespace

int run_sft(int argc, const char* const* argv) {
  SftOptions options;
  fs::path folder;
  nlohmann::json resolved;
  if (!parse_run_options(argc, argv, "sft", options, folder, resolved)) return 0;
  watch_stop_signals();
  const Replicas replicas;
  if (!replicas.alone() && options.out.empty())
    throw Error("processes that train together need one run folder", "--out", "name it");
  const int threads = set_threads(options.threads);
  const at::Device device = policy::open_device(options.device);
  const std::string dtype = resolve_dtype(options.dtype, device);

  const fs::path data_path = fs::absolute(dataset::find_dataset(options.data));
  const fs::path model_path = fs::absolute(policy::find_model(options.model));
  policy::LoadedModel loaded = policy::load_model(model_path);
  const SftData data = load_sft_data(*dataset::Dataset::open(data_path, dataset::OpenMode::kRead), loaded,
                                     {.split = options.split,
                                      .kind = options.kind,
                                      .style = options.style,
                                      .prompt_form = options.prompt_form,
                                      .judge_version = options.judge_version,
                                      .language = options.language,
                                      .longest = options.sequence_length});
  const Plan plan = make_plan(options, data);

  resolved["threads"] = threads;
  resolved["dtype"] = dtype;
  resolved["data"] = data_path.string();
  resolved["model"] = model_path.string();
  nlohmann::json config = {{"command", "sft"},
                           {"data", data_path.string()},
                           {"model", model_path.string()},
                           {"run", folder.string()},
                           {"options", resolved},
                           {"steps", plan.steps},
                           {"tokens", plan.tokens},
                           {"judge_version", data.judge_version},
                           {"samples", data.documents.size()},
                           {"samples_left_out", data.left_out},
                           {"data_tokens", data.tokens},
                           {"memory_gigabytes", estimated_gigabytes(loaded.weights, loaded.config, options, dtype)}};
  Trainable trainable(loaded.config, loaded.weights, dtype,
                      {.adamw = {.weight_decay = options.weight_decay},
                       .lora = lora_options(options),
                       .lora_seed = options.seed,
                       .recompute_layers = options.recompute_layers,
                       .replicas = &replicas,
                       .device = device});
  loaded.weights.clear();  // the trainable has its own
  if (options.dry_run) {
    // One row through the model and back tells the speed of this machine.
    const double begin = monotonic_seconds();
    const StepResult probe = train_step(trainable, replicas, data, {0}, options, 0.0);
    config["tokens_per_second"] = static_cast<double>(probe.tokens) / (monotonic_seconds() - begin);
    config["estimated_seconds"] = static_cast<double>(plan.tokens) / config["tokens_per_second"].get<double>();
    std::printf("%s\n", config.dump(2).c_str());
    return 0;
  }

  // The first process has the run; the others compute, and read its checkpoint when it resumes.
  std::optional<RunFolder> run;
  if (replicas.first()) run.emplace(folder, "sft");
  replicas.sum(std::vector<double>{0});  // until the folder is there
  const Checkpoints checkpoints(fs::canonical(folder), options.keep_checkpoints);
  RunState state{
      .command = "sft", .seed = options.seed, .threads = threads, .dtype = dtype, .data_fingerprint = data.fingerprint};
  if (!options.resume && (checkpoints.newest() || (run && fs::exists(run->path() / "config.json"))))
    throw Error("the folder holds a run already", folder.string(), "go on with it by --resume, or name another --out");
  if (const auto newest = checkpoints.newest()) {
    state = checkpoints.load(*newest, trainable);
    if (state.data_fingerprint != data.fingerprint)
      throw Error("the samples are not those that the run began with", data_path.string(),
                  "give the data set and filters of the run, or start a new one");
    if (state.threads != threads || state.dtype != dtype)
      spdlog::warn("the run had {} threads and {}, now {} and {}: the weights will differ in their last bits",
                   state.threads, state.dtype, threads, dtype);
    state.threads = threads;
    state.dtype = dtype;
  }
  if (run) {
    run->write_config(config);
    run->drop_metrics_after(state.step);
  }

  const Schedule schedule{.peak = options.learning_rate,
                          .warmup_steps = std::llround(options.warmup * static_cast<double>(plan.steps)),
                          .total_steps = plan.steps,
                          .decay = options.decay,
                          .final_ratio = options.final_learning_rate};
  DocumentOrder order(data.lengths, options.seed);
  Progress progress("sft", state.step, plan.steps);
  if (run)
    progress.note("sft " + run->name() + ": " + std::to_string(data.documents.size()) + " samples (" +
                  std::to_string(data.left_out) + " too long), " + std::to_string(plan.tokens) + " tokens in " +
                  std::to_string(plan.steps) + " steps, " + dtype + ", " + std::to_string(threads) +
                  " threads, from step " + std::to_string(state.step));
  nlohmann::json status = {{"step", state.step}, {"steps", plan.steps}};
  if (run) run->write_status("running", status);
  const auto save = [&] {
    if (run)
      checkpoints.save(state, trainable, loaded);
    else
      trainable.moments();  // this process's share
    status["checkpoint"] = state.step;
  };

  const auto stop_wanted = [&] { return replicas.sum(std::vector<double>{stop_requested() ? 1.0 : 0.0}).front() > 0; };
  while (state.step < plan.steps && !stop_wanted()) {
    const double begin = monotonic_seconds();
    const auto documents = order.next(options.batch_tokens, state.position, plan.end_epoch);
    const double rate = learning_rate(schedule, state.step);
    const StepResult result = train_step(trainable, replicas, data, documents, options, rate);
    const double seconds = monotonic_seconds() - begin;
    ++state.step;
    state.tokens += result.tokens;
    state.seconds += seconds;
    if (!result.outcome.skipped.empty()) {
      ++state.skipped_steps;
      if (run) progress.note("step " + std::to_string(state.step) + " skipped: " + result.outcome.skipped);
    }
    const double speed = static_cast<double>(result.tokens) / seconds;
    nlohmann::json line = {{"step", state.step},
                           {"loss", result.loss},
                           {"learning_rate", rate},
                           {"tokens", state.tokens},
                           {"tokens_per_second", speed},
                           {"grad_norm", result.outcome.gradient_norm},
                           {"skipped_steps", state.skipped_steps}};
    if (!result.outcome.skipped.empty()) line["skipped"] = result.outcome.skipped;
    if (run) run->append_metrics(line);
    char details[96];
    std::snprintf(details, sizeof details, "loss %.4f  %.0f tokens/s", result.loss,
                  static_cast<double>(state.tokens) / state.seconds);
    if (run) progress.show(state.step, details);
    status.update({{"step", state.step},
                   {"loss", result.loss},
                   {"tokens", state.tokens},
                   {"tokens_per_second", static_cast<double>(state.tokens) / state.seconds}});
    if (run) run->write_status("running", status);
    if (options.checkpoint_every > 0 && state.step % options.checkpoint_every == 0 && state.step < plan.steps) {
      try {
        save();
      } catch (const Error& error) {
        progress.note("no checkpoint: " + error.full_message());  // the run goes on; the older ones stand
      }
    }
  }
  save();
  if (!run) return state.step < plan.steps ? stop_status() : 0;
  if (state.step < plan.steps) {
    run->write_status("stopped", status);
    progress.note("stopped after step " + std::to_string(state.step) + "; go on with: kgtrain sft --resume --out " +
                  run->path().string());
    return stop_status();
  }
  policy::export_model(run->path() / "model", loaded.config, trainable.weights(), loaded, "float32");
  if (trainable.has_adapters())
    policy::write_adapters(run->path() / "adapter", trainable.adapters(), model_path.string());
  run->link_as_latest();
  status["model"] = (run->path() / "model").string();
  run->write_status("finished", status);
  std::printf("%s\n", run->path().c_str());
  return 0;
}

}  // namespace kg::trainer
