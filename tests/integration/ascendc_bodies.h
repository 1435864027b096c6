#pragma once

#include <string>
#include <vector>

#include "ascendc_kernel.h"

// Many small kernels in one translation unit: the bodies of a function that has a TPipe `pipe`, GlobalTensors `x`, `y`
// (inputs), `z` (output) and `w` (workspace) of 16 KB each, and their addresses xg, yg, zg, wg. Line 1 is the first
// line of the body. An input tells the kernel which body to run.
//
// Bodies for vector cores have queues `in` (VECIN) and `out` (VECOUT) of depth 1 and a `buf` (TBuf) besides, and all
// tensors are of float. For cube cores and mixed kernels x and y are of half, z and w of float.
namespace kg::npu::testing {

inline constexpr int kBodyLength = 4096;

enum class Cores : std::uint8_t { kVector, kCube, kMixed };

struct Body {
  std::string name;
  std::string text;
  std::string errors;  // "class:line", space between; "~class:line" is a warning; empty: none
  std::uint32_t block_dim = 1;
  Cores cores = Cores::kVector;  // the same for all bodies of a list
};

// The source of a kernel `k` with all bodies.
std::string bodies_source(const std::vector<Body>& bodies);

// What may change from run to run without a correct kernel doing anything else.
struct Trial {
  std::uint64_t seed = 0;       // order of the cores
  int inputs = 0;               // 0: x counts 1, 2, 3, ...; y counts down in halves, with both signs; others: random
  std::uint8_t garbage = 0xFF;  // what fresh memory holds
};
// The inputs of a body, and the output that it has.
proto::RunCase case_of(std::size_t which, Cores cores, int inputs);
proto::CaseResult run_body(const std::vector<Body>& bodies, std::size_t which, const Trial& trial = {});

}  // namespace kg::npu::testing
