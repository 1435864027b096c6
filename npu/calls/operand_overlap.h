#pragma once

#include "npu/calls/vector_shape.h"

namespace kg::npu {

// Source and destination of one repeat must be identical or disjoint, and no repeat may read what an earlier one of
// the same call has written: the repeats overlap in time. Returns what is wrong; empty if
// nothing is.
std::string wrong_overlap(const kgnpu::VectorCall& call, const Shape& shape, const Operand& dst, const Operand& src);

}  // namespace kg::npu
