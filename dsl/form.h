#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/check.h"
#include "dsl/element.h"

namespace kg::dsl {

// The data that passes hand on. Tiling makes tiles and steps; initialisation gives the tiles a place in UB; processing
// turns steps into lines of Ascend C; unaligned access corrects the copies among them.

// A vector value in UB.
struct Tile {
  // Filled by a copy in, emptied by a copy out, neither. For the cube cores: a matrix in L1, sums in L0C, a row of L1
  // that goes to the bias table.
  enum class Home { kIn, kOut, kWork, kL1, kL0c, kBias };
  std::string name;                     // its name in the Ascend C
  proto::DType dtype = proto::FLOAT32;  // UINT8: the bits of a mask
  std::int64_t capacity = 0;            // maximum number of elements; columns of a matrix
  std::int64_t rows = 0;                // maximum number of rows of a matrix
  Home home = Home::kWork;
  int view_of = -1;      // a part of another tile, and only that one has a place
  std::string start;     // where the part starts, C++
  bool right = false;    // the right operand of a product
  bool named = false;    // named after a variable of the program
  bool declared = true;  // false: another tile with the same place and type declares the name
  // Set by the initialisation pass.
  int first = 0, last = 0;   // first and last step that use it
  std::int64_t bytes = 0;    // size in whole repeats
  std::int64_t offset = -1;  // offset in the work buffer
  int buffers = 0;           // number of buffers of its queue
  int queue = -1;            // the tile that gives the queue its name
};

// A copy of contiguous elements between GM and UB.
struct Copy {
  int tensor = 0;  // index of the parameter; kWorkspace
  int tile = 0;
  std::string offset, count;                     // C++
  Linear place;                                  // the offset
  std::string blocks;                            // C++: number of rows, each from a whole block of UB on; empty: one
  std::int64_t block_pitch = 0;                  // elements of GM between the starts of rows
  std::int64_t offset_unit = 1, count_unit = 1;  // numbers that always divide them; 0: always zero
  bool padded = false;  // may reach outside the dimension: `start` within `extent`, filled with `pad`
  std::string start, extent, pad;
  // A matrix: `count` columns of `rows` rows. In L1: as fractals, separately for every 16 rows if `panels`; row by row
  // if they lie too far apart for one instruction.
  std::string rows, pitch;
  bool panels = false, row_by_row = false, relu = false;
  enum class Form { kOpen, kWhole, kPad } form = Form::kOpen;  // set by the unaligned pass
};
inline constexpr int kWorkspace = -1;

// One step of three-address code, with structured control flow.
struct Step {
  enum class Kind {
    kFor,
    kIf,
    kElse,
    kEnd,
    kCopyIn,
    kCopyOut,
    kVector,
    kScalar,
    kBarrier,
    // For the cube cores; they use kCopyIn and kCopyOut for matrices.
    kSums,  // begins sums, from `sources` if there are any
    kGemm   // result += sources[0] x sources[1]
  };
  Kind kind = Kind::kVector;
  bool opens() const { return kind == Kind::kFor || kind == Kind::kIf; }  // a block, until its kEnd
  int line = 0;                                                           // line in the program
  std::string op;                                                         // kVector: the name of the call
  int result = -1;                                                        // tile
  std::vector<int> sources;                                               // tiles
  std::vector<int> scratch;                                               // tiles that the call destroys
  std::vector<std::string> scalars;                                       // C++, in the call's order
  std::string count;                                                      // C++
  std::int64_t elements = 0;                                              // maximum of count
  bool in_place = false;                                                  // the result may replace a source
  Copy copy;
  std::string name, type, value;  // kScalar: sets `name`; `type` empty: declared before. kIf: value
  bool waits = false;             // kScalar: reads a tile
  // kFor
  std::string begin, end, stride;
  double trips = 1;  // expected number of turns, per core
  // kBarrier: of all cores, not only of the vector cores
  bool all = false;
  // kGemm: which operands are transposed; rows, columns and depth of the product, as C++ and maximum
  bool turned[2] = {false, false};
  std::string m, n, k;
  std::int64_t most_k = 0;
  std::int64_t depth = 0;  // kGemm: depth of the pieces in L0A and L0B; set by the initialisation pass
};

struct Form {
  Checked checked;
  std::vector<Tile> tiles;
  std::vector<Step> steps;  // for the vector cores
  std::vector<Step> cube;   // for the cube cores
  int reductions = 0;       // reductions over all cores, each with its place in the workspace
  bool index64 = false;
  bool compact = false;
  // Set by the initialisation pass.
  std::int64_t work_bytes = 0, ub_bytes = 0;
  std::int64_t l0a_bytes = 0, l0b_bytes = 0;  // size of one buffer

  const Parameter& tensor(int index) const { return checked.program.parameters[static_cast<std::size_t>(index)]; }
  bool has_vector_work() const { return checked.groups == 0 || checked.mixed; }
  // Size of the workspace: partial results of the vector cores, then the scratch tensors, each from a whole line on.
  std::int64_t partial_bytes() const;
  std::int64_t scratch_offset(int tensor) const;
  std::int64_t workspace_bytes() const;
  // `cube` uses the cube cores' tiles, `steps` all others.
  const Step& first_step(const Tile& tile) const {
    return (is_on_cube(tile) ? cube : steps)[static_cast<std::size_t>(tile.first)];
  }
  static bool is_on_cube(const Tile& tile) {
    return tile.home == Tile::Home::kL1 || tile.home == Tile::Home::kL0c || tile.home == Tile::Home::kBias;
  }
  // The tile that a tile is a part of, or itself; and its C++ text.
  int root(int index) const { return tile(index).view_of >= 0 ? tile(index).view_of : index; }
  std::string text(int index) const {
    const Tile& part = tile(index);
    return part.view_of < 0 ? part.name : tile(part.view_of).name + (part.start == "0" ? "" : "[" + part.start + "]");
  }
  Tile& tile(int index) { return tiles[static_cast<std::size_t>(index)]; }
  const Tile& tile(int index) const { return tiles[static_cast<std::size_t>(index)]; }
};

std::int64_t elements_of(const Parameter& parameter);

// The form as text, for --emit-pass.
std::string print_tiling(const Form& form);
std::string print_initialisation(const Form& form);

}  // namespace kg::dsl
