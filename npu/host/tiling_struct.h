#pragma once

#include <string>

namespace kg::npu {

// The registered tiling data as structures for the kernel, with the registered names, and KG_TILING_STRUCT for the one
// that belongs to this operator and tiling key.
std::string tiling_structures(const std::string& op_type, unsigned long long tiling_key);

}  // namespace kg::npu
