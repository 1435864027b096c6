#include "rollout/outbox.h"

namespace kg::rollout {

void Outbox::add(proto::Result result) {
  const Key key{result.rollout().work_id(), result.rollout().sample()};
  results_.try_emplace(key, Entry{std::move(result), 0});
}

std::uint64_t Outbox::acknowledged(const Key& key) {
  const auto at = results_.find(key);
  if (at == results_.end()) return 0;
  const std::uint64_t lease_id = at->second.result.lease_id();
  results_.erase(at);
  return lease_id;
}

void Outbox::send_all_again() {
  for (auto& [key, entry] : results_) entry.next_send = 0;
}

bool Outbox::holds_result_of(std::uint64_t lease_id) const {
  for (const auto& [key, entry] : results_)
    if (entry.result.lease_id() == lease_id) return true;
  return false;
}

std::vector<std::pair<Outbox::Key, const proto::Result*>> Outbox::due(double now) const {
  std::vector<std::pair<Key, const proto::Result*>> list;
  for (const auto& [key, entry] : results_)
    if (entry.next_send <= now) list.emplace_back(key, &entry.result);
  return list;
}

void Outbox::sent(const Key& key, double now) {
  const auto at = results_.find(key);
  if (at != results_.end()) at->second.next_send = now + resend_seconds_;
}

}  // namespace kg::rollout
