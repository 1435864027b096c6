#include "cli/solve/judge_desk.h"

#include <map>
#include <memory>
#include <utility>

namespace kg::cli {

JudgeDesk::JudgeDesk(const proto::Task& task, reward::JudgeOptions rules, sandbox::SandboxOptions sandbox, int jobs)
    : task_(task), rules_(std::move(rules)), sandbox_(std::move(sandbox)) {
  for (int i = 0; i < jobs; ++i) threads_.emplace_back([this] { serve(); });
}

JudgeDesk::~JudgeDesk() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::uint64_t JudgeDesk::submit(std::string kernel) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({next_ticket_, std::move(kernel)});
  changed_.notify_all();
  return next_ticket_++;
}

std::optional<JudgeDesk::Judged> JudgeDesk::take(double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !judged_.empty() || failure_; });
  if (judged_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    return {};
  }
  Judged judged = std::move(judged_.front());
  judged_.pop_front();
  return judged;
}

std::vector<proto::Verdict> JudgeDesk::judge_all(const std::vector<std::string>& kernels) {
  std::map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < kernels.size(); ++i) places[submit(kernels[i])] = i;
  std::vector<proto::Verdict> verdicts(kernels.size());
  while (!places.empty()) {
    std::optional<Judged> judged = take(/*seconds=*/3600);
    if (!judged) continue;
    const auto place = places.find(judged->ticket);
    if (place == places.end()) continue;
    verdicts[place->second] = std::move(judged->verdict);
    places.erase(place);
  }
  return verdicts;
}

void JudgeDesk::serve() {
  std::unique_ptr<sandbox::Sandbox> sandbox;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || failure_ || !waiting_.empty(); });
    if (stopping_ || failure_) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Judged judged{.ticket = next.ticket, .verdict = {}};
    std::exception_ptr failed;
    try {
      if (!sandbox) sandbox = sandbox::start_sandbox(sandbox_);
      judged.verdict = reward::judge_surely(*sandbox, task_, next.kernel, rules_);
    } catch (...) {
      failed = std::current_exception();
    }
    lock.lock();
    if (failed)
      failure_ = failure_ ? failure_ : failed;
    else
      judged_.push_back(std::move(judged));
    changed_.notify_all();
  }
}

}  // namespace kg::cli
