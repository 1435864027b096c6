// Forward and backward of a model on packed documents, loss on all positions: prints one line of JSON.
//   policy_step_bench MODEL [documents] [tokens of each] [steps] [threads] [dtype]
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randint.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/program.h"
#include "policy/memory.h"
#include "policy/model_io.h"
#include "policy/token_log_prob.h"

using namespace kg;

int main(int argc, char** argv) {
  return run_program([&] {
    const auto argument = [&](int i, std::int64_t fallback) { return argc > i ? std::atoll(argv[i]) : fallback; };
    const std::int64_t documents = argument(2, 2), length = argument(3, 1024), steps = argument(4, 3), chunk = argument(7, 256);
    policy::keep_freed_memory();
    at::set_num_threads(static_cast<int>(argument(5, 2)));
    const std::string dtype = argc > 6 ? argv[6] : "float32";
    policy::LoadedModel loaded = policy::load_model(policy::find_model(argv[1]));
    for (policy::NamedTensor& weight : loaded.weights)
      weight.tensor = weight.tensor.to(dtype == "bfloat16" ? at::kBFloat16 : at::kFloat).requires_grad_(true);
    const policy::Transformer model(loaded.config, std::move(loaded.weights));
    const at::Tensor ids = at::randint(loaded.config.vocabulary, {documents * length}, at::kLong);
    const at::Tensor targets = at::cat({ids.slice(0, 1), ids.slice(0, 0, 1)});
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i < documents; ++i) starts.push_back(i * length);

    // Processor time beside wall time: the machine may be shared.
    const auto cpu_seconds = [] {
      struct timespec now {};
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
      return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    std::vector<double> seconds, cpu, hidden_cpu;
    double loss = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
      const double start = monotonic_seconds(), cpu_start = cpu_seconds();
      const at::Tensor hidden = model.hidden(ids, starts);
      hidden_cpu.push_back(cpu_seconds() - cpu_start);
      const at::Tensor total = policy::token_loss(hidden, model.head_weight(), targets, {.chunk = chunk},
                                                  [](const at::Tensor& log_prob, std::int64_t) { return log_prob.sum().neg(); });
      total.div(static_cast<double>(ids.numel())).backward();
      loss = total.item<double>() / static_cast<double>(ids.numel());
      for (const policy::NamedTensor& parameter : model.parameters()) parameter.tensor.mutable_grad().reset();
      seconds.push_back(monotonic_seconds() - start);
      cpu.push_back(cpu_seconds() - cpu_start);
    }
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    const double best = *std::min_element(seconds.begin(), seconds.end());
    std::cout << nlohmann::json{{"tokens_per_second", static_cast<double>(ids.numel()) / best},
                                {"seconds", seconds}, {"cpu_seconds", cpu}, {"hidden_cpu_seconds", hidden_cpu},
                                {"loss", loss},
                                {"peak_mib", usage.ru_maxrss / 1024},
                                {"page_faults", usage.ru_minflt}}
              << std::endl;
    return 0;
  });
}
