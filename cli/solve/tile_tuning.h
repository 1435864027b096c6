#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/solve/judge_desk.h"

namespace kg::cli {

// A place where a program in the DSL may name a tile size: the second argument of tiles(...), or the value of
// `tile T`. The text from `begin` to `end` is what stands there now: ", 2048", " = 2048", or nothing where the compiler
// chooses.
struct TileSlot {
  std::size_t begin = 0, end = 0;
  const char* lead = "";  // what stands in front of a size
};
std::vector<TileSlot> tile_slots(const std::string& program);
std::string with_tile_size(const std::string& program, const TileSlot& slot, int size);

// The program with the sizes that the judged cycles say are fastest: one place after the other, as many variants as
// `most` allows. `verdict` is that of the program, and becomes that of the result.
std::string tuned(const std::string& program, int most, JudgeDesk& desk, proto::Verdict& verdict);

}  // namespace kg::cli
