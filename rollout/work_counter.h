#pragma once

#include <cstdint>

#include "base/file.h"

namespace kg::rollout {

// Work ids that are never given twice in a run, however it is killed: the file holds the first id not yet reserved, and
// ids are reserved in blocks before the first of them is used. A restart skips the rest of the block.
class WorkCounter {
 public:
  explicit WorkCounter(const fs::path& file);
  std::uint64_t next();
  // Ids below `first_free` are taken by somebody else.
  void skip_to(std::uint64_t first_free);
  std::uint64_t first_free() const { return next_; }

 private:
  void reserve(std::uint64_t up_to);

  fs::path file_;
  std::uint64_t next_ = 1;
  std::uint64_t reserved_ = 1;  // first id beyond the reserved ones, as the file says
};

}  // namespace kg::rollout
