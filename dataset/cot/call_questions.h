#pragma once

#include <vector>

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// Questions about the cost of vector calls, their types, the size of copies, and the results of casts.
const std::vector<QuestionFamily>& call_questions();

}  // namespace kg::dataset::cot
