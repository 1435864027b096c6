#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace kg::sandbox {

namespace fs = std::filesystem;

// How untrusted code is kept apart from this host.
enum class Isolation {
  kNamespaces,      // bubblewrap started by root, which drops to an ordinary user inside
  kUserNamespaces,  // bubblewrap started by an ordinary user
  kLess,            // no namespaces: resource limits and the system call filter alone
};

// A program on $PATH (or the path or name in the environment variable `variable`, where it is set), symbolic links
// resolved; empty if there is none. `names` in order of preference.
fs::path find_program(const char* variable, const std::vector<std::string>& names);

// The shared libraries that this program has loaded, itself left out: all that it needs of the host to start again.
std::vector<fs::path> loaded_libraries();

// What the host refused, with errno's reason.
Error host_lacks(const std::string& what);

}  // namespace kg::sandbox
