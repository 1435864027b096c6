#pragma once

#include "dsl/form.h"
#include "npu/chip.h"

namespace kg::dsl {

// The memory for all buffers of a core: the unified buffer without the part that the system may reserve.
inline constexpr std::int64_t kUbBudget = npu::chip::kUbBudget;

// The initialisation pass: how long each tile lives, and where. Tiles that are copied in or out get queues (with two
// buffers if copies and computation can overlap; in the compact form places of their own), the others places in
// one work buffer, shared by tiles that do not live at the same time. Throws Refusal if UB cannot hold them.
void initialise(Form& form);

// The same for the memories of the cube cores: matrices in L1 and sums in L0C, with two buffers in loops if these
// fit, and the depth of a product's pieces, of which L0A and L0B hold two.
void place_on_cube(Form& form);

// For each step whether it is inside a loop.
std::vector<bool> inside_loops(const std::vector<Step>& steps);

}  // namespace kg::dsl
