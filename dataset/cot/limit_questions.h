#pragma once

#include <vector>

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// Whether buffers fit, what copies cost, arithmetic at the edges of the types, what the emulated NPU reports of
// mistakes.
const std::vector<QuestionFamily>& limit_questions();

}  // namespace kg::dataset::cot
