#pragma once

#include <set>
#include <string>

namespace kg::sandbox {

// Clang lets a poisoned name pass that a macro has put together with ##. So of a source that uses ## this gives the
// first of `names` (two pieces or more, each a name or number of the source) that it could put together; empty: none.
std::string pasted_name(const std::string& source, const std::set<std::string>& names);

}  // namespace kg::sandbox
