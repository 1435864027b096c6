#pragma once

#include <string>

#include "proto/verdict.pb.h"

namespace kg::cli {

// The verdict for a reader, on standard output; `kgtrain judge --json` prints the record instead. Faults are followed
// by their line of `kernel`, marked; empty: the kernel has several files.
void print_verdict(const proto::Verdict& verdict, const std::string& kernel);

}  // namespace kg::cli
