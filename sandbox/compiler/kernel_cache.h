#pragma once

#include <filesystem>
#include <string>

namespace kg::sandbox {

namespace fs = std::filesystem;

// Compiled kernels by content, shared by all sandboxes of a host: <folder>/kernels/<key>.o, completed by a rename, and
// <key>.txt with the compiler's output. If there are too many, the oldest are removed.
class KernelCache {
 public:
  explicit KernelCache(fs::path folder);  // empty: keeps nothing

  bool fetch(const std::string& key, const fs::path& object, std::string& compiler_output) const;
  // A cache that cannot be written is not an error: the kernel is compiled again.
  void store(const std::string& key, const fs::path& object, const std::string& compiler_output);

 private:
  void thin_out() const;

  fs::path folder_;
  std::size_t stored_ = 0;
};

}  // namespace kg::sandbox
