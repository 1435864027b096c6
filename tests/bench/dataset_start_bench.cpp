// dataset_start_bench FOLDER ROLLOUTS: makes a data set of so many synthetic rollouts, unless it is there, and measures
// what the start of a run asks of it: opening it to append, a run's name that is not in use, a coordinator that goes on
// with the last run, and the works of that run's last updates, submitted again.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "dataset/store/dataset.h"
#include "dataset/store/folder.h"
#include "dataset/store/link_file.h"
#include "dataset/store/segment.h"
#include "rollout/coordinator.h"

namespace {

using namespace kg;
using namespace kg::dataset;

constexpr std::uint64_t kPerSegment = 250000;
constexpr std::uint32_t kSamples = 8;
constexpr std::uint64_t kRuns = 5;

// Results come back in another order than they were leased in: shuffled within stretches of 256.
void make(const fs::path& path, std::uint64_t rollouts) {
  fs::create_directories(folder_of(path));
  std::vector<std::shared_ptr<const Segment>> segments;
  Philox random(1, 1);
  proto::Rollout rollout;
  rollout.mutable_completion()->set_text("a completion");
  for (int i = 0; i < 20; ++i) rollout.mutable_completion()->add_token_ids(i);
  std::vector<std::uint64_t> numbers;
  std::uint64_t next = 0;
  for (std::uint64_t generation = 1; next < rollouts || !numbers.empty(); ++generation) {
    const SegmentRange range{.first = generation, .last = generation, .level = generation};
    const fs::path file = folder_of(path) / segment_file_name(range);
    SegmentWriter writer = SegmentWriter::on_disk(range, file);
    for (std::uint64_t i = 0; i < kPerSegment && (next < rollouts || !numbers.empty()); ++i) {
      while (numbers.size() < 256 && next < rollouts) numbers.push_back(next++);
      std::swap(numbers[random.next_below(numbers.size())], numbers.back());
      const std::uint64_t number = numbers.back();
      numbers.pop_back();
      const std::uint64_t of_run = number % (rollouts / kRuns + 1);
      rollout.set_run("run-" + std::to_string(number / (rollouts / kRuns + 1)));
      rollout.set_work_id(1 + of_run / kSamples);
      rollout.set_sample(static_cast<std::uint32_t>(of_run % kSamples));
      writer.append(Table::kRollouts, rollout);
    }
    writer.finish(file);
    segments.push_back(std::make_shared<const Segment>(file));
  }
  write_link_file(path, segments);
}

double megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const fs::path path = fs::path(argv[1]) / ("start-" + std::string(argv[2]) + ".h5");
  if (!fs::exists(path)) {
    const double started = monotonic_seconds();
    make(path, std::strtoull(argv[2], nullptr, 10));
    std::printf("made in %.0f s\n", monotonic_seconds() - started);
    return 0;
  }
  const double before = megabytes(), started = monotonic_seconds();
  const auto data = Dataset::open(path, OpenMode::kAppend);
  const double opened = monotonic_seconds();
  const auto keys = data->rollout_keys();
  const double known = monotonic_seconds();
  std::uint64_t rollouts = 0, pieces = 0;
  for (const auto& [run, set] : keys) {
    rollouts += set.size();
    pieces += set.pieces();
  }
  if (keys.empty()) return 1;
  const auto& [last, set] = *keys.rbegin();
  const TemporaryFolder run_folder;
  const auto coordinator = rollout::Coordinator::start({.run = last, .run_folder = run_folder.path()}, *data);
  const double begun = monotonic_seconds();
  std::vector<rollout::Work> works;
  for (std::uint64_t work = set.largest_work() - 15; work <= set.largest_work(); ++work)
    works.push_back({.work_id = work, .task = {}, .messages = {}, .samples = kSamples, .sampling = {}, .purpose = ""});
  coordinator->submit_all(std::move(works));
  std::uint64_t finished = 0;
  while (coordinator->wait(0)) ++finished;
  const double done = monotonic_seconds();
  std::printf(
      "%llu rollouts of %zu runs: open to append %.3f s, keys %.3f s, coordinator %.3f s, %llu works found again %.3f "
      "s, "
      "together %.3f s; %.1f MB more than before, %llu pieces of key index\n",
      static_cast<unsigned long long>(rollouts), keys.size(), opened - started, known - opened, begun - known,
      static_cast<unsigned long long>(finished), done - begun, done - started, megabytes() - before,
      static_cast<unsigned long long>(pieces));
  return 0;
}
