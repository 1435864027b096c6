#pragma once

#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

// The values of Ascend C's RoundMode.
enum class RoundMode : int { kNone = 0, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

// The round modes that a pair of types supports on Atlas A2, one bit each.
unsigned allowed_round_modes(kgnpu::Type dst, kgnpu::Type src);

}  // namespace kg::npu
