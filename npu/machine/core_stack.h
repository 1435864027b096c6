#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kg::npu {

// What a core's code stands on. Two stacks, as clang's safe stack has them (compile_flags() ask for it): the machine's,
// with return addresses, which no pointer of a kernel leads to; and one for the variables whose addresses are taken,
// far from everything else, so that what overflows it meets nothing.
class CoreStack {
 public:
  static constexpr std::size_t kBytes = 512 * 1024;  // of each

  CoreStack();
  CoreStack(const CoreStack&) = delete;
  CoreStack& operator=(const CoreStack&) = delete;
  ~CoreStack();

  void* machine() const { return static_cast<char*>(machine_) + kGuardBytes; }
  std::uint64_t variables() const { return reinterpret_cast<std::uint64_t>(variables_); }
  // Empties the stack of variables but for a copy of these, which the kernel may read.
  const std::uint64_t* begin_with(const std::vector<std::uint64_t>& arguments);

  // The code that runs from here on uses the stack of variables where it left it; until leave().
  void enter();
  void leave();

 private:
  static constexpr std::size_t kGuardBytes = 64 * 1024;

  std::size_t place_;
  void* machine_;
  void* variables_;
  void* pointer_ = nullptr;  // while it is not in use
};

}  // namespace kg::npu
