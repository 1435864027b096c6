#pragma once

#include "dataset/store/segment.h"

namespace kg::dataset {

// Builds the index of a segment whose index is missing or incomplete: with checksums of all its chunks as they are now,
// and the keys of its rows. Reads the file once.
SegmentIndex complete_index(const Segment& segment);

}  // namespace kg::dataset
