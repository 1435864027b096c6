#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/options.h"
#include "cli/data_commands.h"
#include "dataset/benchmarks/worker_process.h"
#include "dataset/cot/modules/build.h"
#include "sandbox/isolation_option.h"

namespace kg::cli {

int run_data_modules(int argc, const char* const* argv) {
  dataset::cot::modules::BuildOptions build;
  std::string out, rejects;
  dataset::benchmarks::WorkerOptions worker;
  Options options(
      "kgtrain data modules",
      "Makes training samples in module form: graphs of operators, written as PyTorch modules as different people "
      "write them. Every module is executed in PyTorch, every program is judged.");
  options.add("out", out, "data set to make or to continue").required();
  options.add("graphs", build.graphs, "number of graphs to make, each with one program").range(1, 1e8);
  options.add("surfaces", build.surfaces, "maximum modules written for one graph; 0 = descriptions alone").range(0, 20);
  options
      .add("descriptions", build.descriptions,
           "maximum descriptions of one graph as an operator: formulas or steps in words, and as many on lists of "
           "tensors")
      .range(0, 20);
  options.add("written", build.written, "also make a sample with each module's source in the prompt");
  options.add("seed", build.seed, "random seed; the same seed makes the same data set");
  options.add("split", build.split, "structures to draw: those to train on, or the held-out ones, which become tasks")
      .choices({"train", "heldout"});
  options.add("tasks", build.tasks, "make tasks of the training structures as well; kgtrain rl draws from them");
  options.add("described", build.described, "make tasks of the descriptions, in place of the modules");
  options.add("even", build.even_strata,
              "the same number of graphs in each stratum, half of them with two or more hops");
  options.add("jobs", build.jobs, "number of sandboxes that judge at once; 0 = one per core").range(0, 256);
  options.add("python", worker.python, "Python with PyTorch; if not given, one is made in $KGTRAIN_HOME");
  options.add("rejects", rejects, "write rejected modules and programs to this file, with the reason");
  sandbox::declare_isolation(options, build.sandbox.allow_less_isolation);
  if (!options.parse(argc, argv)) return 0;
  build.out = out;
  build.rejects = rejects;
  build.python = dataset::benchmarks::python_of(worker);
  if (build.out.has_parent_path()) fs::create_directories(build.out.parent_path());
  const auto report = dataset::cot::modules::run_build(build);
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%s: %llu graphs, %llu samples; %llu modules executed, %llu thrown away; %llu graphs failed; %llu "
      "duplicates\n",
      out.c_str(), number(report.graphs), number(report.samples), number(report.executed), number(report.wrong),
      number(report.failed), number(report.duplicates));
  for (const auto& [stratum, count] : report.strata) std::printf("  %-20s %llu\n", stratum.c_str(), number(count));
  for (const auto& [reason, count] : report.reasons) std::printf("  not: %5llu  %s\n", number(count), reason.c_str());
  return 0;
}

}  // namespace kg::cli
