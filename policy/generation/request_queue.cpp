#include "policy/generation/request_queue.h"

#include <utility>

#include "base/check.h"
#include "base/clock.h"

namespace kg::policy {

RequestQueue::RequestQueue(int max_batch, KvBlocks& cache) : max_batch_(max_batch), cache_(cache) {
  KG_CHECK_GT(max_batch, 0);
}

std::uint64_t RequestQueue::add(GenerationRequest request) {
  request.handle = next_handle_++;
  requests_.push_back(std::move(request));
  return requests_.back().handle;
}

void RequestQueue::cancel(std::uint64_t handle) {
  requests_.remove_if([&](GenerationRequest& r) {
    if (r.handle != handle) return false;
    reserved_blocks_ -= r.reserved_blocks;
    return true;
  });
}

void RequestQueue::fail(GenerationRequest& r, const std::string& message, std::uint64_t version) {
  proto::GenerateReply reply;
  reply.set_request_id(r.request.request_id());
  reply.set_error(message);
  reply.set_policy_version(version);
  finished_.push_back({r.handle, std::move(reply)});
  cancel(r.handle);
}

void RequestQueue::expire(std::uint64_t version, double timeout_seconds) {
  const double now = monotonic_seconds();
  for (auto it = requests_.begin(); it != requests_.end();) {
    GenerationRequest& r = *it++;
    if (!r.admitted && r.request.min_policy_version() > version && now > r.version_deadline)
      fail(r,
           "policy version " + std::to_string(r.request.min_policy_version()) +
               " was asked for, but the generator still has " + std::to_string(version) + " after waiting " +
               std::to_string(static_cast<int>(timeout_seconds)) + " s",
           version);
  }
}

void RequestQueue::admit(std::uint64_t version) {
  int promised = running();
  for (const GenerationRequest& r : requests_)
    if (r.admitted) promised += static_cast<int>(r.request.count() - r.started);
  for (GenerationRequest& r : requests_) {
    if (r.admitted) continue;
    if (r.request.min_policy_version() > version) continue;
    const int blocks = r.prompt_blocks() + r.completion_blocks();
    if (promised >= max_batch_ || reserved_blocks_ + blocks > cache_.blocks()) break;
    r.admitted = r.first_reserved = true;
    r.reserved_blocks = blocks;
    reserved_blocks_ += blocks;
    r.prompt_sequence.emplace(cache_);
    promised += static_cast<int>(r.request.count());
  }
}

std::vector<RunningCompletion*> RequestQueue::start_completions() {
  int active = running();
  std::vector<RunningCompletion*> begun;
  for (GenerationRequest& r : requests_) {
    while (r.prompt_done() && r.started < r.request.count() && active < max_batch_) {
      if (r.first_reserved) {
        r.first_reserved = false;
      } else {
        if (reserved_blocks_ + r.completion_blocks() > cache_.blocks()) break;
        reserved_blocks_ += r.completion_blocks();
        r.reserved_blocks += r.completion_blocks();
      }
      r.running.push_back({.request = &r,
                           .index = r.started,
                           .sequence = r.prompt_sequence->fork(),
                           .stream = Philox(r.request.sampling().seed(), r.request.first_sample() + r.started),
                           .walk = r.grammar != nullptr ? r.grammar->begin() : nullptr});
      begun.push_back(&r.running.back());
      ++r.started;
      ++active;
    }
    if (r.prompt_done() && r.started == r.request.count()) r.prompt_sequence.reset();
  }
  return begun;
}

void RequestQueue::collect(std::uint64_t version, const std::function<std::string(const RunningCompletion&)>& text_of) {
  for (auto it = requests_.begin(); it != requests_.end();) {
    GenerationRequest& r = *it++;
    for (auto c = r.running.begin(); c != r.running.end();) {
      if (!c->error.empty()) {
        fail(r, c->error, version);
        break;
      }
      if (!c->done) {
        ++c;
        continue;
      }
      const std::uint32_t index = c->index;
      proto::Completion completion = finish_completion(*c, text_of(*c));
      reserved_blocks_ -= r.completion_blocks();
      r.reserved_blocks -= r.completion_blocks();
      c = r.running.erase(c);
      const bool last = ++r.finished == r.request.count();
      if (!last && !r.request.singly()) {
        r.completions[index] = std::move(completion);
        continue;
      }
      proto::GenerateReply reply;
      reply.set_request_id(r.request.request_id());
      reply.set_policy_version(version);
      if (r.request.singly()) {
        reply.add_indexes(index);
        reply.set_more(!last);
        *reply.add_completions() = std::move(completion);
        if (!last) {
          finished_.push_back({r.handle, std::move(reply)});
          continue;
        }
      } else {
        r.completions[index] = std::move(completion);
        for (proto::Completion& one : r.completions) *reply.add_completions() = std::move(one);
      }
      finished_.push_back({r.handle, std::move(reply)});
      cancel(r.handle);
      break;
    }
  }
}

std::vector<FinishedRequest> RequestQueue::take_finished() { return std::exchange(finished_, {}); }

int RequestQueue::running() const {
  std::size_t count = 0;
  for (const GenerationRequest& r : requests_) count += r.running.size();
  return static_cast<int>(count);
}

std::uint32_t RequestQueue::waiting() const {
  std::uint32_t count = 0;
  for (const GenerationRequest& r : requests_) count += r.request.count() - r.started;
  return count;
}

}  // namespace kg::policy
