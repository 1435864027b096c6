#pragma once

#include <string>

#include "dataset/synthesis/variant.h"

namespace kg::dataset {

// The kernel as a whole file in few tokens, always in the same order and with the same names: one row at a time,
// buffers of a fixed size, DataCopyPad for every length, two barriers a row instead of queues.
std::string compact_kernel(const Variant& variant);

// The same function in the style of the public AddCustom sample: a class with Init, CopyIn, Compute and CopyOut, a
// queue for each tensor, double buffering, tiles as large as is useful, DataCopy where lengths allow it.
std::string full_kernel(const Variant& variant);

// How the full style cuts the work.
struct Tiling {
  std::int64_t core_length = 0;   // elements a core, or rows a core if along rows
  std::int64_t tile = 0;          // elements a tile, a multiple of 128
  std::int64_t tiles = 0;         // a core, at most
  bool aligned = false;           // every copy is whole units of 32 bytes and every tile is full
  std::int64_t buffer_bytes = 0;  // of the unified buffer
};
Tiling full_tiling(const Variant& variant);

}  // namespace kg::dataset
