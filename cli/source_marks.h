#pragma once

#include <map>
#include <string>

#include "proto/verdict.pb.h"

namespace kg::cli {

// What is wrong at which line of the kernel: its faults, and the compiler's errors if it did not compile.
std::multimap<int, std::string> marks_of(const proto::Verdict& verdict);

// The marked lines as HTML, each with two lines around it and its messages below; empty if no line is marked. This
// keeps the errors in view, however long the kernel is.
std::string marked_excerpt(const std::string& kernel, const std::multimap<int, std::string>& marks);

// The style for both, for a page's style sheet.
std::string marks_style();

}  // namespace kg::cli
