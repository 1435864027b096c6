#include "rollout/judge_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"

namespace kg::rollout {

JudgeQueue::JudgeQueue(Judge judge) : judge_(std::move(judge)), ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  KG_CHECK_GE(ready_, 0);
  thread_ = std::thread([this] { serve(); });
}

JudgeQueue::~JudgeQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  ::close(ready_);
}

void JudgeQueue::push(JudgeJob job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  wake_.notify_all();
}

void JudgeQueue::drop_lease(std::uint64_t lease_id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const JudgeJob& job) { return job.lease_id == lease_id; });
}

std::vector<JudgeJob> JudgeQueue::take_judged() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(ready_, &count, sizeof(count));
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

double JudgeQueue::busy_seconds() const {
  const double since = busy_since_;
  return busy_ + (since > 0 ? monotonic_seconds() - since : 0);
}

void JudgeQueue::judge_one(JudgeJob& job) {
  const double begin = monotonic_seconds();
  busy_since_ = begin;
  std::string failure;
  try {
    judge_(job.task, job.rollout);
  } catch (const Error& error) {
    failure = error.full_message();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    proto::Verdict& verdict = *job.rollout.mutable_verdict();
    verdict.Clear();
    verdict.set_task(job.task.id());
    verdict.set_sandbox_error(failure);
    verdict.set_invalid_reason("not judged: " + failure);
  }
  const double seconds = monotonic_seconds() - begin;
  job.rollout.set_judge_ms(seconds * 1e3);
  busy_since_ = 0;
  busy_ = busy_ + seconds;
  ++judged_;
}

void JudgeQueue::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    JudgeJob job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    judge_one(job);
    lock.lock();
    done_.push_back(std::move(job));
    const std::uint64_t one = 1;
    KG_CHECK_EQ(::write(ready_, &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  }
}

}  // namespace kg::rollout
