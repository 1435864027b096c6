#pragma once

#include <cstdint>
#include <string>

#include "proto/task.pb.h"

namespace kg::dsl {

std::int64_t element_bytes(proto::DType dtype);
std::string cpp_type(proto::DType dtype);

}  // namespace kg::dsl
