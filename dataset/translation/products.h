#pragma once

#include <string>

#include "dataset/translation/writer.h"

namespace kg::dataset::translation {

// Loops of the cube cores. They store in `target` a kProduct of two operands in memory, or a kTaps of weights and rows.
struct MatrixOperand {
  Storage storage;
  bool turned = false;  // its last two axes are swapped
};
void write_product(Writer& in, const Node& node, const MatrixOperand& left, const MatrixOperand& right,
                   const std::string& target);
void write_taps(Writer& in, const Node& node, const std::string& weights, const std::string& rows,
                const std::string& target);

}  // namespace kg::dataset::translation
