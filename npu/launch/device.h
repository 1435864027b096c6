#pragma once

#include <cstdint>
#include <string>

#include "npu/machine/gm_traffic.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// The emulated NPU as seen by the rest of the sandbox: the toolchain compiles a source as compilation.h says, the
// isolated process calls launch() with the object.

struct Launch {
  std::string object;  // the compiled kernel's file
  std::string entry_point;
  std::uint32_t block_dim = 1;
  std::uint64_t workspace_bytes = 0;
  std::uint64_t core_order_seed = 0;  // 0: index order
  std::uint64_t cycle_limit = 0;      // 0: none
  std::uint64_t jump_limit = 0;       // jumps a core may take; 0: no limit, since a time limit ends the process
  L2Before l2 = {};                   // nothing, as the sandbox has it
  std::uint8_t garbage = 0xFF;        // content of fresh memory; 0xFF is NaN in every floating type
  bool want_timeline = false;
  bool want_profile = false;
};

// Runs in the isolated process: allocates and poisons outputs, runs all cores, checks, times, and collects the outputs.
// Parameters of the entry point are inputs, outputs, then workspace and tiling if the signature has them. Faults of
// the kernel are in the result.
proto::CaseResult launch(const Launch& launch, const proto::RunCase& run_case);

}  // namespace kg::npu
