#pragma once

#include <string_view>

namespace kg {

// Tells from a file's first bytes that it is not what its name says: "an HTML page ..." or "a Git LFS pointer ...".
// Empty if it is neither.
std::string_view foreign_content(std::string_view beginning);

// What to do in either case.
inline constexpr const char* kForeignContentHint =
    "download the file itself: git lfs pull in a clone, or the site's link to the raw file";

}  // namespace kg
