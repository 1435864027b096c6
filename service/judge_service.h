#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "service/metrics.h"
#include "service/quota.h"
#include "service/request.h"
#include "service/token_table.h"

namespace kg::service {

// Judges one request. A fault of the sandbox is a verdict with `sandbox_error`; what cannot be judged at all (no such
// task, a malformed module) throws a Refusal. Used by one thread.
using Judge = std::function<proto::Verdict(const JudgeRequest&)>;

struct ServiceOptions {
  int jobs = 2;                          // judgements at the same time
  std::size_t most_waiting = 256;        // requests in the queue
  int tries = 4;                         // tries for a judgement in which the sandbox fails
  std::size_t kept_answers = 100000;     // newest answers that are kept, to answer an id that is asked again
  std::uint64_t kept_bytes = 256 << 20;  // limit for the bytes of the kept answers
  double kept_seconds = 3600;
};

// The answer: a verdict, or why there is none.
struct Answer {
  std::variant<proto::Verdict, Refusal> what;
  bool repeated = false;  // the id was known already
  double queue_seconds = 0, judge_seconds = 0;
  std::string id;
};

// The queue between requesters and sandboxes. Theory of operation:
//
//   submit ─► entry by (caller, id) ─► the caller's own queue ─► worker: judge, up to `tries` times ─► the entry's
//   answer
//                  ▲ the same id again                  callers take turns                               │ kept a while
//                  └──────────── wait ◄───────────────────────────────────────────────────────────────────┘
//
// An id is judged at most once: while it waits, and as long as its answer is kept, the same id is the same request, and
// gets the same answer; with other content it is refused. Only a request that ended without a verdict (its deadline,
// sandboxes that kept failing, the service's end) is judged when its id is sent again. A client that stops waiting
// loses nothing: it can ask for the answer later by the id.
class JudgeService {
 public:
  struct Entry;
  using Ticket = std::shared_ptr<Entry>;

  // `make_judge` is called once in each worker's thread.
  JudgeService(ServiceOptions options, std::function<Judge()> make_judge, Metrics& metrics);
  ~JudgeService();  // drains without waiting, but a judgement that has begun must finish by itself

  // Accepts a request, or finds that it is already known. Throws Refusal: the queue is full (429), the caller's quota
  // is used up (429), the id means something else (409), the service is shutting down (503).
  Ticket submit(const Caller& caller, JudgeRequest request);
  Ticket find(const std::string& caller, const std::string& id) const;  // throws Refusal (404) for an unknown id
  // The answer, as soon as it exists; nothing after `seconds`.
  std::optional<Answer> wait(const Ticket& ticket, double seconds);

  // Accepts no more requests; judges waiting ones for up to `seconds`, then answers the rest with 503, including those
  // that are being judged.
  void drain(double seconds);

  struct State {
    std::size_t waiting = 0, judging = 0;
    bool draining = false;
    std::string fault;  // the sandbox error of the last judgement, if it had one
  };
  State state() const;

 private:
  using Key = std::pair<std::string, std::string>;  // caller, id

  void work();
  Ticket next();  // waits for work; null at the end
  void judge(const Judge& judge, const Ticket& entry);
  void finish(const Ticket& entry, std::variant<proto::Verdict, Refusal> what);
  void forget_old(double now);
  double seconds_until_free() const;

  const ServiceOptions options_;
  const std::function<Judge()> make_judge_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // signals new work, or the end
  std::map<Key, Ticket> entries_;
  std::map<std::string, std::deque<Ticket>> queues_;  // by caller; no queue in it is empty
  std::string last_served_;
  std::deque<Ticket> kept_;  // answered requests, oldest first
  std::uint64_t kept_bytes_ = 0;
  QuotaTable quotas_;
  std::size_t waiting_ = 0;
  std::set<Ticket> judged_;  // requests that workers are judging now
  double mean_seconds_ = 1;  // mean time of a judgement; recent ones weigh most
  std::string fault_;
  bool draining_ = false, ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace kg::service
