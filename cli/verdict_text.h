#pragma once

#include "proto/verdict.pb.h"

namespace kg::cli {

// The verdict for a reader, on standard output; `kgtrain judge --json` prints the record instead.
void print_verdict(const proto::Verdict& verdict);

}  // namespace kg::cli
