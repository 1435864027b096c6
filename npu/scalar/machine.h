#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "npu/scalar/image.h"
#include "npu/scalar/stack.h"

namespace kg::npu::scalar {

// Why the scalar unit stops before the kernel's end.
enum class Stop : std::uint8_t {
  kDivision,  // an integer division by zero
  kIllegal,   // an instruction that it does not have: unreachable code, or a missing return
  kJump,      // a jump to an address that is not an instruction of the kernel
  kConstant,  // a store to code or constants
  kEndless,   // more jumps than the machine may take
};

// The world outside the machine: global memory and UB, and a notification when it stops. Neither returns to the
// machine if the access or the stop ends the kernel.
class Outside {
 public:
  virtual ~Outside() = default;
  // `bytes` is at most 8. `address` is neither on the stack nor in the image, or has a tag (address_space.h).
  virtual void load(std::uint64_t address, std::uint64_t bytes, void* to, int line) = 0;
  virtual void store(std::uint64_t address, std::uint64_t bytes, const void* from, int line) = 0;
  [[noreturn]] virtual void stop(Stop why, int line) = 0;
};

// One core's scalar unit: registers, a stack, an image. It interprets; the host never executes the kernel's code.
//
//   Image (decoded code, constants) ─► run(): threaded interpreter ─► stack and constants directly, bounds-checked
//                                          │ CallRuntime              └► Outside: GM, UB, everything else
//                                          └► RuntimeCall(Machine&): arguments from registers, structures by copy
class Machine {
 public:
  Machine(const Image& image, Stack& stack, Outside& outside) : image_(image), stack_(stack), outside_(outside) {}

  // Calls the code at `entry` with the address of a copy of `argument` on the stack; returns when it returns.
  void run(std::uint64_t entry, const std::string& argument);

  // --- For runtime calls.
  std::uint64_t argument(int i) const { return integers_[static_cast<std::size_t>(10 + i)]; }  // a0 to a7
  void give(std::uint64_t result) { integers_[10] = result; }
  // The next argument of a variadic call: `i` counts all from 0, including those on the stack.
  std::uint64_t variable_argument(int i);
  // The machine's own memory: null if any of the bytes are elsewhere.
  const std::uint8_t* readable(std::uint64_t address, std::uint64_t bytes);
  std::uint8_t* writable(std::uint64_t address, std::uint64_t bytes);  // and marks them as written
  // Any memory; through Outside word by word if needed.
  void load(std::uint64_t address, std::uint64_t bytes, void* to);
  void store(std::uint64_t address, std::uint64_t bytes, const void* from);
  // Instructions to charge since the last call.
  std::uint64_t take_work();
  void charge_copy(std::uint64_t bytes);  // one instruction per word, if the kernel's own text copies
  int line() const;                       // line in the kernel's text of the current call
  [[noreturn]] void stop(Stop why);

  // Jumps that the machine may take before it stops as kEndless; time limits end kernels long before.
  void set_budget(std::uint64_t jumps) { budget_ = jumps; }

 private:
  void execute(std::size_t start);
  // The outside charges for the access itself, so its instruction costs nothing more.
  void pay_access();
  template <typename T>
  T load_slowly(std::uint64_t address);
  template <typename T>
  void store_slowly(std::uint64_t address, T value);

  const Image& image_;
  Stack& stack_;
  Outside& outside_;
  std::array<std::uint64_t, kRegisters> integers_{};
  std::array<std::uint64_t, 32> floats_{};  // narrow numbers in the lower bits
  std::size_t at_ = 0;                      // the current instruction, for the outside
  std::uint64_t work_ = 0;
  std::uint64_t budget_ = ~0ULL;
};

}  // namespace kg::npu::scalar
