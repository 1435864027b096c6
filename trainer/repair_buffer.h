#pragma once

#include <cstdint>
#include <vector>

namespace kg::trainer {

// An answer that failed, by its key in the run, and when it was trained on.
struct FailedAnswer {
  std::uint64_t work_id = 0;
  std::uint32_t sample = 0;
  std::uint32_t turn = 0;  // of the answer itself
  std::int64_t update = 0;
  bool operator==(const FailedAnswer&) const = default;
};

// The failed answers that wait to be repaired: one of each group in which nothing was correct. The newest are given out
// first, since they say most of the present policy; those of more than `kUpdatesKept` updates ago are forgotten.
//
// With a staleness of S, update u repairs what failed before update u - S, since it is submitted when only that is
// known. What an update repairs is then a pure function of what failed, so that a resumed run repairs what it repaired
// before: an answer stays in waiting() until the update that repairs it is done.
class RepairBuffer {
 public:
  static constexpr std::int64_t kUpdatesKept = 16;

  RepairBuffer() = default;
  RepairBuffer(std::int64_t staleness, std::vector<FailedAnswer> waiting);

  // What `update` repairs, at most `count`. Updates come in order, each once.
  std::vector<FailedAnswer> take(std::int64_t update, std::int64_t count);
  // `update` is trained on, and these failed in it.
  void done(std::int64_t update, const std::vector<FailedAnswer>& failed);
  // What a checkpoint keeps, in the order in which they came.
  std::vector<FailedAnswer> waiting() const;

 private:
  struct Entry {
    FailedAnswer answer;
    std::int64_t taken_by = -1;  // the update that repairs it; -1: none
  };

  std::int64_t staleness_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace kg::trainer
