#pragma once

#include <string>
#include <vector>

namespace kg {

// What to try if `name` is not a known name: the nearest one, else "KIND there are: ..." with the first few and the
// number of the rest, else `if_none`.
std::string suggestion(const std::string& name, const std::vector<std::string>& known, const std::string& kind,
                       const std::string& if_none);

}  // namespace kg
