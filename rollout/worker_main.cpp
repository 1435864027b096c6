#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/host_name.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "base/stop_event.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/store/dataset.h"
#include "rollout/curve_keys.h"
#include "rollout/judging.h"
#include "rollout/local_fleet.h"
#include "rollout/worker.h"
#include "sandbox/isolation_option.h"

namespace kg::rollout {
namespace {

// The cases of imported tasks, from a data set that is opened when the first one comes; most runs have none. One thread
// judges.
class CasesOfFile {
 public:
  CasesOfFile(const fs::path& path, const dataset::benchmarks::WorkerOptions& options)
      : path_(path), options_(options) {
    if (!path.empty() && !fs::exists(path))
      throw Error("there is no such data set", path.string(), "name it with --cases FILE");
  }

  // Lives no longer than this object.
  reward::BenchmarkCases source() {
    return {.get = [this](const proto::Task& task, int index) { return opened().get(task, index); },
            .other = [this](const proto::Task& task, int index,
                            const reward::OtherInputs& inputs) { return opened().other(task, index, inputs); }};
  }

 private:
  dataset::benchmarks::StoredCases& opened() {
    if (!source_) {
      data_ = dataset::Dataset::open(path_, dataset::OpenMode::kRead);
      source_.emplace(*data_, options_);
    }
    return *source_;
  }

  fs::path path_;
  dataset::benchmarks::WorkerOptions options_;
  std::unique_ptr<dataset::Dataset> data_;
  std::optional<dataset::benchmarks::StoredCases> source_;
};

std::unique_ptr<LocalFleet> start_generator(const std::string& worker, const std::string& model,
                                            const std::vector<std::string>& arguments) {
  if (model.empty())
    throw Error("neither a generator nor a model is given", "kgtrain-worker",
                "give --generator ENDPOINT or --model MODEL");
  return std::make_unique<LocalFleet>(LocalFleetOptions{.run_folder = kgtrain_home() / "workers" / worker,
                                                        .model = model,
                                                        .workers = 0,
                                                        .generator_arguments = arguments});
}

int run_keys(int argc, char** argv) {
  std::string out, worker = "worker";
  Options options("kgtrain-worker keys", "Makes the CURVE keys that workers on other hosts need.");
  options.add("out", out, "folder of the keys").required();
  options.add("worker", worker, "name of the worker's key; run again with another name for more workers");
  if (!options.parse(argc, argv)) return 0;
  make_keys(out, worker);
  std::printf(
      "%s holds the coordinator's keys and lists the workers allowed.\n"
      "Copy server.pub and %s.key to the worker's host and start there:\n"
      "  kgtrain-worker --connect tcp://THIS-HOST:PORT --keys FOLDER --key-name %s --model MODEL\n",
      out.c_str(), worker.c_str(), worker.c_str());
  return 0;
}

void require_one_place(const std::string& coordinator, const std::string& run) {
  if (coordinator.empty() == run.empty())
    throw Error("a worker needs either the coordinator's endpoint or the run's folder", "kgtrain-worker",
                "give --connect ENDPOINT or --run FOLDER");
}

std::string default_name() { return host_name() + "-" + std::to_string(::getpid()); }

int run_worker(int argc, char** argv) {
  WorkerOptions worker;
  JudgingOptions judging;
  worker.name = default_name();
  std::string model, run, keys, cache, cases;
  dataset::benchmarks::WorkerOptions benchmark;
  int capacity = 2, slots = 0;
  std::vector<std::string> generator_options;

  Options options("kgtrain-worker",
                  "Takes leases from a run, has their samples generated and judged, and reports the results.");
  options.add("connect", worker.coordinator, "the run's coordinator: ipc://PATH or tcp://HOST:PORT");
  options.add("run", run,
              "folder of the run, if this host can read it: the worker finds the coordinator there, also after a "
              "restart");
  options.add("generator", worker.generator,
              "endpoint of a running generator; otherwise the worker starts one with --model");
  options.add("model", model, "model for the generator that this worker starts");
  options.add("generator-option", generator_options,
              "one word for the command line of the generator that this worker starts");
  options.add("name", worker.name, "name of this worker, unique in the run");
  options.add("capacity", capacity, "maximum leases held at a time").range(1, 64);
  options.add("keys", keys, "folder with server.pub and the worker's key, for tcp://");
  options.add("key-name", worker.key_name, "NAME of the key file NAME.key");
  options.add("weights-cache", cache, "folder for weights fetched from another host [$KGTRAIN_HOME/weights-cache]");
  options.add("fetch-weights", worker.always_fetch,
              "fetch weights from the coordinator even if this host can read their path, for instance over a slow "
              "mount");
  options.add("sandbox", judging.sandbox.program, "kgtrain-sandbox to use; otherwise the one beside this program");
  options.add("sandbox-cache", judging.sandbox.cache_folder, "cache folder for compiled kernels; empty: no cache");
  sandbox::declare_isolation(options, judging.sandbox.allow_less_isolation);
  options.add("judge-slots", slots, "kernels judged at a time on this host, by all workers together; 0: one per core")
      .range(0, 4096);
  options.add("cases", cases, "data set with the inputs and expected outputs of imported tasks; empty: none is judged");
  options.add(
      "checkout", benchmark.checkout,
      "checkout of the benchmark that makes cases too large for the data set; empty: where it was imported from");
  options.add("python", benchmark.python,
              "Python with the packages of the benchmark; made in $KGTRAIN_HOME if not named");
  options
      .add("give-up-seconds", worker.give_up_seconds,
           "exit after this many seconds without a message from the coordinator")
      .range(1, 1e9);
  options
      .add("generator-silence-seconds", worker.generator_silence_seconds,
           "return leases after this many seconds without a message from the generator")
      .range(1, 1e9);
  if (!options.parse(argc, argv)) return 0;
  worker.capacity = static_cast<std::uint32_t>(capacity);
  require_one_place(worker.coordinator, run);
  worker.run_folder = run;
  worker.keys_folder = keys;
  worker.weights_cache = cache.empty() ? kgtrain_home() / "weights-cache" : fs::path(cache);
  judging.slots = static_cast<unsigned>(slots);
  if (const char* named = std::getenv("KGTRAIN_PYTHON"); named != nullptr) judging.sandbox.python = named;
  if (!benchmark.python.empty()) judging.sandbox.python = benchmark.python;  // for answers that become modules
  CasesOfFile imported(cases, benchmark);
  if (!cases.empty()) judging.benchmark_cases = imported.source();
  const int stop = stop_event();
  std::unique_ptr<LocalFleet> generator;
  if (worker.generator.empty()) {
    generator = start_generator(worker.name, model, generator_options);
    worker.generator = generator->generator_endpoint();
  }
  Worker(worker, [&](const proto::Welcome& welcome) { return make_judge(judging, welcome); }).run(stop);
  return 0;
}

}  // namespace
}  // namespace kg::rollout

int main(int argc, char** argv) {
  kg::start_logging("kgtrain-worker");
  return kg::run_program([&] {
    if (argc > 1 && std::strcmp(argv[1], "keys") == 0) return kg::rollout::run_keys(argc - 1, argv + 1);
    return kg::rollout::run_worker(argc, argv);
  });
}
