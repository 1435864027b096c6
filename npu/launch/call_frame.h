#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "npu/headers/kgnpu/abi.h"
#include "npu/scalar/machine.h"

// The memory of one call that crosses the border between a kernel and the runtime: copies of what the call's arguments
// point to, so that the runtime only reads its own memory.

namespace kg::npu {

// Ends the kernel with its own fault.
[[noreturn]] void refuse_call(const scalar::Machine& machine, const std::string& what);

// Room for a T that is filled before it is read: most calls need little of a frame, and ten million frames are made.
template <typename T>
class Room {
 public:
  T& get() { return *reinterpret_cast<T*>(bytes_); }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  alignas(T) std::byte bytes_[sizeof(T)];
};

// A tensor that has a position and no buffer was made by hand and lies at its address: finds the buffer there.
void find_memory(kgnpu::Local& tensor, int line);

class CallFrame {
 public:
  explicit CallFrame(scalar::Machine& machine) : machine_(machine) {}
  scalar::Machine& machine() { return machine_; }

  template <typename T>
  void copy_in(std::uint64_t address, T& to) {
    const std::uint8_t* const from = machine_.readable(address, sizeof(T));
    if (from == nullptr)
      refuse_call(machine_,
                  "a call of the API with an object (a tensor, a queue, a pipe) that is not a variable of the kernel; "
                  "declare it in the kernel or its class");
    std::memcpy(static_cast<void*>(&to), from, sizeof(T));
  }

  // A tensor that a structure points to, and one that may be null.
  void bring(const kgnpu::Local*& tensor);
  void bring_if_any(const kgnpu::Local*& tensor) {
    if (tensor != nullptr) bring(tensor);
  }
  // The lists of 16 blocks for a transpose.
  void bring_list(const kgnpu::Local*& list);
  // A text: printable, and not longer than a name or an assertion.
  // Kept until the process ends, since timelines and faults keep pointers to names.
  void bring(const char*& text);
  // Numbers that a call reads as an array, from an address passed as a number.
  template <typename T, std::size_t n>
  std::uint64_t bring_array(std::uint64_t address, Room<std::array<T, n>>& to) {
    copy_in(address, to.get());
    return reinterpret_cast<std::uint64_t>(to.get().data());
  }
  void check(bool valid) {
    if (!valid) refuse_call(machine_, "a call of the API with a number that its headers never give it");
  }

  Room<std::array<float, 16>> scales;
  Room<std::array<std::int16_t, 16>> offsets;
  Room<std::array<std::uint8_t, 16>> signs;

 private:
  static constexpr std::size_t kMostTensors = 10;

  scalar::Machine& machine_;
  std::array<Room<kgnpu::Local>, kMostTensors> tensors_;
  std::array<Room<std::array<kgnpu::Local, 16>>, 2> lists_;
  std::size_t used_ = 0, lists_used_ = 0;
};

}  // namespace kg::npu
