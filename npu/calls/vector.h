#pragma once

#include "npu/calls/vector_shape.h"

namespace kg::npu {

// The steps shared by all vector instructions: check the operands, issue on pipe V, record the accesses.
Instruction begin_vector(Core& core, const kgnpu::VectorCall& call, double repeats, double elements_in_lane = 1);
// Checks that operand k's elements of the shape are inside its tensor.
void check_operand(Core& core, const kgnpu::VectorCall& call, const Shape& shape, const Operand& operand,
                   std::size_t k);
void touch_operand(Core& core, const kgnpu::VectorCall& call, const Instruction& instruction, const Shape& shape,
                   const Operand& operand, std::size_t k, bool writes);

void run_elementwise(Core& core, const kgnpu::VectorCall& call);
void run_compare(Core& core, const kgnpu::VectorCall& call);
void run_select(Core& core, const kgnpu::VectorCall& call);
void run_reduce(Core& core, const kgnpu::VectorCall& call);
void run_cast_deq(Core& core, const kgnpu::VectorCall& call);     // from int16_t
void check_deq_scale(Core& core, const kgnpu::VectorCall& call);  // is the register set that it multiplies by?

}  // namespace kg::npu
