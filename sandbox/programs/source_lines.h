#pragma once

#include <string>

#include "proto/sandbox.pb.h"
#include "sandbox/programs/project_files.h"

namespace kg::sandbox {

// A kernel of several files: a line number alone does not say where it is. So the compiler is told numbers that count
// through all files of the project, and what comes out, of the compiler or of a run, is put back into file and line.

// The file's text behind a #line with its first number.
std::string numbered_source(const Project& project, std::size_t file, const std::string& text);

// What the compiler says, with the lines of the files themselves: "op_kernel/add.h:3000012:5" is
// "op_kernel/add.h:12:5".
std::string with_own_lines(const std::string& text);

// Faults and timeline of a run: a fault's message begins with its file, other lines that it names are followed by
// theirs.
void place_in_files(const Project& project, proto::CaseResult& result);

}  // namespace kg::sandbox
