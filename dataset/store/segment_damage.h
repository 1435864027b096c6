#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dataset/store/segment.h"

namespace kg::dataset {

struct DamagedChunk {
  std::string column;  // as in the index: "rollouts/reward"
  std::uint64_t chunk;
  std::string why;
};

// Every damaged chunk of a segment, and the affected rows.
struct SegmentDamage {
  std::vector<DamagedChunk> chunks;
  // rows[t]: incomplete rows of table t, with the columns of the schema that they lack.
  std::array<std::map<std::uint64_t, std::set<std::string>>, kTableCount> rows;

  std::uint64_t row_count() const;
};

// Reads the whole file.
SegmentDamage examine(const Segment& segment);

// One sentence for each damaged chunk, and one for the rows.
std::vector<std::string> describe(const Segment& segment, const SegmentDamage& damage);

}  // namespace kg::dataset
