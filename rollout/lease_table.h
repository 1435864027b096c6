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
// order. Every way in which a lease can end without its work being complete is counted, so that no work is given out
// for ever: a work that comes back for causes in itself is granted a last time as final, a work that ends its workers,
// or that no host can do, is given up.
struct LeaseTableOptions {
  double lease_seconds = 900;   // without progress
  double silence_seconds = 10;  // a worker not heard of for so long is gone
  double delivery_seconds = 6;  // a lease that its worker does not list so long after the grant was lost on the way
  std::uint32_t max_attempts =
      3;  // leases of a work that may come back for a cause in the work itself, the last one marked final
  // Leases of a work in a row, no sample of it stored between them, that may end with the loss of their worker or at
  // their deadline; then it is given up.
  std::uint32_t max_losses = 8;
  double host_fault_seconds = 600;  // how long a work may come back for faults of its hosts, at least max_losses times
  std::uint64_t first_lease = 1;
};

// Why a lease ended.
enum class EndCause {
  kInWork,      // may lie in the work: a sandbox fault, a refused prompt
  kWorkerLost,  // silent, replaced by another process, or past its deadline
  kHostFault,   // of the generator, of the weights' way to the host
  kNeutral,     // the work did not do it: a polite end, a lease lost on the way, a false result
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

// A work that is given up, with the samples that are missing.
struct GivenUpWork {
  std::uint64_t work_id = 0;
  std::vector<std::uint32_t> missing;
  std::string reason;
};

// Who held a lease, of which work, and the weights that it asked for.
struct LeaseRecord {
  std::uint64_t work_id = 0;
  std::string worker;
  std::uint64_t version = 0;
};

enum class Standing {
  kWanted,     // of a work known here, not durable yet
  kDuplicate,  // durable already
  kUnknown,    // not of a work known here
};

class LeaseTable {
 public:
  explicit LeaseTable(const LeaseTableOptions& options) : options_(options), next_lease_(options.first_lease) {}

  // Queues a work of which not all samples are durable.
  void add_work(std::uint64_t work_id, std::uint32_t samples, const std::set<std::uint32_t>& durable);

  // A worker that joins again keeps its leases; its credits start from nothing.
  void join(const std::string& worker, double now);
  std::vector<EndedLease> leave(const std::string& worker, const std::string& reason, EndCause cause);
  bool heard(const std::string& worker, double now);  // false: nobody of that name has joined
  void offer(const std::string& worker, std::uint32_t credits);
  // What the worker says it holds and could take beyond that. Ends leases that never arrived; `not_held` receives the
  // listed ones that are not its own (any more).
  std::vector<EndedLease> reconcile(const std::string& worker, const std::vector<std::uint64_t>& listed,
                                    std::uint32_t free, double now, std::vector<std::uint64_t>& not_held);
  // The worker has come further with its lease if `steps` is more than before: its deadline moves, up to a bound.
  void progress(std::uint64_t lease_id, const std::string& worker, std::uint64_t steps, double now);

  // Gives waiting work, oldest first, against credits, to the worker with the fewest leases; to the one whose lease of
  // it ended last only if nobody else has credits.
  std::vector<Grant> grant(std::uint64_t version, double now);
  // The grant could not be sent; costs the work nothing.
  void revoke(std::uint64_t lease_id);
  // Of a lease held by `worker`, else nothing happens.
  std::optional<EndedLease> give_back(std::uint64_t lease_id, const std::string& worker, const std::string& reason,
                                      EndCause cause, double now);
  // Leases beyond their deadline, and those of workers silent for too long (who leave: `gone` receives them).
  std::vector<EndedLease> expire(double now, std::vector<std::string>& gone);
  // Works that are given up; they are neither waiting nor leased, and told again until their samples are stored.
  std::vector<GivenUpWork> given_up() const;

  Standing standing(std::uint64_t work_id, std::uint32_t sample) const;
  // The sample is durable now. True if that completes its work, which is forgotten together with its lease.
  bool stored(std::uint64_t work_id, std::uint32_t sample);

  // Of the open leases and of the ended ones not long ago.
  std::optional<LeaseRecord> record(std::uint64_t lease_id) const;
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
    std::uint32_t attempts = 0, losses = 0, host_faults = 0;
    double host_faults_since = 0;
    std::string given_up;   // why; not empty: it waits for its samples to be stored as invalid
    std::string failed_at;  // the worker whose lease of it ended last
  };
  struct OpenLease {
    std::uint64_t work_id = 0;
    std::string worker;
    std::uint64_t version = 0;
    double granted = 0;
    double deadline = 0;
    std::uint64_t steps = 0;
  };
  struct WorkerState {
    double heard = 0;
    std::uint32_t credits = 0;
    std::set<std::uint64_t> leases;
    std::optional<std::size_t> ranked;  // under how many leases it is in ready_
  };

  EndedLease close(std::uint64_t lease_id, const std::string& reason, EndCause cause, double now);
  void count_end(WorkState& work, const std::string& reason, EndCause cause, double now) const;
  void drop(std::uint64_t lease_id);
  void rank(const std::string& worker);  // after its credits or leases changed
  std::string choose_worker(const WorkState& work) const;

  LeaseTableOptions options_;
  std::uint64_t next_lease_;
  std::uint64_t next_order_ = 1;
  std::map<std::uint64_t, WorkState> works_;
  std::map<std::uint64_t, OpenLease> leases_;
  std::map<std::string, WorkerState> workers_;
  std::set<std::pair<std::size_t, std::string>> ready_;        // (leases, worker) of those with credits
  std::set<std::pair<std::uint64_t, std::uint64_t>> waiting_;  // (order, work id)
  std::set<std::uint64_t> given_up_;                           // work ids
  std::map<std::uint64_t, LeaseRecord> ended_;                 // by lease id, the newest few thousand
};

}  // namespace kg::rollout
