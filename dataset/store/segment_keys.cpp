#include "dataset/store/segment_keys.h"

#include <algorithm>

namespace kg::dataset {

Hash128 sample_key(const std::string& id) { return hash128(id); }

Hash128 tensor_key(const proto::CaseTensor& tensor) {
  return hash128(tensor.task() + ":" + std::to_string(tensor.case_index()) + ":" + std::to_string(tensor.role()) + ":" +
                 std::to_string(tensor.index()));
}

std::vector<std::string> key_columns(Table table) {
  if (table == Table::kSamples) return {"id"};
  if (table == Table::kRollouts) return {"run", "work_id", "sample"};
  if (table == Table::kTensors) return {"task", "case_index", "role", "index"};
  return {};
}

void SegmentKeys::add(Table table, const google::protobuf::Message& row) {
  if (table == Table::kRollouts) {
    const auto& rollout = static_cast<const proto::Rollout&>(row);
    rollouts_[rollout.run()].insert(rollout.work_id(), rollout.sample());
    const std::uint64_t work = rollout.work_id();
    if (rollout_rows_++ % kRowsPerWorkRange == 0) {
      ranges_.add_smallest(work);
      ranges_.add_largest(work);
    }
    const int last = ranges_.smallest_size() - 1;
    ranges_.set_smallest(last, std::min(ranges_.smallest(last), work));
    ranges_.set_largest(last, std::max(ranges_.largest(last), work));
  } else if (table == Table::kSamples) {
    const auto& sample = static_cast<const proto::Sample&>(row);
    if (!sample.id().empty()) hashed_["samples"].push_back(sample_key(sample.id()));
  } else if (table == Table::kTensors) {
    hashed_["tensors"].push_back(tensor_key(static_cast<const proto::CaseTensor&>(row)));
  }
}

void SegmentKeys::write(SegmentIndex& index) const {
  index.keys_known = true;
  index.rollout_keys.clear();
  for (const auto& [run, keys] : rollouts_) {
    index.rollout_keys.emplace_back().set_run(run);
    keys.write(index.rollout_keys.back());
  }
  index.work_ranges = ranges_;
  index.hashed_keys.clear();
  for (const auto& [table, hashes] : hashed_) {
    std::vector<Hash128> sorted = hashes;
    std::sort(sorted.begin(), sorted.end(),
              [](const Hash128& a, const Hash128& b) { return a.high != b.high ? a.high < b.high : a.low < b.low; });
    proto::HashedKeys& keys = index.hashed_keys[table];
    keys.set_table(table);
    for (const Hash128& hash : sorted) {
      keys.add_low(hash.low);
      keys.add_high(hash.high);
    }
  }
}

}  // namespace kg::dataset
