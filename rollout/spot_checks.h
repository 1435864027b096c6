#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "proto/rollout.pb.h"

namespace kg::rollout {

// Theory of operation. A worker on another host could say anything about a kernel. So a part of what it sends, drawn by
// a coin that it does not see, is judged again on the trusted host. Until then its results wait here, neither stored
// nor acknowledged: a check that agrees releases the result and all that the worker sent before it, a false verdict
// drops everything that waits. A worker (by its CURVE key) begins with every other result checked; once `probation` of
// them were good, with few. What waits too long without a check to come is checked, so that no group is held up.
struct SpotCheckOptions {
  double first_rate = 0.5;        // part of the results checked during probation
  std::uint32_t probation = 200;  // results
  double rate = 0.05;             // afterwards
  double patience_seconds = 2;    // until what waits is checked anyway
  std::uint64_t seed = std::random_device()();
};

// How a claimed verdict compares with one of the trusted host.
enum class Agreement {
  kSame,
  kFalse,
  kSlower,  // the claim ran into a limit of its host that the trusted one did not: no lie, the trusted verdict counts
};
Agreement compare_verdicts(const proto::Rollout& claimed, const proto::Rollout& trusted);

class SpotChecks {
 public:
  struct Held {
    std::uint64_t number = 0;
    std::string identity;  // of the connection that sent it
    proto::Task task;
    proto::Rollout rollout;
    double since = 0;
    bool chosen = false, checking = false;
  };

  explicit SpotChecks(const SpotCheckOptions& options) : options_(options), random_(options.seed) {}

  // A result of the worker with this key waits from now on; one that waits already is not taken twice.
  void add(const std::string& key, Held held, double now);
  // The next result to be judged again, with its key; nothing if none is due.
  std::optional<std::pair<std::string, Held>> next(double now);
  // The check agreed: `checked` (as it is to be stored) and what came before it and has no check to come. `alone`: the
  // check told nothing of the worker, and releases nothing else.
  std::vector<Held> release(const std::string& key, Held checked, bool alone);
  // The worker lied: what waits of it, which is forgotten with its record.
  std::vector<Held> drop(const std::string& key);
  std::size_t waiting(const std::string& key) const;
  std::size_t waiting() const;

 private:
  struct Record {
    std::deque<Held> held;
    std::uint64_t results = 0;
  };

  SpotCheckOptions options_;
  std::mt19937_64 random_;
  std::uint64_t next_number_ = 1;
  std::map<std::string, Record> records_;  // by key
};

}  // namespace kg::rollout
