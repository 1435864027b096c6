#include "dataset/translation/composites.h"

namespace kg::dataset::translation {
namespace {

int scaled_by(NodeMaker& make, int value, const std::string& factor) {
  return factor == "1" ? value : make.pointwise("$1 * " + factor, {value});
}

int with_matrix(NodeMaker& make, int a, int b) {
  const int right = make.rank(b);
  if (make.rank(a) == 1 && right == 1) {
    const int products = make.pointwise("$1 * $2", {a, b});
    return make.reduce("sum", products, {0}, false);
  }
  if (right == 1) return make.reduce("sum", make.pointwise("$1 * $2", {a, b}), {make.rank(a) - 1}, false);
  if (right == 2 && make.graph().size(b, 1) == 1) {  // a vector
    const int row = make.reshape(b, {make.graph()[b].dims[0]});
    return make.reduce("sum", make.pointwise("$1 * $2", {a, row}), {make.rank(a) - 1}, true);
  }
  return make.product(a, b);
}

}  // namespace

int multiplied(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op == "mm" || op == "bmm" || op == "matmul" || op == "mv" || op == "dot")
    return with_matrix(make, line.node(0), line.node(1));
  if (op == "linear") {
    const int made = make.product(line.node(0), make.transposed(line.node(1)));
    return line.has(2) ? make.pointwise("$1 + $2", {made, line.node(2)}) : made;
  }
  if (op == "addmm" || op == "baddbmm" || op == "addmv") {
    const int made = scaled_by(make, with_matrix(make, line.node(1), line.node(2)), line.text(4, "alpha", "1"));
    return make.pointwise("$1 + $2", {made, scaled_by(make, line.node(0), line.text(3, "beta", "1"))});
  }
  return -1;
}

}  // namespace kg::dataset::translation
