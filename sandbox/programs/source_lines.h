#pragma once

#include <string>

#include "proto/sandbox.pb.h"
#include "sandbox/programs/project_files.h"

namespace kg::sandbox {

// For a kernel with several files a line number alone is ambiguous. So the compiler gets line numbers that count
// through all files of the project, and messages of the compiler or of a run are mapped back to file and line.

// The file's text after a #line with its first number.
std::string numbered_source(const Project& project, std::size_t file, const std::string& text);

// The compiler's messages with the files' own line numbers: "op_kernel/add.h:3000012:5" becomes
// "op_kernel/add.h:12:5".
std::string with_own_lines(const std::string& text);

// Faults and timeline of a run: a fault's message begins with its file, other lines in it are followed by
// their file.
void place_in_files(const Project& project, proto::CaseResult& result);

}  // namespace kg::sandbox
