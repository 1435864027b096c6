#pragma once

#include <cstddef>
#include <optional>

#include "dsl/check.h"

namespace kg::dsl {

// The program with the last axis that a loop over cores takes one by one as a loop of its own inside, whose rows can be
// copied together (batch_rows.h). `loop` is a place in the program's body, `checked` the same program. None: it is no
// such loop, or too few pieces would be left for the cores.
std::optional<Program> with_inner_loop(const Program& program, const Checked& checked, std::size_t loop);

}  // namespace kg::dsl
