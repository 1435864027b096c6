#pragma once

#include <string>

#include "proto/verdict.pb.h"

namespace kg::cli {

// The verdict for a reader, on standard output; `kgtrain judge --json` prints the record instead. Faults are followed
// by their line of `kernel`, marked; empty: the kernel has several files. `file` is what the user calls it; empty: it
// has no file.
void print_verdict(const proto::Verdict& verdict, const std::string& kernel, const std::string& file = "");

}  // namespace kg::cli
