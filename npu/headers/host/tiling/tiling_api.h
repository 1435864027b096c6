#pragma once

// Host side of the high-level library.

#include "graph/tensor.h"
#include "register/tilingdata_base.h"
#include "tiling/layer_norm_grad_tiling.h"
#include "tiling/layout_tiling.h"
#include "tiling/library_tiling.h"
#include "tiling/matmul_tiling.h"
#include "tiling/norm_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/softmax_tiling.h"
#include "tiling/temporary_sizes.h"

// Only the size of the kernel's types matters. A source that holds a kernel too has them already.
#ifndef __aicore__
struct half {
  uint16_t kg_bits;
};
struct bfloat16_t {
  uint16_t kg_bits;
};
#endif
