#pragma once

#include <map>
#include <string>

#include "base/hash.h"
#include "dataset/store/rollout_keys.h"
#include "dataset/store/schema.h"
#include "dataset/store/segment_index.h"

namespace kg::dataset {

// The keys that identify rows (docs/reference/data-format.md), in the form of an index.
Hash128 sample_key(const std::string& id);
Hash128 tensor_key(const proto::CaseTensor& tensor);

// Columns needed for a key, by table; none for tables without keys and for tasks, whose ids are read from their column.
std::vector<std::string> key_columns(Table table);

inline constexpr std::uint64_t kRowsPerWorkRange = 1024;

// Collects the keys of a segment's rows while they are written.
class SegmentKeys {
 public:
  void add(Table table, const google::protobuf::Message& row);
  void write(SegmentIndex& index) const;

 private:
  std::map<std::string, RolloutKeySet> rollouts_;  // by run
  std::uint64_t rollout_rows_ = 0;
  proto::WorkRanges ranges_;
  std::map<std::string, std::vector<Hash128>> hashed_;  // by table
};

}  // namespace kg::dataset
