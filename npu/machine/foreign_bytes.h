#pragma once

#include <cstdint>
#include <vector>

#include "npu/machine/local_memory.h"

namespace kg::npu {

struct Core;

// Whether it matters that calls touch bytes of other buffers. The launch runs again, and in that run such bytes hold
// something else while the call that touches them works, and what it writes there is lost. If the run takes the same
// course and ends with the same outputs, no number depended on those bytes, and none of them was spoiled.
// Bytes that the same call uses as another operand stay as they are: they are the call's own.
class ForeignBytes {
 public:
  // An operand of the current call: its buffer's bytes are those from `begin` to `buffer_end`, it touches those to
  // `end`.
  void operand(Core& core, Memory memory, std::int64_t begin, std::int64_t buffer_end, std::int64_t end);
  void end_call(Core& core);

 private:
  struct Range {
    Memory memory;
    std::int64_t begin, end;
  };
  struct Kept {  // what bytes were before they were replaced
    Memory memory;
    std::int64_t begin;
    std::vector<std::uint8_t> data, defined, replaced;
  };
  void give_back(Core& core, Kept& kept, std::int64_t begin, std::int64_t end);

  std::vector<Range> own_;  // of the current call
  std::vector<Kept> kept_;
};

}  // namespace kg::npu
