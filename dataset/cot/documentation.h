#pragma once

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// The number of questions.
std::uint64_t question_count();
// Question `index`, with the runs that answer it. Nothing if the runs prove nothing (a sandbox fault throws Error).
Answer ask(std::uint64_t index, sandbox::Sandbox& sandbox);

}  // namespace kg::dataset::cot
