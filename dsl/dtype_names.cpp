#include <unordered_map>

#include "dsl/parser.h"

namespace kg::dsl {

proto::DType dtype_of(const std::string& name) {
  static const std::unordered_map<std::string, proto::DType> names = {
      {"float", proto::FLOAT32},     {"float32", proto::FLOAT32},
      {"f32", proto::FLOAT32},       {"half", proto::FLOAT16},
      {"float16", proto::FLOAT16},   {"f16", proto::FLOAT16},
      {"bfloat16", proto::BFLOAT16}, {"bfloat16_t", proto::BFLOAT16},
      {"bf16", proto::BFLOAT16},     {"int8", proto::INT8},
      {"uint8", proto::UINT8},       {"int16", proto::INT16},
      {"int32", proto::INT32},       {"int64", proto::INT64},
      {"double", proto::FLOAT64},    {"float64", proto::FLOAT64},
      {"bool", proto::BOOL}};
  const auto found = names.find(name);
  return found == names.end() ? proto::DTYPE_UNSPECIFIED : found->second;
}

std::string dtype_name(proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT32:
      return "float";
    case proto::FLOAT16:
      return "half";
    case proto::BFLOAT16:
      return "bfloat16";
    case proto::INT8:
      return "int8";
    case proto::UINT8:
      return "uint8";
    case proto::INT16:
      return "int16";
    case proto::INT32:
      return "int32";
    case proto::INT64:
      return "int64";
    case proto::FLOAT64:
      return "double";
    case proto::BOOL:
      return "bool";
    default:
      return "an unknown type";
  }
}

}  // namespace kg::dsl
