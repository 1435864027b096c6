#pragma once

#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/machine/core.h"

namespace kg::npu {

// The time of a product of the Matmul object, which is checked already, on a cube core that is free at `start`: when it
// is done, in cycles of the core's own time. A double-buffered walk over base blocks, down M first: while a block is
// multiplied, the panels of A and B of the next are copied from GM to L1 and loaded, and the one before is written.
// What the copies ask of GM is counted with what all cores ask of it (gm_traffic.h), so that L2 and its size are
// shared.
double spend_matmul(Core& core, const kgnpu::MatmulCall& call, double start);

}  // namespace kg::npu
