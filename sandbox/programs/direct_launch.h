#pragma once

#include <string>

namespace kg::sandbox {

// A source that launches its kernel itself, from a host function: `kernel<<<block_dim, l2ctrl, stream>>>(arguments)`.
struct DirectLaunch {
  std::string source;         // with the launches as calls of KG_LAUNCH<kernel>
  std::string host_function;  // the one that holds the (last) launch of the kernel
};

bool launches_directly(const std::string& source);

// `entry_point`: the kernel, or the host function itself. Throws Error where the source cannot be taken (main(), no
// host function around the launch).
DirectLaunch read_direct_launch(const std::string& source, const std::string& entry_point);

}  // namespace kg::sandbox
