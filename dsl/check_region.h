#pragma once

#include <string>
#include <vector>

#include "dsl/visible.h"

namespace kg::dsl {

// The parts of tensors and tiles that indices select. `text` is the load, store or slice, for messages.

// The part that a load or store of the parameter `tensor` selects: contiguous elements in GM.
Region region_of(Visible& seen, int tensor, std::vector<Index>& indices, bool has_pad, int line,
                 const std::string& text);
// The same for l1 and for stores of sums: rows at a constant pitch.
Region matrix_region(Visible& seen, int tensor, std::vector<Index>& indices, int line, const std::string& text);
// Start and length of a slice of a dimension with `extent` elements.
void check_slice(Visible& seen, Index& index, std::int64_t extent, Linear& start, Length& length, int line,
                 const std::string& text);

}  // namespace kg::dsl
