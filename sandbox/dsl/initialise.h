#pragma once

#include "sandbox/dsl/form.h"

namespace kg::sandbox::dsl {

// What all buffers of a core may take: the unified buffer without what the system may reserve.
inline constexpr std::int64_t kUbBudget = 184 * 1024;

// The initialisation pass: how long each tile lives, and where. Tiles that are copied in or out get queues (with two
// buffers where copies and computation can overlap, and in the compact form places of their own), the others places in
// one work buffer, which tiles share that do not live at the same time. Throws Refusal if UB does not hold them.
void initialise(Form& form);

}  // namespace kg::sandbox::dsl
