#pragma once

#include "sandbox/ascendc/runtime/vector_shape.h"

namespace kg::sandbox::ascendc {

// Source and destination of one repeat must be the same place or apart, and no repeat may read what an earlier one of
// the same call has written: the repeats overlap in time. Reports it; true if it is so.
bool check_overlap(Core& core, const kgnpu::VectorCall& call, const Shape& shape, const Operand& dst,
                   const Operand& src);

}  // namespace kg::sandbox::ascendc
