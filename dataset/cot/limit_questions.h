#pragma once

#include <vector>

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// Questions on whether buffers fit, the cost of copies, arithmetic at the limits of the types, and the emulated NPU's
// reports of mistakes.
const std::vector<QuestionFamily>& limit_questions();

}  // namespace kg::dataset::cot
