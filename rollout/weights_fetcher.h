#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "rollout/weights_fetch.h"

namespace kg::rollout {

// Where a worker fetches weights from.
struct WeightsSource {
  std::string coordinator;  // its endpoint; the weights' own follows from it (weights_channel.h)
  fs::path keys_folder;     // for tcp://
  std::string key_name;
};

// A WeightsFetch with a thread and a socket of its own, so that neither the arrival of large files nor their checksums
// hold up the heartbeats of the worker. Where nothing arrives for a while it ends with an error.
class WeightsFetcher {
 public:
  WeightsFetcher(const proto::WeightsManifest& manifest, const fs::path& cache, const WeightsSource& source);
  ~WeightsFetcher();
  WeightsFetcher(const WeightsFetcher&) = delete;
  WeightsFetcher& operator=(const WeightsFetcher&) = delete;

  std::uint64_t version() const { return version_; }
  bool finished() const;
  std::string error() const;
  // Grows while it comes nearer to its end, or waits for another process of the host.
  std::uint64_t progress() const { return progress_; }
  LocalWeights take();  // once finished

 private:
  void run(const proto::WeightsManifest& manifest, const fs::path& cache, const WeightsSource& source);

  const std::uint64_t version_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> progress_{0};
  mutable std::mutex mutex_;
  std::optional<LocalWeights> local_;
  std::string error_;
  std::thread thread_;
};

}  // namespace kg::rollout
