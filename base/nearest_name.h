#pragma once

#include <string>
#include <vector>

namespace kg {

// The known name with the smallest edit distance to `name`; empty if none is close.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace kg
