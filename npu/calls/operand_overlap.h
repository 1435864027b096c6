#pragma once

#include "npu/calls/vector_shape.h"

namespace kg::npu {

// Source and destination of one repeat must be the same place or apart, and no repeat may read what an earlier one of
// the same call has written: the repeats overlap in time. Reports it; true if it is so.
bool check_overlap(Core& core, const kgnpu::VectorCall& call, const Shape& shape, const Operand& dst,
                   const Operand& src);

}  // namespace kg::npu
