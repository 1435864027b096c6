#pragma once

#include <stdint.h>

// What a call of the library and its functions on the host side are both told.

namespace AscendC {

// The axes of a reduction, by pattern: R is reduced, A is kept.
enum class ReducePattern : uint32_t {
  AR = 0,
  RA,
  R,
  ARA,
  ARAR,
  ARARA,
  ARARAR,
  ARARARA,
  ARARARAR,
  ARARARARA,
  RAR,
  RARA,
  RARAR,
  RARARA,
  RARARAR,
  RARARARA
};
enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL };

}  // namespace AscendC
