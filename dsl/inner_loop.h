#pragma once

#include <optional>

#include "dsl/check.h"

namespace kg::dsl {

// A loop over cores with the last axis that it takes one by one as a loop of its own inside, whose rows can be copied
// together (batch_rows.h). `known` is the same loop after check(). None: it is no such loop, or too few pieces would
// be left for the cores.
std::optional<Statement> with_inner_loop(const Statement& loop, const Statement& known, std::int64_t cores);

}  // namespace kg::dsl
