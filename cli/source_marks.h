#pragma once

#include <map>
#include <string>

#include "proto/verdict.pb.h"

namespace kg::cli {

// What is wrong at which line of the kernel: its faults, and the compiler's errors where it was not compiled.
std::multimap<int, std::string> marks_of(const proto::Verdict& verdict);

// The marked lines as HTML, with two lines around each and what is said of it below; empty if no line is marked. What
// is wrong is in view so, however long the kernel is.
std::string marked_excerpt(const std::string& kernel, const std::multimap<int, std::string>& marks);

// The style of both, for a page's style sheet.
std::string marks_style();

}  // namespace kg::cli
