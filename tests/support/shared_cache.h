#pragma once

#include "base/file.h"

namespace kg {

// Makes the folder `home`, to be the KGTRAIN_HOME of programs under test, with the cache of this process's: what the
// compiler prepares once for each cache takes seconds.
inline void share_cache(const fs::path& home) {
  const fs::path cache = kgtrain_home() / "cache";
  fs::create_directories(cache);
  fs::create_directories(home);
  fs::create_directory_symlink(cache, home / "cache");
}

}  // namespace kg
