#include <algorithm>

#include "dataset/synthesis/kernel.h"

namespace kg::dataset {
namespace {

constexpr std::int64_t kTileUnit = 128;      // elements: whole repeats of 256 bytes for every type
constexpr std::int64_t kLargestTile = 2048;  // larger tiles gain little; with these all kernels fit the unified buffer

}  // namespace

Tiling full_tiling(const Variant& variant) {
  const auto inputs = static_cast<std::int64_t>(variant.structure->inputs.size());
  Tiling tiling;
  if (variant.structure->rowwise) {
    tiling.core_length = ceil_div(variant.rows, kCores);
    tiling.tile = align_up(variant.columns, kTileUnit);
    tiling.tiles = tiling.core_length;
    tiling.aligned = variant.row_bytes() % 32 == 0;
  } else {
    tiling.core_length = align_up(ceil_div(variant.total(), kCores), kTileUnit);
    tiling.tiles = ceil_div(tiling.core_length, kLargestTile);
    tiling.tile = align_up(ceil_div(tiling.core_length, tiling.tiles), kTileUnit);
    tiling.aligned = tiling.core_length * kCores == variant.total() && tiling.tile * tiling.tiles == tiling.core_length;
  }
  const std::int64_t float_tensors =
      variant.casts() ? inputs + 2 : 1;  // casted inputs, result and scratch, or scratch alone
  const std::int64_t compute_bytes = variant.casts() ? 4 : variant.element_bytes();
  tiling.buffer_bytes = tiling.tile * (2 * (inputs + 1) * variant.element_bytes() + float_tensors * compute_bytes);
  return tiling;
}

}  // namespace kg::dataset
