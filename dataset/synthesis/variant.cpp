#include "dataset/synthesis/variant.h"

#include "proto/dtype.h"

namespace kg::dataset {

std::int64_t Variant::element_bytes() const { return static_cast<std::int64_t>(proto::element_size(dtype)); }

std::string Variant::type() const { return proto::ascendc_type(dtype); }

bool Variant::casts() const { return dtype == proto::BFLOAT16 || (dtype == proto::FLOAT16 && structure->rowwise); }

std::string Variant::shape_text() const {
  return type() + "[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
}

std::string Variant::output_shape_text() const {
  return structure->reduces ? type() + "[" + std::to_string(rows) + "]" : shape_text();
}

std::vector<std::string> Variant::input_names() const {
  std::vector<std::string> names = {"x", "y", "w"};
  names.resize(structure->inputs.size());
  return names;
}

}  // namespace kg::dataset
