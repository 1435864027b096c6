#pragma once

#include <stdint.h>

#include "matmul_tiling_fields.h"  // beside this file: kernels and the host side have other include paths

namespace AscendC::tiling {

struct TCubeTiling {
#define KG_FIELD(name) int32_t name = 0;
  KG_MATMUL_TILING_FIELDS(KG_FIELD)
#undef KG_FIELD
};
static_assert(sizeof(TCubeTiling) == 200, "");

}  // namespace AscendC::tiling
