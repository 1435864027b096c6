#pragma once

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// How many questions there are.
std::uint64_t question_count();
// Question `index`, with what was run to answer it. Nothing where the run says nothing (a sandbox fault throws Error).
Answer ask(std::uint64_t index, sandbox::Sandbox& sandbox);

}  // namespace kg::dataset::cot
