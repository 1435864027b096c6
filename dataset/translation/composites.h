#pragma once

#include <vector>

#include "dataset/translation/line_reader.h"
#include "dataset/translation/node_maker.h"

namespace kg::dataset::translation {

// Operators that become several nodes: reductions, norms, losses, pooling, convolutions, products. -1: it is none of
// these. Throws Unknown.
int composite(const LineReader& line, NodeMaker& make);

// Pooling, convolutions and padding. -1: none of these.
int windowed(const LineReader& line, NodeMaker& make);
// With its bias. Throws Unknown.
int convolution(const LineReader& line, NodeMaker& make);
// Products of matrices and vectors. -1: none of these.
int multiplied(const LineReader& line, NodeMaker& make);
// Writing to places. -1: none of these.
int indexed(const LineReader& line, NodeMaker& make);
// Images of another size. -1: none of these.
int resized(const LineReader& line, NodeMaker& make);
// Samples of images at given places. -1: none of these.
int sampled(const LineReader& line, NodeMaker& make);
// topk, sort: their values and places. Empty: another operator. Throws Unknown.
std::vector<int> ordered(const LineReader& line, NodeMaker& make);
// A weight of a direction and a length.
int with_lengths(const LineReader& line, NodeMaker& make);
// Losses on elements or rows, with their mean or sum. -1: none of these.
int lost(const LineReader& line, NodeMaker& make);

}  // namespace kg::dataset::translation
