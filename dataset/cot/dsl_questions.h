#pragma once

#include <vector>

#include "dataset/cot/question.h"

namespace kg::dataset::cot {

// Questions about what the DSL's compiler decides and refuses.
const std::vector<QuestionFamily>& dsl_questions();

}  // namespace kg::dataset::cot
