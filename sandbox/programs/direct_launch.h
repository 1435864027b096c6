#pragma once

#include <cstdint>
#include <string>

namespace kg::sandbox {

// A source that launches its kernel itself, from a host function: `kernel<<<block_dim, l2ctrl, stream>>>(arguments)`.
struct DirectLaunch {
  std::string source;         // with the launches as calls of KG_LAUNCH<kernel>
  std::string host_function;  // holds the (last) launch of the kernel, or is the entry point and calls one that does
  std::uint64_t streams = 0;  // bits of its parameters that are control and stream
};

// An operator project's kernel may contain a host function that launches it, for other kinds of projects. The source
// with the bodies of such functions blanked; line numbers stay the same.
std::string without_launchers(const std::string& source);

bool launches_directly(const std::string& source);

// `entry_point`: the kernel, or the host function itself. Throws Error if the source cannot be accepted (main(), no
// host function around the launch).
DirectLaunch read_direct_launch(const std::string& source, const std::string& entry_point);

}  // namespace kg::sandbox
