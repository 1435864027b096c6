#pragma once

#include <vector>

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// What the compiler of the DSL decides and refuses.
const std::vector<QuestionFamily>& dsl_questions();

}  // namespace kg::dataset::cot
