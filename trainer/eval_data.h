#pragma once

#include <memory>

#include "dataset/store/dataset.h"

namespace kg::trainer {

// The data set of an evaluation: the named one, if nobody is writing to it. While a run does, its tasks are only read,
// and the evaluation stores its answers in a data set of its own in the run folder.
struct EvalData {
  std::unique_ptr<dataset::Dataset> data;
  fs::path answers;  // where they will be stored
  bool apart = false;
};
// `aside`: the evaluation's own data set; an existing one, from an interrupted evaluation, is used again.
// `always_aside`: the answers of a part belong to that part only.
EvalData open_for_answers(const fs::path& path, const fs::path& aside, bool always_aside = false);

}  // namespace kg::trainer
