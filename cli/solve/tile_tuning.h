#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/options.h"
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

struct TuningLimits {
  int variants = 24;
  double seconds = 120;  // after which no further variant is judged
};
void declare_tuning(Options& options, TuningLimits& limits);

// The program with the sizes that the judged cycles say are fastest: one place after the other, as many variants as
// the limits allow. `verdict` is that of the program, and becomes that of the result. judged(n): n variants were.
std::string tuned(const std::string& program, const TuningLimits& limits, JudgeDesk& desk, proto::Verdict& verdict,
                  const std::function<void(int)>& judged);

}  // namespace kg::cli
