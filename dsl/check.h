#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/bind.h"
#include "dsl/program.h"
#include "dsl/types.h"

namespace kg::dsl {

struct GemmSizes {
  std::int64_t m = 128, n = 128, k = 128;
};

// The tile sizes if the program gives none: `tile`, or another one within a statement at the top, by its place in the
// body; `gemm` for each loop of the cube cores, the default where there is none.
struct TileSizes {
  std::int64_t tile = 0;
  std::map<std::size_t, std::int64_t> places = {};
  std::vector<GemmSizes> gemm = {};
};

// A loop of the cube cores, for choosing its sizes.
struct GemmLoop {
  bool m = false, n = false, k = false;                // which sizes are free
  std::int64_t m_total = 1, n_total = 1, k_total = 1;  // extents of the corresponding ranges
  GemmSizes fixed = {1, 1, 1};                         // the sizes that are not free
  std::int64_t outer = 1, inner = 1;  // turns of the other loops that the cores share, and of those within
  std::int64_t bytes = 2;             // size of an element
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
  bool free_tile = false;             // the program leaves a tile size open
  bool free_name = false;             // one that it names
  std::set<std::size_t> free_places;  // statements at the top with sizes that have no name
  std::vector<GemmLoop> gemm_loops;
};

// Checks names, types, shapes and bounds of a parsed program, for these tensors and tile sizes. Throws Refusal.
// `longest_tile` admits tiles of any length: these cannot be lowered directly (cut_rows.h).
Checked check(const Program& program, const Bindings& bindings, const TileSizes& sizes,
              std::int64_t longest_tile = kMostTile);
inline constexpr std::int64_t kAnyTile = std::int64_t{1} << 40;

}  // namespace kg::dsl
