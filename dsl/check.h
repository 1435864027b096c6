#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dsl/bind.h"
#include "dsl/program.h"
#include "dsl/types.h"

namespace kg::dsl {

// What tiles(n) takes where the program names no size; m, n and k in a loop with gemm.
struct TileSizes {
  std::int64_t tile = 0, m = 128, n = 128, k = 128;
};

// What a loop with gemm leaves open, for the choice of its sizes; the last such loop's.
struct OpenGemm {
  bool m = false, n = false, k = false;
  std::int64_t m_total = 1, n_total = 1, k_total = 1;  // of the ranges that stand for them
  std::int64_t m_size = 1, n_size = 1, k_size = 1;     // of those that are not open
  std::int64_t bytes = 2;                              // of an element
  std::int64_t loops = 0;                              // with gemm, which share L1 and L0C
  bool any() const { return m || n || k; }
};

// A program whose extents are numbers and whose every expression has a type.
struct Checked {
  Program program;
  std::map<std::string, std::int64_t> extents;  // by name
  int cores = 1;                                // vector cores that share the work
  int launched = 1;                             // vector cores on which the kernel runs
  int groups = 0;                               // cube cores that share the work; 0: no gemm
  int blocks = 0;                               // of the launch
  bool mixed = false;                           // cube cores and vector cores
  TileSizes sizes;
  bool free_tile = false;  // the program leaves a tile size open
  OpenGemm open_gemm;
};

// Names, types, shapes and bounds of a parsed program, for these tensors and these tile sizes. Throws Refusal.
// Tiles of any length are taken if `longest_tile` says so: nothing lowers those as they are (cut_rows.h).
Checked check(const Program& program, const Bindings& bindings, const TileSizes& sizes,
              std::int64_t longest_tile = kMostTile);
inline constexpr std::int64_t kAnyTile = std::int64_t{1} << 40;

}  // namespace kg::dsl
