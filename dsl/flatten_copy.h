#pragma once

#include <string>
#include <vector>

#include "dsl/flattening.h"

namespace kg::dsl {

// Copies between GM and tiles. The indices are those of the load or store that selects the region.
Copy copy_of(Flattening& flat, const Region& region, const std::vector<Index>& indices);
// The region's first element within its tensor, and the product of the tensor's extents from `first` up to `last`: C++.
std::string offset_text(Flattening& flat, const Region& region, const std::vector<Index>& indices);
std::string extent_text(const Parameter& parameter, std::size_t first, std::size_t last);
// A load of a tile: returns the tile that holds it, `into` if given.
int load_tile(Flattening& flat, const Expr& expr, int into);

}  // namespace kg::dsl
