// How many kernels one sandbox judges in a second, and where the time goes. Prints a table; asserts nothing.
//   sandbox_rate [KERNELS [SANDBOXES]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "sandbox/sandbox.h"

namespace kg::sandbox {
namespace {

proto::ExecutionRequest add_custom(int variant) {
  proto::ExecutionRequest request;
  // A comment of its own keeps every kernel out of every cache.
  request.set_source("// " + std::to_string(variant) + "\n" +
                     read_file(std::string(KG_SOURCE_DIR) + "/tests/bench/add_custom.cpp"));
  request.set_entry_point("add_custom");
  request.set_block_dim(8);
  auto* one = request.add_cases();
  for (const char* name : {"x", "y"}) {
    auto* input = one->add_inputs();
    input->set_name(name);
    input->set_dtype(proto::FLOAT16);
    input->add_shape(8 * 2048);
    input->set_data(std::string(8 * 2048 * 2, '\x3c'));
  }
  auto* output = one->add_outputs();
  output->set_name("z");
  output->set_dtype(proto::FLOAT16);
  output->add_shape(8 * 2048);
  return request;
}

struct Times {
  std::vector<double> wall, compile, run;
  std::string error;
};

Times judge(int kernels, int first) {
  Times times;
  auto sandbox = start_sandbox({.program = std::string(KG_BINARY_DIR) + "/bin/kgtrain-sandbox"});
  sandbox->execute(add_custom(first));  // starts the child, makes the precompiled header
  for (int i = 1; i <= kernels; ++i) {
    const double begun = monotonic_seconds();
    const auto result = sandbox->execute(add_custom(first + i));
    if (result.cases_size() != 1 || !result.cases(0).ran()) {
      times.error = result.ShortDebugString();
      return times;
    }
    times.wall.push_back((monotonic_seconds() - begun) * 1000);
    times.compile.push_back(result.compile_ms());
    times.run.push_back(result.cases(0).wall_ms());
  }
  return times;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

int measure(int kernels, int sandboxes) {
  std::vector<Times> all(sandboxes);
  std::vector<std::thread> threads;
  const double begun = monotonic_seconds();
  for (int i = 0; i < sandboxes; ++i) threads.emplace_back([&, i] { all[i] = judge(kernels, i * 1000000); });
  for (auto& thread : threads) thread.join();
  const double seconds = monotonic_seconds() - begun;
  for (const Times& times : all)
    if (!times.error.empty()) {
      std::fprintf(stderr, "a kernel was not judged: %s\n", times.error.c_str());
      return 1;
    }
  const Times& one = all.front();
  std::printf("%d sandboxes, %d kernels each: %.1f kernels/s, start included\n", sandboxes, kernels,
              kernels * sandboxes / seconds);
  std::printf("median ms of a kernel: %.1f in all = %.1f compile and link + %.1f run + %.1f between\n",
              median(one.wall), median(one.compile), median(one.run),
              median(one.wall) - median(one.compile) - median(one.run));
  return 0;
}

}  // namespace
}  // namespace kg::sandbox

int main(int argc, char** argv) {
  return kg::sandbox::measure(argc > 1 ? std::atoi(argv[1]) : 100, argc > 2 ? std::atoi(argv[2]) : 1);
}
