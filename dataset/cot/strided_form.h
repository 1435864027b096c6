#pragma once

#include <cstdint>

#include "dataset/cot/instance.h"
#include "dsl/code.h"

namespace kg::dataset::cot {

// The form of a kernel for which little has to be computed before its first line is written, so that a small mistake
// in a number costs time and not the result.

// Elements of a tile: the least, doubled up to 2048 until one round of the cores covers the tensor.
inline constexpr std::int64_t kLeastTile = 128;
std::int64_t strided_tile(const Instance& instance);

// Core i takes the pieces i, i + cores, i + 2 cores, ... in place of a stretch of its own. Before the initialisation
// pass.
void stride_loops(dsl::Form& form);

// Lengths by their names: the extents', and L for a tile. Before the initialisation pass.
void name_lengths(dsl::Form& form, std::int64_t tile);

// Copies in stand before the casts of the copies in front of them, so that one barrier is for all. Before the
// initialisation pass.
void gather_copies(dsl::Form& form);

// Every copy of a row or a tile becomes a DataCopyPad, which moves any number of bytes.
void pad_copies(dsl::Code& code);

}  // namespace kg::dataset::cot
