#pragma once

#include <string>

namespace kg {

// This host's name, as `hostname` prints it; empty if it has none.
std::string host_name();

}  // namespace kg
