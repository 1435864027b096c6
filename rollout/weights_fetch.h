#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rollout/weights_files.h"

namespace kg::rollout {

// Brings one policy version from the coordinator to this host: the list of its files, then each file in chunks, the
// next asked for when the last one stands in the file (that is its acknowledgement). The version's folder appears
// whole, its checksums right, or not at all.
class WeightsFetch {
 public:
  using Send = std::function<void(const proto::FetchWeights&)>;

  WeightsFetch(const proto::WeightsManifest& manifest, const fs::path& cache, Send send);

  void receive(const proto::WeightsChunk& chunk, double now);
  void tick(double now);  // asks again for a chunk that is overdue
  std::uint64_t version() const { return manifest_.version(); }
  bool finished() const { return finished_; }
  const std::string& error() const { return error_; }
  // With the path on this host, once finished.
  const proto::WeightsManifest& local() const { return manifest_; }

 private:
  void ask(double now);
  void accept(const proto::WeightsChunk& chunk);
  void finish();

  proto::WeightsManifest manifest_;
  fs::path target_, partial_;
  Send send_;
  std::optional<std::vector<WeightsFile>> files_;
  std::size_t file_ = 0;      // of files_
  std::uint64_t offset_ = 0;  // in it
  double asked_ = 0;
  bool finished_ = false;
  std::string error_;
};

// The manifest with a path that holds these weights on this host: its own, or that of the cache. Nothing if they must
// be fetched.
std::optional<proto::WeightsManifest> find_weights(const proto::WeightsManifest& manifest, const fs::path& cache);

}  // namespace kg::rollout
