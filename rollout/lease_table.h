#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kg::rollout {

// Who makes what, until when: the coordinator's decisions without its sockets. Time is a parameter (seconds of any
// monotonic clock), a worker is a name. A work is waiting, leased to one worker, or complete and forgotten; a lease
// ends by completion, return, expiry, or the going of its worker, and the work then waits again at its old place in the
// order.
struct LeaseTableOptions {
  double lease_seconds = 900;
  double silence_seconds = 10;  // a worker not heard of for so long is gone
  double delivery_seconds = 6;  // a lease that its worker does not list so long after the grant was lost on the way
  std::uint32_t max_attempts =
      3;  // leases of a work that may come back for a cause in the work itself, the last one marked final
};

struct Grant {
  std::uint64_t lease_id = 0;
  std::uint64_t work_id = 0;
  std::string worker;
  std::uint64_t version = 0;
  std::vector<std::uint32_t> done;  // samples already durable
  bool final_attempt = false;
};

// A lease that ended without its work being complete.
struct EndedLease {
  std::uint64_t lease_id = 0;
  std::uint64_t work_id = 0;
  std::string worker;
  std::string reason;
};

enum class Standing {
  kWanted,     // of a work known here, not durable yet
  kDuplicate,  // durable already
  kUnknown,    // not of a work known here
};

class LeaseTable {
 public:
  explicit LeaseTable(const LeaseTableOptions& options) : options_(options) {}

  // Queues a work of which not all samples are durable.
  void add_work(std::uint64_t work_id, std::uint32_t samples, const std::set<std::uint32_t>& durable);

  // A worker that joins again keeps its leases; its credits start from nothing.
  void join(const std::string& worker, double now);
  std::vector<EndedLease> leave(const std::string& worker, const std::string& reason);
  bool heard(const std::string& worker, double now);  // false: nobody of that name has joined
  void offer(const std::string& worker, std::uint32_t credits);
  // What the worker says it holds and could take beyond that. Ends leases that never arrived; `not_held` receives the
  // listed ones that are not its own (any more).
  std::vector<EndedLease> reconcile(const std::string& worker, const std::vector<std::uint64_t>& listed,
                                    std::uint32_t free, double now, std::vector<std::uint64_t>& not_held);

  // Gives waiting work, oldest first, against credits, to the worker with the fewest leases; to the one whose lease of
  // it ended last only if nobody else has credits.
  std::vector<Grant> grant(std::uint64_t version, double now);
  // The grant could not be sent; costs the work nothing.
  void revoke(std::uint64_t lease_id);
  // Of a lease held by `worker`, else nothing happens. `in_work`: the cause may lie in the work, so that it counts
  // towards its final attempt.
  std::optional<EndedLease> give_back(std::uint64_t lease_id, const std::string& worker, const std::string& reason,
                                      bool in_work);
  // Leases beyond their deadline, and those of workers silent for too long (who leave).
  std::vector<EndedLease> expire(double now);
  std::optional<EndedLease> end(std::uint64_t lease_id, const std::string& reason);

  Standing standing(std::uint64_t work_id, std::uint32_t sample) const;
  // The sample is durable now. True if that completes its work, which is forgotten together with its lease.
  bool stored(std::uint64_t work_id, std::uint32_t sample);

  // The version a lease asked for, of the open leases and of the ended ones not long ago.
  std::optional<std::uint64_t> version_of(std::uint64_t lease_id) const;
  std::optional<std::uint64_t> oldest_version() const;  // of open leases
  std::vector<std::string> workers() const;
  std::size_t open_leases() const { return leases_.size(); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct WorkState {
    std::uint64_t order = 0;
    std::uint32_t samples = 0;
    std::set<std::uint32_t> durable;
    std::uint64_t lease_id = 0;  // 0: waiting
    std::uint32_t attempts = 0;
    std::string failed_at;  // the worker whose lease of it ended last
  };
  struct OpenLease {
    std::uint64_t work_id = 0;
    std::string worker;
    std::uint64_t version = 0;
    double granted = 0;
    double deadline = 0;
  };
  struct WorkerState {
    double heard = 0;
    std::uint32_t credits = 0;
    std::set<std::uint64_t> leases;
  };

  EndedLease close(std::uint64_t lease_id, const std::string& reason);
  void drop(std::uint64_t lease_id);
  WorkerState* choose_worker(const WorkState& work, std::string& name);

  LeaseTableOptions options_;
  std::uint64_t next_lease_ = 1;
  std::uint64_t next_order_ = 1;
  std::map<std::uint64_t, WorkState> works_;
  std::map<std::uint64_t, OpenLease> leases_;
  std::map<std::string, WorkerState> workers_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> waiting_;  // (order, work id)
  std::map<std::uint64_t, std::uint64_t> ended_versions_;      // lease id to version, the newest few thousand
};

}  // namespace kg::rollout
