#pragma once

#include <cstdint>

#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

// What the fixpipe does to an element of L0C on its way out, by QuantMode_t.
bool per_column(std::uint8_t mode);  // one scale word per column
bool takes_scale(std::uint8_t mode);
bool quantisation_fits(std::uint8_t mode, kgnpu::Type src, kgnpu::Type dst);
// The bits of the destination type for the 4 bytes at `from`.
std::uint32_t quantised(std::uint8_t mode, kgnpu::Type src, kgnpu::Type dst, bool relu, const std::uint8_t* from,
                        std::uint64_t scale);

}  // namespace kg::npu
