#include "dataset/store/run_rows.h"

#include <algorithm>

#include "dataset/store/segment_keys.h"

namespace kg::dataset {
namespace {

struct Wanted {
  const std::string& run;
  std::uint64_t first, last;

  bool is(const proto::Rollout& rollout) const {
    return rollout.work_id() >= first && rollout.work_id() <= last && rollout.run() == run;
  }
  // Whether the segment's keys say that it has one. True if unknown.
  bool in(const SegmentIndex& index) const {
    if (!index.keys_known) return true;
    return std::any_of(index.rollout_keys.begin(), index.rollout_keys.end(), [&](const proto::RolloutKeys& keys) {
      if (keys.run() != run) return false;
      RolloutKeySet set;
      set.insert(keys);
      return set.any(first, last);
    });
  }
  bool in(const SegmentIndex& index, std::uint64_t stretch) const {
    const auto i = static_cast<int>(stretch);
    const proto::WorkRanges& ranges = index.work_ranges;
    if (!index.keys_known || i >= ranges.smallest_size() || i >= ranges.largest_size()) return true;
    return ranges.smallest(i) <= last && ranges.largest(i) >= first;
  }
};

// False if the visitor wants to stop.
bool visit_segment(const std::shared_ptr<const Segment>& segment, const Wanted& wanted,
                   const std::function<bool(const proto::Rollout&)>& visit) {
  const View view({segment}, {});
  const auto keys = column_indices(schema(Table::kRollouts), {"run", "work_id"});
  const std::uint64_t rows = view.rows(Table::kRollouts);
  proto::JournalRecord record;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (row % kRowsPerWorkRange == 0 && !wanted.in(segment->index(), row / kRowsPerWorkRange)) {
      row += kRowsPerWorkRange - 1;
      continue;
    }
    if (!view.read_or_tell(Table::kRollouts, row, record, &keys) || !wanted.is(record.rollout())) continue;
    if (view.read_or_tell(Table::kRollouts, row, record) && !visit(record.rollout())) return false;
  }
  segment->release();
  return true;
}

}  // namespace

void for_each_rollout_of(const View& view, const std::string& run, std::uint64_t first, std::uint64_t last,
                         const std::function<bool(const proto::Rollout&)>& visit) {
  const Wanted wanted{run, first, last};
  for (const auto& segment : view.segments())
    if (segment->rows(Table::kRollouts) > 0 && wanted.in(segment->index()) && !visit_segment(segment, wanted, visit))
      return;
  View({}, view.journals()).for_each(Table::kRollouts, [&](const proto::JournalRecord& record) {
    return !wanted.is(record.rollout()) || visit(record.rollout());
  });
}

}  // namespace kg::dataset
