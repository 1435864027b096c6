#pragma once

#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/machine/core.h"

namespace kg::npu {

// The time of a product of the Matmul object, already checked, on a cube core that is free at `start`: when it
// ends, in cycles of the core's own time. A double-buffered walk over base blocks, down M first: while a block is
// multiplied, the panels of A and B for the next one are copied from GM to L1, unless it keeps them, and loaded, and
// the previous one is written. The copies' demand on GM is counted with that of all cores (gm_traffic.h), so that L2
// and its size are shared.
double spend_matmul(Core& core, const kgnpu::MatmulCall& call, double start);
// Cycles of the cube unit for A (m, k) times B (k, n), or of the loads in front of it if they take longer.
double unit_cycles(kgnpu::Type type, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace kg::npu
