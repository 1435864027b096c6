#pragma once

#include <string>
#include <vector>

#include "ascendc_kernel.h"

// Many small kernels in one translation unit: the bodies of a function that has a TPipe `pipe`, queues `in` (VECIN) and
// `out` (VECOUT) of depth 1, a `buf` (TBuf), GlobalTensors `x`, `y` (inputs), `z` (output) and `w` (workspace) of
// kBodyLength floats each, and their addresses xg, yg, zg, wg. Line 1 is the first line of the body. An input tells the
// kernel which body to run.
namespace kg::sandbox::ascendc::testing {

inline constexpr int kBodyLength = 4096;

struct Body {
  const char* name;
  std::string text;
  std::string errors;  // "class:line", space between; empty: none
  std::uint32_t block_dim = 1;
};

// The source of a kernel `k` with all bodies.
std::string bodies_source(const std::vector<Body>& bodies);
// x counts 1, 2, 3, ...; y counts down in halves, with both signs.
proto::RunCase bodies_case(std::size_t which);
proto::CaseResult run_body(const std::vector<Body>& bodies, std::size_t which, std::uint64_t seed = 0);

}  // namespace kg::sandbox::ascendc::testing
