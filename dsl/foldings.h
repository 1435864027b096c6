#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dsl/program.h"

namespace kg::dsl {

using ExtentValues = std::map<std::string, std::int64_t>;  // of the extents' names

// Every way to give these extents to a tensor of this shape, with the values that the names get, once some are known:
// neighbouring dimensions are folded, leading ones first. If that is impossible, the elements may be split (bind.h).
// `whole`: these are all extents, else at least one more follows. 64 ways at most.
std::vector<ExtentValues> foldings(const std::vector<ExprPtr>& extents, const std::vector<std::int64_t>& shape,
                                   const ExtentValues& known, bool whole);

}  // namespace kg::dsl
