#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sandbox/dsl/bind.h"
#include "sandbox/dsl/program.h"

namespace kg::sandbox::dsl {

// A program whose extents are numbers and whose every expression has a type.
struct Checked {
  Program program;
  std::map<std::string, std::int64_t> extents;  // by name
  int cores = 1;                                // that share the work
  int launched = 1;                             // on which the kernel runs
  std::int64_t tile = 0;                        // what tiles(n) and `tile T` take where the program names no size
  bool free_tile = false;                       // the program leaves a tile size open
};

// Names, types, shapes and bounds of a parsed program, for these tensors and this tile size. Throws Refusal.
Checked check(const Program& program, const Bindings& bindings, std::int64_t tile);

}  // namespace kg::sandbox::dsl
