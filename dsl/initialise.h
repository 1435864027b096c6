#pragma once

#include "dsl/form.h"
#include "npu/chip.h"

namespace kg::dsl {

// What all buffers of a core may take: the unified buffer without what the system may reserve.
inline constexpr std::int64_t kUbBudget = npu::chip::kUbBudget;

// The initialisation pass: how long each tile lives, and where. Tiles that are copied in or out get queues (with two
// buffers where copies and computation can overlap, and in the compact form places of their own), the others places in
// one work buffer, which tiles share that do not live at the same time. Throws Refusal if UB does not hold them.
void initialise(Form& form);

// The same for the memories of the cube cores: matrices in L1 and sums in L0C, with two buffers in loops where these
// fit, and how deep the pieces of a product are, of which L0A and L0B hold two.
void place_on_cube(Form& form);

// `step` stands in a loop.
bool inside_loop(const std::vector<Step>& steps, int step);

}  // namespace kg::dsl
