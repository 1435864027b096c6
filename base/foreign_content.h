#pragma once

#include <string_view>

namespace kg {

// What a downloaded file really is where it is not what its name says: "an HTML page ..." or "a pointer of Git LFS
// ...", from its first bytes; empty if it is neither.
std::string_view foreign_content(std::string_view beginning);

// What to do about either.
inline constexpr const char* kForeignContentHint =
    "download the file itself: git lfs pull in a clone, or the site's link to the raw file";

}  // namespace kg
