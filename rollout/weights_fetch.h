#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/running_hash.h"
#include "rollout/weights_cache.h"
#include "rollout/weights_files.h"

namespace kg::rollout {

// Weights on this host: the manifest with the path here, held in the cache while this object lives.
struct LocalWeights {
  proto::WeightsManifest manifest;
  Descriptor hold;  // of the cache's folder; none if the manifest's own path serves
};

// The manifest's own path, as on the learner's host or a shared file system, or the cache's. Nothing if the weights
// must be fetched. Only lengths are looked at: whoever loads them compares checksums.
std::optional<LocalWeights> find_weights(const proto::WeightsManifest& manifest, const fs::path& cache);

// Brings one policy version to this host: the list of its files, then each file in chunks, of which several are under
// way. They are taken in order, and the checksum is made as they come. The version's folder appears whole, its
// checksums right, or not at all. One process of a host fetches; the others wait for it, and one of them goes on, from
// where it was, if it dies. Knows no sockets and no clock.
class WeightsFetch {
 public:
  using Send = std::function<void(const proto::FetchWeights&)>;

  WeightsFetch(const proto::WeightsManifest& manifest, const fs::path& cache, Send send);
  ~WeightsFetch();  // what has arrived stays, for whoever goes on

  void receive(const proto::WeightsChunk& chunk, double now);
  void tick(double now);  // asks again for what is overdue
  std::uint64_t version() const { return manifest_.version(); }
  bool finished() const { return local_.has_value(); }
  bool waits_for_another() const { return !turn_ && !local_; }
  std::uint64_t bytes_received() const { return received_; }
  const std::string& error() const { return error_; }
  LocalWeights take() { return std::move(*local_); }  // once finished

 private:
  bool begin();
  void ask(double now);
  void accept(const proto::WeightsChunk& chunk);
  void open_file();
  void next_file();
  void finish();
  void fail(const std::string& error);

  proto::WeightsManifest manifest_;
  WeightsCache cache_;
  Send send_;
  std::optional<Descriptor> turn_;  // the right to fetch
  std::optional<WeightsCache::Part> part_;
  std::optional<std::vector<WeightsFile>> files_;
  std::size_t file_ = 0;                        // of files_
  std::uint64_t offset_ = 0, next_offset_ = 0;  // in it: what stands, what is asked for next
  Descriptor out_;
  RunningHash128 hash_;
  std::uint64_t received_ = 0;
  double heard_ = 0;  // something that was asked for
  std::optional<LocalWeights> local_;
  std::string error_;
};

}  // namespace kg::rollout
