#pragma once

#include <string>

#include "dataset/translation/writer.h"

namespace kg::dataset::translation {

// Whether it is a kSpread whose rows are too long to be computed as one.
bool is_spread_in_pieces(const Graph& graph, const Node& node);

// The extents with which such a tensor is declared: pieces are stored as whole steps, each element and the zeros up to
// the next one, also behind the last.
std::string spread_shape(const Graph& graph, const Node& node);

// A loop that stores rows of zeros with the elements of `source` in every step-th place.
void write_spread(Writer& in, const Node& node, const Storage& source, const std::string& target, bool in_pieces);

}  // namespace kg::dataset::translation
