#pragma once

#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// The tiles that own a queue of the vector cores, in the order in which the kernel allocates them: long ones
// first, so that they begin at whole lines of UB's banks.
std::vector<std::size_t> queue_order(const Form& form);

// Places of the tiles in UB: the queues, then the work buffer; in the compact form one buffer for all.
class BankLayout {
 public:
  explicit BankLayout(const Form& form);

  // Cycles that UB's banks need for a repeat of the step (docs/design/emulated-npu.md, "Time"): 1 without a conflict.
  // Tiles without a place do not count.
  double conflict(const Step& step) const;

 private:
  struct Access {
    std::int64_t address, blocks;
    bool writes;
  };
  void add(int tile, std::int64_t widest, bool writes, std::vector<Access>& accesses) const;

  const Form& form_;
  std::vector<std::int64_t> queues_;  // by owner; -1: none
  std::int64_t work_ = 0;
};

}  // namespace kg::dsl
