// How many kernels of the composed mix are judged in a second, from source to verdict, beside the bare rate of clang++
// on the same sources in the same run; and how long a memory-bound kernel over 64 MB takes. Prints a table;
// asserts nothing.
//   sandbox_rate [KERNELS [SANDBOXES]]
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "reward/judge.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/checks/language.h"
#include "sandbox/compiler/find_tools.h"
#include "sandbox/sandbox.h"
#include "tests/composed_kernels.h"

namespace kg {
namespace {

// A comment of its own keeps every kernel out of every cache but its own.
std::vector<dataset::cot::ComposedKernel> composed_mix(int count) {
  auto kernels = dataset::cot::composed_kernels(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < kernels.size(); ++i)
    kernels[i].source = "// " + std::to_string(i) + "\n" + kernels[i].source;
  return kernels;
}

// Runs work(worker, item) over all items; gives items a second.
double rate(int workers, std::size_t items, const std::function<void(int, std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const double begun = monotonic_seconds();
  {
    std::vector<std::jthread> threads;
    for (int w = 0; w < workers; ++w)
      threads.emplace_back([&, w] {
        for (std::size_t i; (i = next++) < items;) work(w, i);
      });
  }
  return static_cast<double>(items) / (monotonic_seconds() - begun);
}

std::string compiler_words(const fs::path& folder) {
  const std::string compiler = fs::canonical(sandbox::find_compiler()).string();
  std::string words = compiler + " --driver-mode=g++";
  for (const std::string& flag :
       sandbox::compile_flags(std::string(KG_SOURCE_DIR) + "/npu/headers", sandbox::compiler_headers(compiler)))
    words += " '" + flag + "'";
  words += " -fpch-instantiate-templates";
  const fs::path header = folder / "kernel_operator.pch";
  std::string precompile = words;
  for (const std::string& flag : sandbox::precompile_flags()) precompile += " '" + flag + "'";
  if (!fs::exists(header) &&
      std::system((precompile + " '" + KG_SOURCE_DIR + "/npu/headers/kernel_operator.h' -o '" + header.string() + "'")
                      .c_str()) != 0)
    std::exit(1);
  return words + " -include-pch '" + header.string() + "'";
}

proto::ExecutionRequest memory_bound() {
  constexpr std::int64_t kElements = 64 / 3 * (1 << 20) / 4;
  proto::ExecutionRequest request;
  request.set_source("#define TOTAL " + std::to_string(kElements) + "\n" +
                     read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/ascendc_kernels/stream_add.cpp"));
  request.set_entry_point("stream_add");
  request.set_block_dim(48);
  auto* one = request.add_cases();
  for (const char* name : {"x", "y"}) {
    auto* input = one->add_inputs();
    input->set_name(name);
    input->set_dtype(proto::FLOAT32);
    input->add_shape(kElements);
    input->set_data(std::string(static_cast<std::size_t>(kElements) * 4, '\0'));
  }
  auto* output = one->add_outputs();
  output->set_name("z");
  output->set_dtype(proto::FLOAT32);
  output->add_shape(kElements);
  return request;
}

// The best of three runs.
double memory_bound_seconds(sandbox::Sandbox& sandbox) {
  auto request = memory_bound();
  sandbox.execute(request);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    request.set_core_order_seed(static_cast<std::uint64_t>(i));
    const double begun = monotonic_seconds();
    const auto result = sandbox.execute(request);
    if (result.cases_size() != 1 || !result.cases(0).ran())
      std::fprintf(stderr, "%s\n", result.ShortDebugString().c_str());
    best = std::min(best, monotonic_seconds() - begun);
  }
  return best;
}

int measure(int count, int workers) {
  const TemporaryFolder folder("kg-bench");
  const auto kernels = composed_mix(count);
  double load = 0;
  ::getloadavg(&load, 1);
  std::printf("%d kernels of the composed mix, %d at once; %u processors, load average before %.2f\n", count, workers,
              std::thread::hardware_concurrency(), load);

  std::vector<std::unique_ptr<sandbox::Sandbox>> sandboxes;
  const std::string program = std::string(KG_BINARY_DIR) + "/bin/kgtrain-sandbox",
                    cache = (folder.path() / "cache").string();
  const auto start = [&] {
    sandboxes.clear();
    for (int w = 0; w < workers; ++w) {
      sandboxes.push_back(sandbox::start_sandbox({.program = program, .cache_folder = cache}));
      auto first = kernels.front();
      first.source += "// warm " + std::to_string(w);
      reward::judge(*sandboxes.back(), first.task, first.source, {});  // starts it, makes the precompiled header
    }
  };
  std::atomic<int> correct = 0;
  const auto judge = [&](int w, std::size_t i) {
    correct += reward::judge(*sandboxes[static_cast<std::size_t>(w)], kernels[i].task, kernels[i].source, {}).correct();
  };
  start();
  const double cold = rate(workers, kernels.size(), judge);
  const double cached = rate(workers, kernels.size(), judge);

  const std::string words = compiler_words(folder.path());
  for (std::size_t i = 0; i < kernels.size(); ++i)
    write_file_atomically(folder.path() / fmt::format("{}.cpp", i),
                          sandbox::prologue(sandbox::CoreType::kVector, false) + kernels[i].source +
                              sandbox::epilogue(kernels[i].task.entry_point()));
  const double bare = rate(workers, kernels.size(), [&](int, std::size_t i) {
    const std::string base = (folder.path() / std::to_string(i)).string();
    const std::string command = fmt::format("{0} -c '{1}.cpp' -o '{1}.o'", words, base);
    if (std::system(command.c_str()) != 0) std::fprintf(stderr, "kernel %zu does not compile\n", i);
  });

  const double best = memory_bound_seconds(*sandboxes.front());
  ::getloadavg(&load, 1);
  std::printf("source to verdict, no cache     %8.1f kernels/s  (%d of %d correct, both passes %d)\n", cold,
              correct.load() / 2, count, correct.load());
  std::printf("source to verdict, cached       %8.1f kernels/s\n", cached);
  std::printf("clang++ alone                   %8.1f kernels/s\n", bare);
  std::printf("judged / clang++ alone          %8.2f\n", cold / bare);
  std::printf("64 MB memory-bound, best of 3   %8.2f s\n", best);
  std::printf("load average after %.2f\n", load);
  return 0;
}

}  // namespace
}  // namespace kg

int main(int argc, char** argv) {
  return kg::measure(argc > 1 ? std::atoi(argv[1]) : 100, argc > 2 ? std::atoi(argv[2]) : 2);
}
