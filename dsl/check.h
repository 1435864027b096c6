#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dsl/bind.h"
#include "dsl/program.h"
#include "dsl/types.h"

namespace kg::dsl {

// The tile sizes if the program gives none; m, n and k for a loop with gemm.
struct TileSizes {
  std::int64_t tile = 0, m = 128, n = 128, k = 128;
};

// The free sizes of a loop with gemm, for choosing them; those of the last such loop.
struct OpenGemm {
  bool m = false, n = false, k = false;
  std::int64_t m_total = 1, n_total = 1, k_total = 1;  // extents of the corresponding ranges
  std::int64_t m_size = 1, n_size = 1, k_size = 1;     // tile sizes that are fixed
  std::int64_t bytes = 2;                              // size of an element
  std::int64_t loops = 0;                              // loops with gemm, which share L1 and L0C
  bool any() const { return m || n || k; }
};

// A program in which all extents are numbers and every expression has a type.
struct Checked {
  Program program;
  std::map<std::string, std::int64_t> extents;  // extents by name
  int cores = 1;                                // vector cores that share the work
  int launched = 1;                             // vector cores of the launch
  int groups = 0;                               // cube cores that share the work; 0: no gemm
  int blocks = 0;                               // blocks of the launch
  bool mixed = false;                           // uses cube cores and vector cores
  TileSizes sizes;
  bool free_tile = false;  // the program leaves a tile size open
  OpenGemm open_gemm;
};

// Checks names, types, shapes and bounds of a parsed program, for these tensors and tile sizes. Throws Refusal.
// `longest_tile` admits tiles of any length: these cannot be lowered directly (cut_rows.h).
Checked check(const Program& program, const Bindings& bindings, const TileSizes& sizes,
              std::int64_t longest_tile = kMostTile);
inline constexpr std::int64_t kAnyTile = std::int64_t{1} << 40;

}  // namespace kg::dsl
