#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/store/segment.h"
#include "dataset/store/view.h"

namespace kg::dataset {

inline constexpr std::size_t kMergeWidth = 8;

// How many of the last segments to merge into one: kMergeWidth as soon as so many at the end have the same level, else
// 0. The number of segments grows as the logarithm of the number of folds, and each row is rewritten as often as its
// segment rises a level.
std::size_t segments_to_merge(const std::vector<SegmentRange>& segments);

// Copies all rows of the view that can be read; returns how many cannot. Of meta entries with equal keys only the last
// is kept.
std::uint64_t copy_rows(const View& from, SegmentWriter& to);

}  // namespace kg::dataset
