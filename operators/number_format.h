#pragma once

#include <cstddef>

#include "proto/task.pb.h"

namespace kg::operators {

// Element `index` of little-endian data as fp64; exact for every type up to 2^53.
double read_element(proto::DType dtype, const void* data, std::size_t index);
// Rounds to nearest even (floating point) or to the nearest integer with saturation, and stores the result.
void write_element(proto::DType dtype, void* data, std::size_t index, double value);
// `value` rounded to the type and converted back; overflow gives infinity.
double round_to(proto::DType dtype, double value);
// Distance between neighbouring values of a floating-point type at |value|, subnormals included; 0 for integers.
double unit_in_last_place(proto::DType dtype, double value);
bool is_floating(proto::DType dtype);

}  // namespace kg::operators
