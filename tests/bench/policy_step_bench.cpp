// Forward and backward of a model on packed documents, loss on all positions: prints one line of JSON.
//   policy_step_bench MODEL [documents] [tokens of each] [steps] [threads] [dtype] [chunk] [recompute]
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/program.h"
#include "policy/files/model_io.h"
#include "policy/model/memory.h"
#include "policy/model/token_log_prob.h"

using namespace kg;

namespace {

// Operations of forward and backward: two for each weight and token each way and twice that for both gradients, and
// the scores and sums of causal attention.
double operations(const policy::Transformer& model, std::int64_t documents, std::int64_t length) {
  double weights = 0;
  for (const policy::NamedTensor& parameter : model.parameters())
    if (parameter.tensor.dim() == 2 && (model.config().tied_embedding || parameter.name != "model.embed_tokens.weight"))
      weights += static_cast<double>(parameter.tensor.numel());
  const auto n = static_cast<double>(documents), t = static_cast<double>(length);
  const auto attention = static_cast<double>(model.config().layers * model.config().heads * model.config().head_size);
  return n * t * 6 * weights + n * t * t * 6 * attention;
}

// Operations a second of the products that make up most of a step, the best of a few.
double matmul_rate(const policy::ModelConfig& c, std::int64_t tokens, at::ScalarType type) {
  const at::Tensor x = at::randn({tokens, c.width}).to(type), w = at::randn({2 * c.ffn_width, c.width}).to(type);
  double best = 0;
  for (int i = 0; i < 6; ++i) {
    const double start = monotonic_seconds();
    for (int j = 0; j < 4; ++j) at::mm(x, w.t());
    best = std::max(best, 4 * 2.0 * static_cast<double>(x.numel() * w.size(0)) / (monotonic_seconds() - start));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] {
    const auto argument = [&](int i, std::int64_t fallback) { return argc > i ? std::atoll(argv[i]) : fallback; };
    const std::int64_t documents = argument(2, 2), length = argument(3, 1024), steps = argument(4, 3),
                       chunk = argument(7, 0);
    at::set_num_threads(static_cast<int>(argument(5, 2)));
    const std::string dtype = argc > 6 ? argv[6] : "float32";
    policy::LoadedModel loaded = policy::load_model(policy::find_model(argv[1]));
    for (policy::NamedTensor& weight : loaded.weights)
      weight.tensor = weight.tensor.to(dtype == "bfloat16" ? at::kBFloat16 : at::kFloat).requires_grad_(true);
    policy::Transformer model(loaded.config, std::move(loaded.weights));
    model.recompute_layers(argument(8, 0) != 0);
    const at::Tensor ids = at::randint(loaded.config.vocabulary, {documents * length}, at::kLong);
    const at::Tensor targets = at::cat({ids.slice(0, 1), ids.slice(0, 0, 1)});
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i < documents; ++i) starts.push_back(i * length);

    // Processor time beside wall time: the machine may be shared.
    const auto cpu_seconds = [] {
      struct timespec now{};
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
      return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    std::vector<double> seconds, cpu, hidden_cpu;
    double loss = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
      const double start = monotonic_seconds(), cpu_start = cpu_seconds();
      const at::Tensor hidden = model.hidden(ids, starts);
      hidden_cpu.push_back(cpu_seconds() - cpu_start);
      const at::Tensor total =
          policy::token_loss(hidden, model.head_weight(), targets, {.chunk = chunk},
                             [](const at::Tensor& log_prob, std::int64_t) { return log_prob.sum().neg(); });
      total.div(static_cast<double>(ids.numel())).backward();
      loss = total.item<double>() / static_cast<double>(ids.numel());
      for (const policy::NamedTensor& parameter : model.parameters()) parameter.tensor.mutable_grad().reset();
      policy::release_freed_memory_beyond(std::size_t{3} << 30);  // as training does
      seconds.push_back(monotonic_seconds() - start);
      cpu.push_back(cpu_seconds() - cpu_start);
    }
    const double peak =
        matmul_rate(model.config(), documents * length, dtype == "bfloat16" ? at::kBFloat16 : at::kFloat);
    struct rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const double best = *std::min_element(seconds.begin(), seconds.end());
    std::cout << nlohmann::json{{"tokens_per_second", static_cast<double>(ids.numel()) / best},
                                {"gigaflops", operations(model, documents, length) / best * 1e-9},
                                {"matmul_gigaflops", peak * 1e-9},
                                {"of_matmul_peak", operations(model, documents, length) / best / peak},
                                {"seconds", seconds},
                                {"cpu_seconds", cpu},
                                {"hidden_cpu_seconds", hidden_cpu},
                                {"loss", loss},
                                {"peak_mib", usage.ru_maxrss / 1024},
                                {"page_faults", usage.ru_minflt}}
              << std::endl;
    return 0;
  });
}
