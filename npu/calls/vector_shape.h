#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "npu/machine/core.h"

namespace kg::npu {

// The elements that a vector call touches, whatever its form. A repeat covers 256 bytes of the call's widest type;
// element i of repeat r of an operand with elements of s bytes is at
//   (r * repeat stride + (i / (32 / s)) * block stride) * 32 + (i % (32 / s)) * s.
struct Operand {
  const kgnpu::Local* tensor;
  std::int64_t size;  // size of an element
  kgnpu::Stride stride;
  const char* name;
};

// A run of elements that are contiguous in every operand.
struct Piece {
  std::int64_t repeat;  // number of the repeat, and the first element in it
  std::int64_t element;
  std::int64_t n;
  std::array<std::int64_t, 4> offset;  // bytes from each operand's start
};

struct Shape {
  std::int64_t per_repeat = 0;  // elements
  std::int64_t repeats = 0;
  std::int64_t total = 0;  // active elements
  std::vector<Piece> pieces;
};

// Expands the call over the given operands; `keep_repeats` keeps runs of different repeats separate (reductions need
// them).
Shape shape_of(Core& core, const kgnpu::VectorCall& call, const std::vector<Operand>& operands, bool keep_repeats);

}  // namespace kg::npu
