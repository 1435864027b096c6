#pragma once

#include <string>
#include <vector>

namespace kg {

// What to try where `name` is not among the known ones: the nearest of them, else "KIND there are: ..." with the first
// few and how many more, else `if_none`.
std::string suggestion(const std::string& name, const std::vector<std::string>& known, const std::string& kind,
                       const std::string& if_none);

}  // namespace kg
