#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dataset/store/segment.h"
#include "dataset/store/view.h"

namespace kg::dataset {

inline constexpr std::size_t kMergeWidth = 8;

// The first of kMergeWidth segments in a row of the same level, which become one of the next: the last such run that
// starts where its level does. nullopt: none. The number of segments grows with the logarithm of the number of folds,
// and each row is rewritten whenever its segment rises a level.
std::optional<std::size_t> segments_to_merge(const std::vector<SegmentRange>& segments);

// Copies all readable rows of the view; returns the number of unreadable ones. Of meta entries with equal keys only the
// last is kept.
std::uint64_t copy_rows(const View& from, SegmentWriter& to);

// Writes these neighbours as one segment of the next level into the folder. Null: some of their rows cannot be read,
// which is logged, and nothing is written.
std::shared_ptr<const Segment> merged(const std::vector<std::shared_ptr<const Segment>>& parts, const fs::path& folder);

}  // namespace kg::dataset
