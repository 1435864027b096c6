#pragma once

#include "base/file.h"

namespace kg::rollout {

// At most so many kernels are judged at the same time on a host, over all worker processes of a user: compiling eight
// at once on two cores only makes each eight times slower, up to its time limit. A slot is a locked file, so that a
// killed worker's slot is free at once.
class JudgeSlot {
 public:
  // Waits for one of `count` slots in `folder`.
  JudgeSlot(const fs::path& folder, unsigned count);
  ~JudgeSlot();
  JudgeSlot(const JudgeSlot&) = delete;
  JudgeSlot& operator=(const JudgeSlot&) = delete;

 private:
  int descriptor_ = -1;
};

fs::path judge_slot_folder();  // of this user on this host

}  // namespace kg::rollout
