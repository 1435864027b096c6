#pragma once

#include <cstdint>
#include <string>

#include "proto/dtype.h"

namespace kg::dataset::cot {

inline std::string number(std::int64_t value) { return std::to_string(value); }
inline std::string type(proto::DType dtype) { return proto::ascendc_type(dtype); }  // "half"

}  // namespace kg::dataset::cot
