#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

// The vector unit's speed for an operation, and the operation's name in messages.
enum class Rate : std::uint8_t {
  kSimple,       // one repeat a cycle
  kHalf,         // MulAddDst: half of that
  kSlow,         // Exp, Ln, Sqrt, Div: by elements, not by bytes
  kCast,         // by the longer type
  kWholeReduce,  // several cycles a repeat
  kBlockReduce,  // as kWholeReduce in half, as kSimple in float
  kGather,
  kSort,
  kLibrary,  // high-level library: several instructions
};

struct Operation {
  kgnpu::Op op;
  const char* name;
  Rate rate;
  double simple = 1;  // kLibrary: number of simple and slow instructions it stands for
  double slow = 0;
};

const Operation& operation(kgnpu::Op op);
std::size_t type_bytes(kgnpu::Type type);
inline std::int64_t size_of(kgnpu::Type type) { return static_cast<std::int64_t>(type_bytes(type)); }
const char* type_name(kgnpu::Type type);

// Cycles that a vector instruction holds the vector pipe, without start-up, over `repeats` full or partial repeats,
// each of which takes `conflict` cycles at UB's banks.
double vector_cycles(kgnpu::Op op, kgnpu::Type dst, kgnpu::Type src, double repeats, double conflict = 1);

}  // namespace kg::npu
