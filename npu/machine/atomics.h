#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

// GM[i] = GM[i] op data[i] over whole elements. mode: 1 add, 2 max, 3 min.
void apply_atomic(int mode, kgnpu::Type type, std::uint8_t* target, const std::uint8_t* data, std::size_t bytes);

}  // namespace kg::npu
