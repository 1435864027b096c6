#pragma once

#include "npu/machine/core.h"

namespace kg::npu {

bool has_int4(const kgnpu::VectorCall& call);

// A Cast from or to int4b_t as a call over pairs of elements, whose lanes are whole bytes: two of int4b_t are a byte,
// the two halves beside them 4 bytes. A count or mask that splits a pair is an error, and the pair is left out.
kgnpu::VectorCall over_pairs(Core& core, kgnpu::VectorCall call);

}  // namespace kg::npu
