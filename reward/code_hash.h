#pragma once

#include <string>
#include <string_view>

#include "base/file.h"

namespace kg::reward {

// C++ without the parts that do not change its meaning: comments, and spaces outside literals.
std::string code_text(std::string_view source);

// Hash of a file or of all code in a folder, `part` of `root`: its text, and the names below `root`.
std::string code_hash(const fs::path& root, const fs::path& part);

}  // namespace kg::reward
