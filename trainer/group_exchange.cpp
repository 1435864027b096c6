#include "trainer/group_exchange.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <string>

#include "base/check.h"

namespace kg::trainer {
namespace {

// One result message a rollout; its lease_id is the number of its group.
std::string bytes_of(const std::vector<rollout::FinishedWork>& groups) {
  std::string bytes;
  google::protobuf::io::StringOutputStream out(&bytes);
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const proto::Rollout& rollout : groups[group].rollouts) {
      proto::Result one;
      one.set_lease_id(group);
      *one.mutable_rollout() = rollout;
      KG_CHECK(google::protobuf::util::SerializeDelimitedToZeroCopyStream(one, &out));
    }
  return bytes;
}

std::vector<rollout::FinishedWork> groups_of(const std::string& bytes) {
  google::protobuf::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()));
  std::vector<rollout::FinishedWork> groups;
  for (proto::Result one; google::protobuf::util::ParseDelimitedFromZeroCopyStream(&one, &in, nullptr); one.Clear()) {
    if (groups.size() <= one.lease_id()) groups.resize(one.lease_id() + 1);
    rollout::FinishedWork& group = groups[one.lease_id()];
    group.work.work_id = one.rollout().work_id();
    group.work.task.set_id(one.rollout().task());
    group.rollouts.push_back(std::move(*one.mutable_rollout()));
  }
  return groups;
}

}  // namespace

void share_groups(std::vector<rollout::FinishedWork>& groups, const Replicas& replicas) {
  if (replicas.alone()) return;
  std::string bytes = replicas.first() ? bytes_of(groups) : "";
  replicas.copy_from_first(bytes);
  if (!replicas.first()) groups = groups_of(bytes);
}

}  // namespace kg::trainer
