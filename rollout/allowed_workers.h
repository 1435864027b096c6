#pragma once

#include <sys/stat.h>

#include <mutex>
#include <set>
#include <string>

#include "base/file.h"

namespace kg::rollout {

// The public keys in a folder's allowed_workers, read again when the file changes: a worker can be let in, or shut out,
// while the run goes on. A file that cannot be read leaves the list as it was, and the log says so. Thread-safe.
class AllowedWorkers {
 public:
  explicit AllowedWorkers(const fs::path& folder);
  bool contains(const std::string& key);

 private:
  void read_if_changed();

  fs::path folder_;
  std::mutex mutex_;
  std::set<std::string> keys_;
  struct stat seen_{};
  double looked_ = 0;
};

}  // namespace kg::rollout
