#pragma once

#include <memory>

#include "dataset/store/dataset.h"

namespace kg::trainer {

// The data set of an evaluation: the one that is named, if nobody writes it. While a run does, its tasks are read as
// they are, and what the evaluation stores goes to a data set of its own in the run folder.
struct EvalData {
  std::unique_ptr<dataset::Dataset> data;
  fs::path answers;  // where they are stored
  bool apart = false;
};
// `aside`: of the evaluation; one that is there already, as of an evaluation that goes on, is used again.
// `always_aside`: answers of a part are nobody else's.
EvalData open_for_answers(const fs::path& path, const fs::path& aside, bool always_aside = false);

}  // namespace kg::trainer
