// One coordinator and many simulated workers: leases a second, how long a worker with a free place waits for a lease,
// and the coordinator's memory.
//
//   rollout_coordinator_bench [workers 1000] [samples 1000000] [seconds a lease takes 0.08] [leases a worker 2]
//
// The workers are one process of their own (simulated_workers.h). Samples go to a data set that stores nothing, so that
// the coordinator alone is measured, and its time on the processor is told, the learner's side of it included.
// Prints one line of JSON.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "rollout/coordinator.h"
#include "tests/bench/simulated_workers.h"
#include "tests/integration/rollout_memory_dataset.h"

namespace kg::rollout {
namespace {

struct NullDataset : MemoryDataset {
  std::size_t append(const std::vector<proto::JournalRecord>& records) override {
    appends += static_cast<int>(records.size());
    return records.size();
  }
};

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

double percentile(const std::vector<double>& sorted, double part) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

}  // namespace
}  // namespace kg::rollout

int main(int argc, char** argv) {
  using namespace kg;
  using namespace kg::rollout;
  const auto argument = [&](int i, double fallback) { return argc > i ? std::atof(argv[i]) : fallback; };
  const auto count = static_cast<std::size_t>(argument(1, 1000));
  const auto samples = static_cast<std::uint64_t>(argument(2, 1e6));
  const double seconds = argument(3, 0.08);
  const auto places = static_cast<std::uint32_t>(argument(4, 2));
  raise_descriptor_limit();
  spdlog::set_level(spdlog::level::warn);  // a thousand workers join
  TemporaryFolder folder;
  int to_child[2], from_child[2];
  if (::pipe(to_child) != 0 || ::pipe(from_child) != 0) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    char endpoint[256] = {};
    if (::read(to_child[0], endpoint, sizeof(endpoint) - 1) <= 0) ::_exit(1);
    const std::vector<double> waits = testing::SimulatedWorkers(endpoint, count, seconds, places).run();
    const double told[3] = {percentile(waits, 0.5), percentile(waits, 0.99), waits.empty() ? 0 : waits.back()};
    ::_exit(::write(from_child[1], told, sizeof told) == sizeof told ? 0 : 1);
  }
  NullDataset data;
  const proto::Task task = test_task();
  {
    proto::JournalRecord record;
    *record.mutable_task() = task;
    data.MemoryDataset::append({record});
  }
  auto coordinator = Coordinator::start({.run = "bench",
                                         .run_folder = folder.path(),
                                         .judge_version = "bench",
                                         .heartbeat_seconds = 10,
                                         .silence_seconds = 60},
                                        data);
  const std::string endpoint = coordinator->endpoint();
  if (::write(to_child[1], endpoint.c_str(), endpoint.size()) < 0) return 1;
  const std::size_t ahead = 4 * count * places;
  std::uint64_t submitted = 0, finished = 0, half = 0;
  double half_time = 0, half_used = 0;
  nlohmann::json memory = nlohmann::json::array();
  const auto submit_more = [&] {
    std::vector<Work> works;
    while (submitted < samples && submitted < finished + ahead) {
      ++submitted;
      works.push_back(
          {.work_id = submitted, .task = task, .messages = {}, .samples = 1, .sampling = {}, .purpose = "train"});
      works.back().messages.emplace_back().set_content("prompt");
    }
    if (!works.empty()) coordinator->submit_all(std::move(works));
  };
  submit_more();
  while (finished < samples) {
    if (coordinator->wait(1)) ++finished;
    if (finished + ahead - ahead / 16 > submitted) submit_more();
    if (finished == samples / 2 && half == 0) {
      half = finished;
      half_time = monotonic_seconds();
      half_used = processor_seconds();
    }
    if (finished % std::max<std::uint64_t>(1, samples / 10) == 0 && memory.size() < finished * 10 / samples)
      memory.push_back(std::lround(resident_mib()));
  }
  const double rate = static_cast<double>(finished - half) / (monotonic_seconds() - half_time);
  const double used = (processor_seconds() - half_used) / static_cast<double>(finished - half);
  coordinator->finish();
  coordinator.reset();
  double told[3] = {};
  if (::read(from_child[0], told, sizeof told) != sizeof told) return 1;
  ::waitpid(child, nullptr, 0);
  std::printf("%s\n", nlohmann::json{{"workers", count},
                                     {"samples", finished},
                                     {"leases_per_second", rate},
                                     {"processor_microseconds_a_lease", used * 1e6},
                                     {"grant_milliseconds",
                                      {{"p50", told[0] * 1e3}, {"p99", told[1] * 1e3}, {"max", told[2] * 1e3}}},
                                     {"resident_mib", memory}}
                          .dump()
                          .c_str());
  return 0;
}
