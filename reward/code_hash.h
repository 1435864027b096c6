#pragma once

#include <string>
#include <string_view>

#include "base/file.h"

namespace kg::reward {

// C++ without what does not change what it does: comments, and spaces outside literals.
std::string code_text(std::string_view source);

// Of a file or of all code in a folder, `part` of `root`: its text, and the names below `root`.
std::string code_hash(const fs::path& root, const fs::path& part);

}  // namespace kg::reward
