#pragma once

#include <filesystem>
#include <optional>

#include "base/file.h"

namespace kg::sandbox {

// The scratch folder of one kgtrain-sandbox under $TMPDIR:
//   compile/  writable in the compiler's cell: kernel.cpp, kernel.o, kernel.so (of host code)
//   kernel/   read-only in the kernel's cell: the kernel.o to load
// Locked while in use, so that the next sandbox can remove what a killed one left behind.
class WorkFolder {
 public:
  WorkFolder();
  const fs::path& path() const { return folder_->path(); }
  fs::path compile() const { return path() / "compile"; }
  fs::path kernel() const { return path() / "kernel"; }

  void clear_compile() const;
  // Why nothing can be written here ("No space left on device"); empty if it can.
  std::string write_failure() const;

 private:
  void claim();

  std::optional<TemporaryFolder> folder_;
  std::optional<FileLock> lock_;
};

}  // namespace kg::sandbox
