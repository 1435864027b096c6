#pragma once

#include "dsl/bind.h"

namespace kg::dsl {

// The program for these tensors: every parameter knows its tensor, lists are parameters of their own for each tensor,
// and loops over them are written out; what depends on optional parameters is decided. What follows knows nothing of
// lists and optional parameters but how they reach the kernel. A resolved program stays as it is. Throws Refusal.
Program resolved(const Program& program, const Bindings& bindings);

// Its two parts. `tensors`: in the order of the launch; empty: lists are refused, optional parameters given.
void leave_out_absent(Program& program, const std::vector<TensorShape>& tensors);
void write_out_lists(Program& program, const std::vector<TensorShape>& tensors);

}  // namespace kg::dsl
