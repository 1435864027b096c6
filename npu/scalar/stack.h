#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "npu/scalar/address_space.h"

namespace kg::npu::scalar {

// The stack of a core: its own variables and return addresses. Cores use it one after the other, so it records written
// pages, and poison() restores those to their initial state.
class Stack {
 public:
  Stack() : bytes_(new std::uint8_t[kStackBytes]) { dirty_.fill(1); }

  void poison(std::uint8_t garbage);

  // `bytes` of it from there; null if they are not completely inside.
  std::uint8_t* at(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t offset = address - kStackStart;
    return offset <= kStackBytes && bytes <= kStackBytes - offset ? bytes_.get() + offset : nullptr;
  }
  void mark(std::uint64_t address, std::uint64_t bytes);  // as written; they must be inside

  // For the interpreter: the memory that `at` and `mark` work on.
  std::uint8_t* data() { return bytes_.get(); }
  std::uint8_t* dirty() { return dirty_.data(); }
  static constexpr int kPageBits = 10;

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::array<std::uint8_t, (kStackBytes >> kPageBits) + 1> dirty_;
};

}  // namespace kg::npu::scalar
