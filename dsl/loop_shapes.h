#pragma once

#include <functional>

#include "dsl/form.h"

namespace kg::dsl {

// Part of the tiling pass. The program's loops of short rows in the shapes that take the least time by the estimate: as
// many rows copied together as pays (batch_rows.h), and the last axis of a loop over cores inside of it where that
// helps (inner_loop.h). `form` is the program's; `form_of` makes that of another program, or throws Refusal. A form for
// which UB has no room stays as it is.
Form with_shaped_loops(const Program& program, Form form, const std::function<Form(const Program&)>& form_of);

}  // namespace kg::dsl
