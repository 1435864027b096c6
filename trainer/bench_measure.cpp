#include "trainer/bench_measure.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <set>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "dataset/store/dataset.h"
#include "policy/files/huggingface_model.h"
#include "policy/files/model_io.h"
#include "policy/generation/generator_engine.h"
#include "policy/model/device.h"
#include "policy/model/parameter_layout.h"
#include "trainer/answer_loss.h"
#include "trainer/rl_update.h"
#include "trainer/runtime.h"
#include "trainer/sft_data.h"
#include "trainer/trainable.h"

namespace kg::trainer {
namespace {

using nlohmann::json;

struct Bench {
  const BenchOptions& options;
  at::Device device;
  std::string dtype;
  int threads;
  policy::ModelConfig config;
  std::vector<policy::NamedTensor> weights;
  std::vector<Document> documents;  // from --data
};

Bench open_bench(const BenchOptions& options) {
  const at::Device device = policy::open_device(options.device);
  Bench bench{.options = options,
              .device = device,
              .dtype = resolve_dtype(options.dtype, device),
              .threads = set_threads(options.threads)};
  if (options.model.ends_with(".json")) {
    bench.config = policy::load_huggingface_config(options.model);
    for (const policy::ParameterShape& p : policy::parameter_layout(bench.config))
      bench.weights.push_back(
          {p.name, p.shape.size() == 1 ? at::ones(p.shape, device) : at::randn(p.shape, device).mul_(0.02)});
  } else {
    policy::LoadedModel model = policy::load_model(policy::find_model(options.model));
    bench.config = model.config;
    if (!options.data.empty()) bench.documents = bench_documents(options, model);
    bench.weights = std::move(model.weights);
  }
  bench.config.eos_id = -1;  // answers go to their last token
  return bench;
}

// Runs `work` and writes what CPU and device did.
template <typename Work>
void trace(const Bench& bench, Work work) {
  if (bench.options.trace.empty()) return;
  namespace impl = torch::profiler::impl;
  std::set<impl::ActivityType> activities{impl::ActivityType::CPU};
  if (bench.device.is_cuda()) activities.insert(impl::ActivityType::CUDA);
  const impl::ProfilerConfig config(impl::ProfilerState::KINETO);
  torch::autograd::profiler::prepareProfiler(config, activities);
  torch::autograd::profiler::enableProfiler(config, activities);
  work();
  torch::autograd::profiler::disableProfiler()->save(bench.options.trace);
}

// Waits until the device has done all it was given.
void wait(const at::Tensor& x) { x.reshape({-1})[0].item<float>(); }

// Matrices that tokens are multiplied with. An embedding is one only if it is the head too.
std::vector<std::vector<std::int64_t>> matrices(const policy::ModelConfig& config) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const policy::ParameterShape& p : policy::parameter_layout(config))
    if (p.shape.size() == 2 && (config.tied_embedding || p.name != "model.embed_tokens.weight"))
      shapes.push_back(p.shape);
  return shapes;
}

// Operations of forward and backward for each token: two for each weight forward, four backward, and causal attention.
double operations_per_token(const policy::ModelConfig& config, double length) {
  double weights = 0;
  for (const auto& shape : matrices(config)) weights += static_cast<double>(shape[0] * shape[1]);
  return 6 * weights + 6 * length * static_cast<double>(config.layers * config.heads * config.head_size);
}

// Operations a second of the product of `tokens` rows with the matrix of the model that multiplies fastest.
double product_rate(const Bench& bench, std::int64_t tokens) {
  const at::TensorOptions type =
      at::TensorOptions().device(bench.device).dtype(bench.dtype == "bfloat16" ? at::kBFloat16 : at::kFloat);
  double best = 0;
  const auto all = matrices(bench.config);
  for (const auto& shape : std::set<std::vector<std::int64_t>>(all.begin(), all.end())) {
    const std::int64_t rows = std::min(tokens, (std::int64_t{1} << 30) / shape[0]);
    const at::Tensor x = at::randn({rows, shape[1]}, type), w = at::randn(shape, type);
    for (int i = 0; i < 5; ++i) {
      const double start = monotonic_seconds();
      at::Tensor y;
      for (int j = 0; j < 4; ++j) y = at::mm(x, w.t());
      wait(y);
      best = std::max(best, 4 * 2.0 * static_cast<double>(x.numel() * shape[0]) / (monotonic_seconds() - start));
    }
  }
  return best;
}

PackedRow drawn_row(const Bench& bench) {
  const std::int64_t documents = bench.options.documents, length = bench.options.length;
  PackedRow row;
  const at::Tensor ids = at::randint(bench.config.vocabulary, {documents * length}, at::kLong);
  row.ids.assign(ids.const_data_ptr<std::int64_t>(), ids.const_data_ptr<std::int64_t>() + ids.numel());
  for (std::int64_t d = 0; d < documents; ++d) {
    row.segments.push_back({d * length, (d + 1) * length});
    for (std::int64_t t = d * length; t + 1 < (d + 1) * length; ++t) {
      row.loss_positions.push_back(t);
      row.targets.push_back(row.ids[static_cast<std::size_t>(t + 1)]);
    }
  }
  return row;
}

json measure_sft(Bench& bench) {
  const BenchOptions& options = bench.options;
  Trainable trainable(bench.config, bench.weights, bench.dtype, {.device = bench.device});
  bench.weights.clear();
  const auto step = [&] {
    for (std::int64_t r = 0; r < options.rows; ++r) {
      const PackedRow row = drawn_row(bench);
      const double answers = static_cast<double>(options.rows) * static_cast<double>(row.targets.size());
      trainable.accumulate(
          answer_loss(trainable.model(), row, plain_distribution(), /*kept=*/{},
                      [&](const at::Tensor& log_prob, std::int64_t) { return log_prob.sum() / -answers; }));
    }
    trainable.step(/*learning_rate=*/1e-5, /*clip_norm=*/1.0);
    wait(trainable.masters().front().tensor);
  };
  double best = 0;
  for (std::int64_t i = 0; i <= options.steps; ++i) {
    const double start = monotonic_seconds();
    step();
    const double taken = monotonic_seconds() - start;
    if (i == 1 || (i > 1 && taken < best)) best = taken;
  }
  trace(bench, step);
  const auto tokens = static_cast<double>(options.rows * options.documents * options.length);
  return {
      {"seconds", best},
      {"rate", tokens / best},
      {"teraflops", operations_per_token(bench.config, static_cast<double>(options.length)) * tokens / best * 1e-12},
      {"product_teraflops", product_rate(bench, options.documents * options.length) * 1e-12}};
}

// Steps like those of `kgtrain sft`: documents in order, packed into rows, loss on the answers.
json measure_sft_on_data(Bench& bench) {
  const BenchOptions& options = bench.options;
  Trainable trainable(bench.config, bench.weights, bench.dtype, {.device = bench.device});
  bench.weights.clear();
  std::vector<std::int64_t> lengths;
  for (const Document& document : bench.documents) lengths.push_back(static_cast<std::int64_t>(document.ids.size()));
  DocumentOrder order(lengths, /*seed=*/1);
  DataPosition position;
  double seconds = 0, samples = 0;
  for (std::int64_t i = 0; i <= options.steps; ++i) {
    const double start = monotonic_seconds();
    const std::vector<std::size_t> taken = order.next(options.batch_tokens, position);
    double answers = 0;
    for (const std::size_t d : taken) answers += static_cast<double>(lengths[d] - bench.documents[d].prompt_length);
    for (const auto& members : pack_rows(taken, lengths, options.length)) {
      std::vector<const Document*> pointers;
      for (const std::size_t d : members) pointers.push_back(&bench.documents[d]);
      trainable.accumulate(
          answer_loss(trainable.model(), assemble_row(pointers), plain_distribution(), /*kept=*/{},
                      [&](const at::Tensor& log_prob, std::int64_t) { return log_prob.sum() / -answers; }));
    }
    trainable.step(/*learning_rate=*/1e-5, /*clip_norm=*/1.0);
    wait(trainable.masters().front().tensor);
    if (i == 0) continue;
    seconds += monotonic_seconds() - start;
    samples += static_cast<double>(taken.size());
  }
  return {{"seconds", seconds}, {"rate", samples / seconds}};
}

proto::SamplingParameters sampling(std::int64_t fresh) {
  proto::SamplingParameters parameters = plain_distribution();
  parameters.set_max_new_tokens(static_cast<std::int32_t>(fresh));
  return parameters;
}

policy::GenerationEngine open_engine(const Bench& bench, const std::string& dtype) {
  const int batch = static_cast<int>(bench.options.prompts * bench.options.completions);
  return {bench.config,
          nullptr,
          {},
          {.max_batch = batch, .device = bench.options.device, .dtype = dtype, .threads = bench.threads}};
}

struct Sampled {
  std::vector<policy::FinishedRequest> answers;
  double prompt_seconds = 0, decode_seconds = 0;
};

Sampled sample(const Bench& bench, policy::GenerationEngine& engine, std::int64_t fresh, std::uint64_t seed) {
  const BenchOptions& options = bench.options;
  for (std::int64_t p = 0; p < options.prompts; ++p) {
    proto::GenerateRequest request;
    request.set_request_id(static_cast<std::uint64_t>(p));
    request.set_count(static_cast<std::uint32_t>(options.completions));
    *request.mutable_sampling() = sampling(fresh);
    request.mutable_sampling()->set_seed(seed * 1000 + static_cast<std::uint64_t>(p));
    std::vector<std::int32_t> prompt;
    for (std::int64_t t = 0; t < options.prompt_tokens; ++t)
      prompt.push_back(static_cast<std::int32_t>((t * 7919 + p * 104729) % bench.config.vocabulary));
    engine.submit_tokens(request, prompt);
  }
  Sampled result;
  const double start = monotonic_seconds();
  while (engine.step())
    if (result.prompt_seconds == 0 && engine.counts().waiting == 0) result.prompt_seconds = monotonic_seconds() - start;
  result.decode_seconds = monotonic_seconds() - start - result.prompt_seconds;
  result.answers = engine.take_finished();
  return result;
}

// Bytes per second that all threads together read from memory beyond the caches: in a copy, and by reading only.
struct Bandwidth {
  double of_a_copy = 0, of_reading = 0;
};

Bandwidth bandwidth() {
  constexpr std::int64_t kWords = std::int64_t{64} << 20;  // 512 MiB
  const at::Tensor from = at::ones({kWords}, at::kLong), to = at::ones({kWords}, at::kLong);
  const std::int64_t* const in = from.const_data_ptr<std::int64_t>();
  std::int64_t* const out = to.mutable_data_ptr<std::int64_t>();
  Bandwidth best;
  const auto rate = [&](const auto& work) {
    const double start = monotonic_seconds();
    at::parallel_for(0, kWords, kWords / at::get_num_threads(), work);
    return static_cast<double>(kWords) * 8 / (monotonic_seconds() - start);
  };
  for (int i = 0; i < 5; ++i) {
    best.of_a_copy =
        std::max(best.of_a_copy,
                 rate([&](std::int64_t begin, std::int64_t end) { std::copy(in + begin, in + end, out + begin); }));
    std::atomic<std::int64_t> sum{0};
    best.of_reading = std::max(best.of_reading, rate([&](std::int64_t begin, std::int64_t end) {
                                 std::int64_t own[4] = {};
                                 for (std::int64_t j = begin; j + 4 <= end; j += 4)
                                   for (int k = 0; k < 4; ++k) own[k] += in[j + k];
                                 sum += own[0] + own[1] + own[2] + own[3];
                               }));
    KG_CHECK_GE(sum.load(), kWords - 4 * at::get_num_threads());
  }
  return best;
}

// Bytes of the matrices that each token of an answer is multiplied with.
double bytes_of_a_token(const Bench& bench) {
  double weights = 0;
  for (const auto& shape : matrices(bench.config)) weights += static_cast<double>(shape[0] * shape[1]);
  return weights * (bench.dtype == "int8" ? 1 : bench.dtype == "bfloat16" ? 2 : 4);
}

json measure_decode(Bench& bench) {
  const BenchOptions& options = bench.options;
  policy::GenerationEngine engine = open_engine(bench, bench.dtype);
  engine.set_weights(policy::pack_weights(bench.config, bench.weights, options.device, bench.dtype), /*version=*/1);
  sample(bench, engine, /*fresh=*/8, /*seed=*/99);
  Sampled best;
  for (std::int64_t i = 0; i < options.steps; ++i) {
    Sampled now = sample(bench, engine, options.new_tokens, static_cast<std::uint64_t>(i));
    if (i == 0 || now.decode_seconds < best.decode_seconds) best = std::move(now);
  }
  trace(bench, [&] { sample(bench, engine, /*fresh=*/16, /*seed=*/99); });
  const auto answers = static_cast<double>(options.prompts * options.completions);
  const double rate = answers * static_cast<double>(options.new_tokens) / best.decode_seconds;
  json result = {{"seconds", best.decode_seconds}, {"rate", rate}, {"prompt_seconds", best.prompt_seconds}};
  if (bench.device.is_cpu() && answers == 1) {
    const Bandwidth memory = bandwidth();
    result["weights_read"] = rate * bytes_of_a_token(bench) * 1e-9;
    result["copy_reads"] = memory.of_a_copy * 1e-9;
    result["reading"] = memory.of_reading * 1e-9;
  }
  return result;
}

// Answers as workers would send them, rewarded by their share of even tokens.
std::vector<rollout::FinishedWork> rewarded(const std::vector<policy::FinishedRequest>& answers) {
  std::vector<rollout::FinishedWork> works;
  for (const policy::FinishedRequest& done : answers) {
    rollout::FinishedWork& work = works.emplace_back();
    for (const proto::Completion& completion : done.reply.completions()) {
      proto::Rollout& rollout = work.rollouts.emplace_back();
      *rollout.mutable_completion() = completion;
      rollout.mutable_verdict()->set_reward_valid(true);
      const auto even = std::count_if(completion.token_ids().begin(), completion.token_ids().end(),
                                      [](std::int32_t token) { return token % 2 == 0; });
      rollout.mutable_verdict()->set_reward(static_cast<double>(even) / completion.token_ids_size());
    }
  }
  return works;
}

json measure_grpo(Bench& bench) {
  const BenchOptions& options = bench.options;
  Trainable trainable(bench.config, bench.weights, bench.dtype, {.device = bench.device});
  bench.weights.clear();
  policy::GenerationEngine engine = open_engine(bench, bench.dtype);
  json best;
  for (std::int64_t i = 0; i <= options.steps; ++i) {
    const double begin = monotonic_seconds();
    const auto version = static_cast<std::uint64_t>(i + 1);
    engine.set_weights(policy::pack_weights(bench.config, trainable.weights(), options.device, bench.dtype), version);
    const Sampled sampled = sample(bench, engine, options.new_tokens, version);
    const double middle = monotonic_seconds();
    const RlBatch batch = make_batch(rewarded(sampled.answers), {}, version, bench.config.vocabulary);
    const UpdateResult update =
        update_policy(trainable, /*reference=*/nullptr, batch,
                      {.rows = {.row_tokens = bench.device.is_cpu() ? 2048 : 32768}, .sampling = sampling(1)});
    wait(trainable.masters().front().tensor);
    const double end = monotonic_seconds();
    if (i == 0 || (i > 1 && end - begin >= best["seconds"].get<double>())) continue;
    best = {{"seconds", end - begin},
            {"rate", static_cast<double>(options.prompts * options.completions) / (end - begin)},
            {"sample_seconds", middle - begin},
            {"train_seconds", end - middle},
            {"log_prob_difference", update.difference_mean}};
  }
  return best;
}

}  // namespace

std::vector<Document> bench_documents(const BenchOptions& options, const policy::LoadedModel& model) {
  const auto data = dataset::Dataset::open(dataset::find_dataset(options.data), dataset::OpenMode::kRead);
  return load_sft_data(*data, model, {.split = "train", .longest = options.length}).documents;
}

json measure_bench(const BenchOptions& options) {
  Bench bench = open_bench(options);
  const auto measure = options.what == "grpo"     ? measure_grpo
                       : options.what == "decode" ? measure_decode
                       : options.data.empty()     ? measure_sft
                                                  : measure_sft_on_data;
  json result = measure(bench);
  struct rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  result["peak_mib"] = usage.ru_maxrss / 1024;
  result["dtype"] = bench.dtype;
  return result;
}

}  // namespace kg::trainer
