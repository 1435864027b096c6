#pragma once

#include <string>

#include "proto/verdict.pb.h"

namespace kg::dataset::cot {

// The judge's own messages about an incorrect kernel, cut to what a reader needs: compiler messages, the first
// fault, the first wrong element.
std::string feedback_text(const proto::Verdict& verdict);

// "compile error", "fault", "wrong numbers", "correct".
std::string verdict_word(const proto::Verdict& verdict);

// False if the verdict may depend on the machine: a wall-clock limit, a sandbox fault.
bool is_repeatable(const proto::Verdict& verdict);

}  // namespace kg::dataset::cot
