#pragma once

#include <string>

namespace kg {

// "1 h 04 min", "3 min 20 s", "12 s".
std::string duration_text(double seconds);

}  // namespace kg
