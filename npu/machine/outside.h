#pragma once

#include "npu/scalar/machine.h"

namespace kg::npu {

// Accesses of the running core's scalar unit outside its own memory: global memory and UB through the kernel's own
// pointers. Checked, ordered, cached and timed like GetValue and SetValue; any other address is a fault.
class CoreOutside : public scalar::Outside {
 public:
  // `has_tags`: pointers with an address space carry it (scalar::Image::has_tags). Otherwise only the address decides.
  explicit CoreOutside(bool has_tags) : has_tags_(has_tags) {}
  void load(std::uint64_t address, std::uint64_t bytes, void* to, int line) override;
  void store(std::uint64_t address, std::uint64_t bytes, const void* from, int line) override;
  [[noreturn]] void stop(scalar::Stop why, int line) override;

 private:
  bool has_tags_;
};

}  // namespace kg::npu
