#pragma once

#include <set>

#include "dataset/translation/graph.h"

namespace kg::dataset::translation {

// Nodes that are stored before others are computed of them: those that say so, and sums over windows (a convolution of
// each channel, pooling) that several loops would compute again, such as the mean, the variance and the result of a
// normalisation behind them.
std::set<int> in_memory(const Graph& graph);

}  // namespace kg::dataset::translation
