#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace kg::sandbox {

namespace fs = std::filesystem;

// How untrusted code is isolated from this host.
enum class Isolation {
  kNamespaces,      // bubblewrap started by root, which drops to an ordinary user inside
  kUserNamespaces,  // bubblewrap started by an ordinary user
  kLess,            // no namespaces: only resource limits and the system call filter
};

// A program on $PATH (or the path or name in the environment variable `variable`, if it is set), with symbolic links
// resolved; empty if there is none. `names` in order of preference.
fs::path find_program(const char* variable, const std::vector<std::string>& names);

// The shared libraries that this program has loaded, without itself: all that it needs from the host to start again.
std::vector<fs::path> loaded_libraries();

// An Error for an operation that the host refused, with errno's reason.
Error host_lacks(const std::string& what);

}  // namespace kg::sandbox
