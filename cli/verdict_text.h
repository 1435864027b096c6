#pragma once

#include <string>

#include "proto/verdict.pb.h"

namespace kg::cli {

// Prints the verdict for a reader; `kgtrain judge --json` prints the record instead. Faults are followed
// by their line of `kernel`, marked; empty: the kernel has several files. `file` is the user's name for it; empty: it
// has no file.
void print_verdict(const proto::Verdict& verdict, const std::string& kernel, const std::string& file = "");

}  // namespace kg::cli
