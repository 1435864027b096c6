#pragma once

#include "dsl/bind.h"

namespace kg::dsl {

// The program for these tensors: every parameter knows its tensor, each tensor of a list is a parameter of its own,
// loops over lists are unrolled, and conditions on optional parameters are decided. Later passes know of lists and
// optional parameters only how they reach the kernel. A resolved program stays unchanged. Throws Refusal.
Program resolved(const Program& program, const Bindings& bindings);

// Its two steps. `tensors`: in launch order; empty: lists are refused, optional parameters are present.
void leave_out_absent(Program& program, const std::vector<TensorShape>& tensors);
void write_out_lists(Program& program, const std::vector<TensorShape>& tensors);

}  // namespace kg::dsl
