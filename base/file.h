#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace kg {

namespace fs = std::filesystem;

// The whole file as bytes. Throws Error if it cannot be read.
std::string read_file(const fs::path& path);

// Writes a temporary file beside `path`, fsyncs it, renames it over `path` and fsyncs the folder: at any instant of a
// kill or power loss `path` is either the old file or the whole new one.
void write_file_durably(const fs::path& path, std::string_view bytes);

// The same, without fsync: atomic against a kill, not against power loss. For files that can be made again.
void write_file_atomically(const fs::path& path, std::string_view bytes);

void fsync_file(const fs::path& path);
void fsync_folder(const fs::path& path);

// $KGTRAIN_HOME, default ~/.kgtrain. Made if absent.
fs::path kgtrain_home();

// The folder of the running program; the other programs lie beside it.
fs::path program_folder();

// Free bytes on the file system that holds `path` (or its nearest existing parent).
std::uint64_t free_disk_bytes(const fs::path& path);

// A folder under $TMPDIR or /tmp, removed with all it holds when the object goes.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix = "kgtrain");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// An exclusive lock of a file, naming its holder. Released when the object or the process goes.
class FileLock {
 public:
  // Throws Error naming the process that holds the lock if it is taken. `what` names the thing locked.
  FileLock(const fs::path& path, std::string_view what);

 private:
  Descriptor file_;
};

// The same where others wait rather than fail: held while something is made that all of them want.
class WaitingLock {
 public:
  explicit WaitingLock(const fs::path& path);

 private:
  Descriptor file_;
};

}  // namespace kg
