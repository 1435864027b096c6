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

// Writes a temporary file beside `path`, fsyncs it, renames it over `path` and fsyncs the folder. Whenever a kill or a
// power loss comes, `path` is either the old file or the complete new one.
void write_file_durably(const fs::path& path, std::string_view bytes);

// The same without fsync: safe against a kill, not against power loss. For files that can be made again.
void write_file_atomically(const fs::path& path, std::string_view bytes);

void fsync_file(const fs::path& path);
void fsync_folder(const fs::path& path);

// $KGTRAIN_HOME, or ~/.kgtrain by default. Created if it does not exist.
fs::path kgtrain_home();

// The folder of the running program; the other programs are beside it.
fs::path program_folder();

// Free bytes on the file system that holds `path` (or its nearest existing parent).
std::uint64_t free_disk_bytes(const fs::path& path);

// A temporary folder under $TMPDIR or /tmp, removed with its content when the object is destroyed.
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

// An exclusive lock of a file that names its holder. Released when the object is destroyed or the process ends.
class FileLock {
 public:
  // Throws Error, naming the holder's process, if the lock is taken. `what` names the locked thing.
  FileLock(const fs::path& path, std::string_view what);
  // False if the locked file was removed or replaced before the lock was taken, and so guards nothing.
  bool is_of(const fs::path& path) const;

 private:
  Descriptor file_;
};

// The same for callers that wait instead of failing, while one of them makes something that all of them need.
class WaitingLock {
 public:
  explicit WaitingLock(const fs::path& path);

 private:
  Descriptor file_;
};

}  // namespace kg
