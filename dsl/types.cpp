#include "dsl/types.h"

#include "dsl/parser.h"

namespace kg::dsl {

std::string length_text(const Length& length) {
  if (length.factor == 0) return std::to_string(length.constant);
  std::string text = (length.factor == 1 ? "" : std::to_string(length.factor) + " * ") + "len(" + length.range + ")";
  return length.constant == 0 ? text : text + " + " + std::to_string(length.constant);
}

std::string type_text(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kInt:
      return "a whole number";
    case Type::Kind::kFloat:
      return "a number";
    case Type::Kind::kBool:
      return "a condition";
    case Type::Kind::kRange:
      return "a tile range";
    case Type::Kind::kTile:
      return dtype_name(type.dtype) + "[" + length_text(type.length) + "]";
    case Type::Kind::kMask:
      return "a mask[" + length_text(type.length) + "]";
    case Type::Kind::kMatrix:
      return dtype_name(type.dtype) + "[" + length_text(type.rows) + ", " + length_text(type.length) + "] in " +
             (type.product ? "L0C" : "L1");
    default:
      return "nothing";
  }
}

}  // namespace kg::dsl
