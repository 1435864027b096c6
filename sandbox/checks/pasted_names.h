#pragma once

#include <set>
#include <string>

namespace kg::sandbox {

// Clang does not notice a poisoned name that a macro forms with ##. So for a source that uses ## this returns the
// first of `names` (at least two pieces, each a name or number in the source) that it could form; empty: none.
std::string pasted_name(const std::string& source, const std::set<std::string>& names);

}  // namespace kg::sandbox
