#pragma once

#include <string>

namespace kg::npu {

// The source name of a function in a loaded shared object, "optiling::TilingFunc"; empty if its symbols do not tell.
std::string function_name(const std::string& shared_object, const void* function);

}  // namespace kg::npu
