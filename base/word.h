#pragma once

#include <cctype>

namespace kg {

// Whether `c` can stand in a name of C++, Python, or the DSL.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace kg
