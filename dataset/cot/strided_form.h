#pragma once

#include <cstdint>

#include "dataset/cot/instance.h"
#include "dsl/code.h"

namespace kg::dataset::cot {

// The form of a kernel that needs few computations before its first line is written, so that a small mistake
// in a number costs time, but not correctness.

// Elements of a tile: the smallest size, doubled up to 2048 until one round of the cores covers the tensor.
inline constexpr std::int64_t kLeastTile = 128;
std::int64_t strided_tile(const Instance& instance);

// Core i processes the pieces i, i + cores, i + 2 cores, ... instead of a contiguous part. Before the initialisation
// pass.
void stride_loops(dsl::Form& form);

// Lengths by their names: those of extents, and L for a tile. Before the initialisation pass.
void name_lengths(dsl::Form& form, std::int64_t tile);

// Moves copies in before the casts of the preceding copies, so that one barrier serves all. Before the
// initialisation pass.
void gather_copies(dsl::Form& form);

// Turns every copy of a row or a tile into a DataCopyPad, which moves any number of bytes.
void pad_copies(dsl::Code& code);

}  // namespace kg::dataset::cot
