#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "proto/rollout.pb.h"

namespace kg::rollout {

// Results that the coordinator has not acknowledged yet. They are sent again when an acknowledgement is overdue, and
// all of them to a coordinator that was away.
class Outbox {
 public:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // work, sample

  explicit Outbox(double resend_seconds) : resend_seconds_(resend_seconds) {}

  void add(proto::Result result);
  // The lease the result was made under, 0 if it is not here.
  std::uint64_t acknowledged(const Key& key);
  void send_all_again();
  void clear() { results_.clear(); }
  std::size_t size() const { return results_.size(); }
  bool holds_result_of(std::uint64_t lease_id) const;
  // Those to be sent now; the caller tells sent() of each that went out.
  std::vector<std::pair<Key, const proto::Result*>> due(double now) const;
  void sent(const Key& key, double now);

 private:
  struct Entry {
    proto::Result result;
    double next_send = 0;
  };
  double resend_seconds_;
  std::map<Key, Entry> results_;
};

}  // namespace kg::rollout
