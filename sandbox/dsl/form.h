#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/dsl/check.h"
#include "sandbox/dsl/element.h"

namespace kg::sandbox::dsl {

// What the passes hand on. tiling makes tiles and steps; initialisation gives the tiles a place in UB; processing turns
// steps into lines of Ascend C; unaligned access corrects the copies among them.

// A vector value in UB.
struct Tile {
  enum class Home { kIn, kOut, kWork };  // filled by a copy in, emptied by a copy out, neither
  std::string name;                      // in the Ascend C
  proto::DType dtype = proto::FLOAT32;   // UINT8: a mask's bits
  std::int64_t capacity = 0;             // elements at most
  Home home = Home::kWork;
  bool named = false;    // after a variable of the program
  bool declared = true;  // false: another tile of the same place and type declares the name
  // Set by the initialisation pass.
  int first = 0, last = 0;   // steps between which it lives
  std::int64_t bytes = 0;    // whole repeats
  std::int64_t offset = -1;  // in the work buffer
  int buffers = 0;           // of its queue
  int queue = -1;            // the tile after which the queue is named
};

// A copy between GM and UB of elements that lie one after the other.
struct Copy {
  int tensor = 0;  // parameter; kWorkspace
  int tile = 0;
  std::string offset, count;                     // C++
  std::int64_t offset_unit = 1, count_unit = 1;  // elements that always divide them; 0: always zero
  bool padded = false;  // may reach outside the dimension: `start` within `extent`, filled with `pad`
  std::string start, extent, pad;
  enum class Form { kOpen, kWhole, kPad } form = Form::kOpen;  // set by the unaligned pass
};
inline constexpr int kWorkspace = -1;

// One step of three-address code, with structured control flow.
struct Step {
  enum class Kind { kFor, kIf, kElse, kEnd, kCopyIn, kCopyOut, kVector, kScalar, kBarrier };
  Kind kind = Kind::kVector;
  int line = 0;                      // of the program
  std::string op;                    // kVector: the call
  int result = -1;                   // tile
  std::vector<int> sources;          // tiles
  std::vector<int> scratch;          // tiles that the call destroys
  std::vector<std::string> scalars;  // C++, in the order of the call
  std::string count;                 // C++
  std::int64_t elements = 0;         // count at most
  bool in_place = false;             // the result may take a source's place
  Copy copy;
  std::string name, type, value;  // kScalar: sets `name`; `type` empty: declared before. kIf: value
  bool waits = false;             // kScalar: reads a tile
  // kFor
  std::string begin, end, stride;
  double trips = 1;  // expected, of a core
};

struct Form {
  Checked checked;
  std::vector<Tile> tiles;
  std::vector<Step> steps;
  int reductions = 0;  // over all cores, each with its place in the workspace
  bool index64 = false;
  bool compact = false;
  // Set by the initialisation pass.
  std::int64_t work_bytes = 0, ub_bytes = 0;

  const Parameter& tensor(int index) const { return checked.program.parameters[static_cast<std::size_t>(index)]; }
  Tile& tile(int index) { return tiles[static_cast<std::size_t>(index)]; }
  const Tile& tile(int index) const { return tiles[static_cast<std::size_t>(index)]; }
};

// The forms as text, for --emit-pass.
std::string print_tiling(const Form& form);
std::string print_initialisation(const Form& form);

}  // namespace kg::sandbox::dsl
