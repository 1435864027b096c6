#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/in_use.h"

namespace kg {
namespace {

std::string reason() { return std::strerror(errno); }

Descriptor open_file(const fs::path& path, int flags, mode_t mode = 0) {
  return Descriptor(::open(path.c_str(), flags | O_CLOEXEC, mode));
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void write_whole(const fs::path& path, std::string_view bytes, bool durable) {
  const fs::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  {
    const Descriptor out = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (!out.open())
      throw Error("cannot write: " + reason(), path.string(), "check that the folder exists and is writable",
                  Error::Kind::kEnvironment);
    if (!write_fully(out.number(), bytes)) {
      const std::string why = reason();
      ::unlink(temporary.c_str());
      throw Error("cannot write: " + why, path.string(), "free disk space, or choose another folder",
                  Error::Kind::kEnvironment);
    }
    if (durable && ::fsync(out.number()) != 0)
      throw Error("cannot make the file durable: " + reason(), temporary.string(), "check the disk",
                  Error::Kind::kEnvironment);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string why = reason();
    ::unlink(temporary.c_str());
    throw Error("cannot write: " + why, path.string(), "name a file in a folder that is writable",
                Error::Kind::kEnvironment);
  }
  if (durable) fsync_folder(folder_of(path));
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor in = open_file(path, O_RDONLY);
  if (!in.open()) throw Error("cannot read: " + reason(), path.string(), "check the path and its permissions");
  struct stat info{};
  if (::fstat(in.number(), &info) == 0 && S_ISDIR(info.st_mode))
    throw Error("expected a file, found a folder", path.string(), "name a file in it");
  std::string bytes;
  if (info.st_size > 0) bytes.reserve(static_cast<std::size_t>(info.st_size));
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t got = ::read(in.number(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error("cannot read: " + reason(), path.string(), "check the disk", Error::Kind::kEnvironment);
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void write_file_durably(const fs::path& path, std::string_view bytes) { write_whole(path, bytes, /*durable=*/true); }

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  write_whole(path, bytes, /*durable=*/false);
}

void fsync_file(const fs::path& path) {
  const Descriptor file = open_file(path, O_RDONLY);
  if (!file.open() || ::fsync(file.number()) != 0)
    throw Error("cannot make the file durable: " + reason(), path.string(), "check the disk",
                Error::Kind::kEnvironment);
}

void fsync_folder(const fs::path& path) {
  const Descriptor folder = open_file(path, O_RDONLY | O_DIRECTORY);
  if (!folder.open() || ::fsync(folder.number()) != 0)
    throw Error("cannot make the folder durable: " + reason(), path.string(), "check the disk",
                Error::Kind::kEnvironment);
}

fs::path kgtrain_home() {
  const char* home = std::getenv("KGTRAIN_HOME");
  fs::path path;
  if (home != nullptr && *home != '\0') {
    path = home;
  } else {
    const char* user = std::getenv("HOME");
    if (user == nullptr || *user == '\0')
      throw Error("neither KGTRAIN_HOME nor HOME is set", "environment", "export KGTRAIN_HOME=/some/folder",
                  Error::Kind::kEnvironment);
    path = fs::path(user) / ".kgtrain";
  }
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw Error("cannot make the folder: " + error.message(), path.string(), "export KGTRAIN_HOME=/a/writable/folder",
                Error::Kind::kEnvironment);
  return path;
}

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

std::uint64_t free_disk_bytes(const fs::path& path) {
  fs::path existing = fs::absolute(path);
  while (!fs::exists(existing) && existing.has_relative_path()) existing = existing.parent_path();
  return fs::space(existing).available;
}

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  std::string pattern = (fs::temp_directory_path() / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw Error("cannot make a temporary folder: " + reason(), pattern, "set TMPDIR to a writable folder",
                Error::Kind::kEnvironment);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FileLock::FileLock(const fs::path& path, std::string_view what) : file_(open_file(path, O_RDWR | O_CREAT, 0644)) {
  if (!file_.open())
    throw Error("cannot open the lock file: " + reason(), path.string(), "check that the folder is writable",
                Error::Kind::kEnvironment);
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
    char holder[64] = {};
    const ssize_t got = ::pread(file_.number(), holder, sizeof(holder) - 1, 0);
    throw InUse(std::string(what) + " is in use by process " + (got > 0 ? std::string(holder) : "?"), path.string(),
                "wait for it, or stop it", Error::Kind::kFailed);
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(file_.number(), 0) != 0 || ::pwrite(file_.number(), pid.data(), pid.size(), 0) < 0)
    throw Error("cannot write the lock file: " + reason(), path.string(), "free disk space", Error::Kind::kEnvironment);
}

bool FileLock::is_of(const fs::path& path) const {
  struct stat locked{}, named{};
  return ::fstat(file_.number(), &locked) == 0 && ::stat(path.c_str(), &named) == 0 && locked.st_dev == named.st_dev &&
         locked.st_ino == named.st_ino;
}

WaitingLock::WaitingLock(const fs::path& path) : file_(open_file(path, O_RDWR | O_CREAT, 0644)) {
  int failed = -1;
  while (file_.open() && (failed = ::flock(file_.number(), LOCK_EX)) != 0 && errno == EINTR) {
  }
  if (failed != 0)
    throw Error("cannot lock: " + reason(), path.string(), "check that the folder is writable",
                Error::Kind::kEnvironment);
}

}  // namespace kg
