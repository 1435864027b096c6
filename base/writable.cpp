#include "base/writable.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace kg {

void require_writable(const fs::path& file, const std::string& option) {
  if (file.empty() || file == "-") return;
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw Error(option + " names a folder, but must name a file to write", file.string(), "name a file in it");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::exists(folder, ignored))
    throw Error(option + " is to be written into this folder, but it does not exist", folder.string(),
                "make that folder, or name another");
  if (!fs::is_directory(folder, ignored))
    throw Error(option + " is to be written into this folder, but it is a file", folder.string(), "name a folder");
  // Some file systems (/proc) report that root may write anything, but then create no file.
  const bool there = fs::exists(file, ignored);
  if (::access(there ? file.c_str() : folder.c_str(), W_OK) != 0)
    throw Error(option + ": cannot write: " + std::strerror(errno), file.string(),
                "check its permissions, or name another file", Error::Kind::kEnvironment);
}

}  // namespace kg
