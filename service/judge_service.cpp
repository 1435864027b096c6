#include "service/judge_service.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/message_json.h"

namespace kg::service {
namespace {

std::chrono::duration<double> duration(double seconds) {
  return std::chrono::duration<double>(std::min(std::max(seconds, 0.0), 1e6));
}

}  // namespace

// Guarded by the service's mutex but for `request`, which does not change while a worker has it.
struct JudgeService::Entry {
  Key key;
  JudgeRequest request;
  std::string content;
  double arrived = 0, begun = 0, ended = 0;
  std::optional<std::variant<proto::Verdict, Refusal>> answer;
  std::uint64_t bytes = 0;
  bool asked_again = false;
  std::condition_variable answered;

  // False where asking again may bring an answer for good.
  bool is_final() const {
    if (!answer) return true;
    const auto* verdict = std::get_if<proto::Verdict>(&*answer);
    return verdict != nullptr ? verdict->sandbox_error().empty() : std::get<Refusal>(*answer).status < 500;
  }
};

JudgeService::JudgeService(ServiceOptions options, std::function<Judge()> make_judge, Metrics& metrics)
    : options_(options), make_judge_(std::move(make_judge)), metrics_(metrics) {
  for (int i = 0; i < options_.jobs; ++i) workers_.emplace_back([this] { work(); });
}

JudgeService::~JudgeService() {
  drain(0);
  for (std::thread& worker : workers_) worker.join();
}

// Time until a place in the queue is free: that of one judgement, divided by the workers.
double JudgeService::seconds_until_free() const {
  return std::clamp(mean_seconds_ * static_cast<double>(waiting_) / options_.jobs / 4, 0.1, 30.0);
}

JudgeService::Ticket JudgeService::submit(const Caller& caller, JudgeRequest request) {
  const double now = monotonic_seconds();
  const std::string content = request.content();
  const std::lock_guard lock(mutex_);
  forget_old(now);
  const Key key{caller.name, request.id};
  if (const auto known = entries_.find(key); known != entries_.end() && known->second->is_final()) {
    if (known->second->content != content)
      throw Refusal{409, "the id \"" + request.id + "\" was used for another request", "choose a new id for it", 0};
    known->second->asked_again = true;
    metrics_.count("kgtrain_repeated_total");
    return known->second;
  }
  if (draining_) throw Refusal{503, "the service is shutting down", "ask again when it has restarted", 5};
  if (waiting_ >= options_.most_waiting)
    throw Refusal{429, fmt::format("the queue is full: {} requests are waiting", waiting_),
                  "ask again after Retry-After", seconds_until_free()};
  if (const auto over = quotas_.over(caller.name, caller.quota, now))
    throw Refusal{429, "the token \"" + caller.name + "\" has used up its quota", "ask again after Retry-After", *over};
  auto entry = std::make_shared<Entry>();
  entry->key = key;
  entry->request = std::move(request);
  entry->content = content;
  entry->arrived = now;
  entries_[key] = entry;
  queues_[caller.name].push_back(entry);
  ++waiting_;
  changed_.notify_one();
  return entry;
}

JudgeService::Ticket JudgeService::find(const std::string& caller, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find({caller, id});
  if (known == entries_.end())
    throw Refusal{404, "no request with the id \"" + id.substr(0, 128) + "\"",
                  "answers are kept for a while only; send the request again", 0};
  return known->second;
}

std::optional<Answer> JudgeService::wait(const Ticket& entry, double seconds) {
  std::unique_lock lock(mutex_);
  if (!entry->answered.wait_for(lock, duration(seconds), [&] { return entry->answer.has_value(); })) return {};
  return Answer{.what = *entry->answer,
                .repeated = entry->asked_again,
                .queue_seconds = entry->begun - entry->arrived,
                .judge_seconds = entry->ended - entry->begun,
                .id = entry->key.second};
}

void JudgeService::drain(double seconds) {
  std::unique_lock lock(mutex_);
  draining_ = true;
  const auto until = std::chrono::steady_clock::now() + duration(seconds);
  while (waiting_ + judged_.size() > 0 && !ending_)
    if (changed_.wait_until(lock, until) == std::cv_status::timeout) break;
  ending_ = true;
  const Refusal ended{503, "the service stopped before it was judged", "ask again when it is running", 5};
  for (auto& [caller, queue] : queues_)
    for (const Ticket& entry : queue) {
      entry->begun = monotonic_seconds();
      finish(entry, ended);
    }
  for (const Ticket& entry : judged_)
    if (!entry->answer) finish(entry, ended);
  queues_.clear();
  waiting_ = 0;
  changed_.notify_all();
}

JudgeService::State JudgeService::state() const {
  const std::lock_guard lock(mutex_);
  return {waiting_, judged_.size(), draining_, fault_};
}

JudgeService::Ticket JudgeService::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ending_ || waiting_ > 0; });
  if (ending_) return nullptr;
  // The caller after the one served last, so that one caller's many requests do not block another's few.
  auto turn = queues_.upper_bound(last_served_);
  if (turn == queues_.end()) turn = queues_.begin();
  last_served_ = turn->first;
  Ticket entry = std::move(turn->second.front());
  turn->second.pop_front();
  if (turn->second.empty()) queues_.erase(turn);
  --waiting_;
  judged_.insert(entry);
  entry->begun = monotonic_seconds();
  return entry;
}

void JudgeService::work() {
  Judge judge_one;
  std::string failure;
  try {
    judge_one = make_judge_();
  } catch (const Error& error) {
    failure = error.full_message();
  }
  while (const Ticket entry = next()) {
    if (judge_one) {
      judge(judge_one, entry);
    } else {
      const std::lock_guard lock(mutex_);
      fault_ = failure;
      if (!entry->answer) finish(entry, Refusal{503, "no sandbox: " + failure, "look at the service's log", 30});
    }
    const std::lock_guard lock(mutex_);
    judged_.erase(entry);
    // The texts are not needed any more.
    entry->request.kernel = entry->request.answer = entry->request.module = "";
    entry->request.project.clear();
    changed_.notify_all();
  }
}

// Called by a worker, without the mutex.
void JudgeService::judge(const Judge& judge_one, const Ticket& entry) {
  std::variant<proto::Verdict, Refusal> what;
  if (entry->request.deadline > 0 && entry->begun - entry->arrived > entry->request.deadline) {
    metrics_.count("kgtrain_unjudged_total", "reason=\"deadline\"");
    what = Refusal{504, fmt::format("it was not judged within its deadline of {:g} s", entry->request.deadline),
                   "ask again, with more time or when the queue is shorter", 1};
  } else {
    std::string fault;
    for (int attempt = 0; attempt < options_.tries; ++attempt) {
      try {
        what = judge_one(entry->request);
      } catch (const Refusal& refusal) {
        what = refusal;
      } catch (const std::exception& error) {
        proto::Verdict verdict;
        const auto* ours = dynamic_cast<const Error*>(&error);
        verdict.set_sandbox_error(ours != nullptr ? ours->full_message() : error.what());
        verdict.set_invalid_reason("it could not be judged");
        what = std::move(verdict);
      }
      const auto* verdict = std::get_if<proto::Verdict>(&what);
      fault = verdict != nullptr ? verdict->sandbox_error() : "";
      if (fault.empty()) break;
      metrics_.count("kgtrain_faults_total");
      spdlog::warn("{} {}: the sandbox failed (try {} of {}): {}", entry->key.first, entry->key.second, attempt + 1,
                   options_.tries, fault);
    }
    const std::lock_guard lock(mutex_);
    fault_ = fault;
  }
  const std::lock_guard lock(mutex_);
  if (!entry->answer) finish(entry, std::move(what));  // else drain() had no more time for it
}

// The caller holds the mutex.
void JudgeService::finish(const Ticket& entry, std::variant<proto::Verdict, Refusal> what) {
  const double now = monotonic_seconds();
  entry->ended = now;
  entry->bytes = 512 + entry->request.id.size();
  if (auto* verdict = std::get_if<proto::Verdict>(&what)) {
    if (verdict->task().empty()) verdict->set_task(entry->request.task);
    entry->bytes += verdict->ByteSizeLong();
    if (!verdict->sandbox_error().empty())
      metrics_.count("kgtrain_unjudged_total", "reason=\"sandbox\"");
    else
      metrics_.count("kgtrain_verdicts_total", "stage=\"" + proto::stage_name(verdict->stage()) + "\"");
    mean_seconds_ = 0.9 * mean_seconds_ + 0.1 * (now - entry->begun);
  }
  metrics_.observe("kgtrain_queue_seconds", entry->begun - entry->arrived);
  metrics_.observe("kgtrain_judge_seconds", now - entry->begun);
  quotas_.finished(entry->key.first);
  entry->answer = std::move(what);
  kept_.push_back(entry);
  kept_bytes_ += entry->bytes;
  forget_old(now);
  entry->answered.notify_all();
}

// The caller holds the mutex.
void JudgeService::forget_old(double now) {
  while (!kept_.empty() && (kept_.size() > options_.kept_answers || kept_bytes_ > options_.kept_bytes ||
                            now - kept_.front()->ended > options_.kept_seconds)) {
    kept_bytes_ -= kept_.front()->bytes;
    const auto known = entries_.find(kept_.front()->key);
    if (known != entries_.end() && known->second == kept_.front()) entries_.erase(known);
    kept_.pop_front();
  }
}

}  // namespace kg::service
