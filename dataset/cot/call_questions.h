#pragma once

#include <vector>

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// What vector calls cost, which types they take, how much a copy moves, what casts give.
const std::vector<QuestionFamily>& call_questions();

}  // namespace kg::dataset::cot
