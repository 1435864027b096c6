#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/store/segment.h"
#include "dataset/store/view.h"

namespace kg::dataset {

inline constexpr std::size_t kMergeWidth = 8;

// How many of the last segments to merge into one: kMergeWidth if that many at the end have the same level, else
// 0. The number of segments grows with the logarithm of the number of folds, and each row is rewritten whenever its
// segment rises a level.
std::size_t segments_to_merge(const std::vector<SegmentRange>& segments);

// Copies all readable rows of the view; returns the number of unreadable ones. Of meta entries with equal keys only the
// last is kept.
std::uint64_t copy_rows(const View& from, SegmentWriter& to);

}  // namespace kg::dataset
