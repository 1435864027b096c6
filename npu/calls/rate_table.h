#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

// How fast the vector unit runs an operation, and what it is called in messages.
enum class Rate : std::uint8_t {
  kSimple,       // 256 bytes a cycle
  kHalf,         // MulAddDst, GatherMask: 128 bytes a cycle
  kSlow,         // Exp, Ln, Sqrt, Div: 32 elements a cycle
  kCast,         // by the longer type
  kWholeReduce,  // 7 cycles a repeat
  kBlockReduce,  // 7 cycles a repeat in half, 1 in float
  kGather,       // 5 elements a cycle
  kSort,         // 2 elements a cycle
  kLibrary,      // high-level library: several instructions
};

struct Operation {
  kgnpu::Op op;
  const char* name;
  Rate rate;
  double simple = 1;  // kLibrary: number of simple and of slow instructions it stands for
  double slow = 0;
};

const Operation& operation(kgnpu::Op op);
std::size_t type_bytes(kgnpu::Type type);
const char* type_name(kgnpu::Type type);

}  // namespace kg::npu
