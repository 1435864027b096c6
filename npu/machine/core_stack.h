#pragma once

#include <cstddef>

namespace kg::npu {

// The stack of the runtime's own code while it works for a core: cores take turns in the middle of a call (SyncAll).
// The kernel's own stack is a different one, in the scalar unit's memory (scalar/stack.h).
class CoreStack {
 public:
  static constexpr std::size_t kBytes = 256 * 1024;

  CoreStack();
  CoreStack(const CoreStack&) = delete;
  CoreStack& operator=(const CoreStack&) = delete;
  ~CoreStack();

  // Prepares it for another core's calls.
  void renew();
  void* begin() const { return static_cast<char*>(mapped_) + kGuardBytes; }

 private:
  static constexpr std::size_t kGuardBytes = 64 * 1024;

  void* mapped_;
};

}  // namespace kg::npu
