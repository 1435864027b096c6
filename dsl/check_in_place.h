#pragma once

#include "dsl/program.h"

namespace kg::dsl {

// Tensors that are both input and output: what a core loads must not be written by another core or by one of its own
// earlier copies out. Needs a program whose regions are known. Throws Refusal.
void check_in_place(Program& program);

}  // namespace kg::dsl
