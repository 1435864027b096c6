#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "proto/record.pb.h"
#include "proto/task.pb.h"

namespace kg::rollout {

struct JudgeJob {
  std::uint64_t lease_id = 0;
  proto::Task task;
  proto::Rollout rollout;  // judged: kernel, verdict and judge_ms are filled in
};

// One thread that judges completions one after the other, so that judging overlaps generation.
class JudgeQueue {
 public:
  // Fills in kernel and verdict. Called on the queue's thread; what it throws becomes a sandbox fault.
  using Judge = std::function<void(const proto::Task&, proto::Rollout&)>;

  explicit JudgeQueue(Judge judge);
  ~JudgeQueue();  // waits for the kernel being judged

  void push(JudgeJob job);
  void drop_lease(std::uint64_t lease_id);  // what of it is not being judged yet
  std::vector<JudgeJob> take_judged();
  int descriptor() const { return ready_; }  // readable when something is judged
  std::uint32_t judged() const { return judged_; }
  double busy_seconds() const;

 private:
  void serve();
  void judge_one(JudgeJob& job);

  Judge judge_;
  int ready_ = -1;  // eventfd
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<JudgeJob> waiting_;
  std::vector<JudgeJob> done_;
  bool stopping_ = false;
  std::atomic<std::uint32_t> judged_ = 0;
  std::atomic<double> busy_ = 0;
  std::atomic<double> busy_since_ = 0;  // 0: idle
  std::thread thread_;
};

}  // namespace kg::rollout
