#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

// The computation of an elementwise instruction over elements that are contiguous in every operand. `dst` may be a
// source in the same place. One row for each (operation, types): to add a call, add a row here and in the call's
// header.
struct Run {
  void* dst;
  const void* a;
  const void* b;
  std::uint64_t scalar;
  std::size_t n;
};
using RunFunction = void (*)(const Run&);

struct Elementwise {
  kgnpu::Op op;
  kgnpu::Type dst;
  kgnpu::Type src;
  RunFunction run;
  bool reads_dst = false;  // multiply-accumulate
};

const Elementwise* find_elementwise(kgnpu::Op op, kgnpu::Type dst, kgnpu::Type src);

// The tables that find_elementwise searches, one per source file.
std::span<const Elementwise> arithmetic_table();
std::span<const Elementwise> integer_table();
std::span<const Elementwise> transcendental_table();
std::span<const Elementwise> cast_table();
std::span<const Elementwise> mixed_table();
std::span<const Elementwise> library_table();

}  // namespace kg::npu
