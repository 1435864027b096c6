#include "sandbox/cell/work_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/in_use.h"

namespace kg::sandbox {
namespace {

constexpr const char* kPrefix = "kgtrain-sandbox";
constexpr uid_t kNobody = 65534;

void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    struct stat info{};
    if (!entry.path().filename().string().starts_with(kPrefix) || ::lstat(entry.path().c_str(), &info) != 0 ||
        info.st_uid != ::geteuid() || !S_ISDIR(info.st_mode) || !fs::exists(entry.path() / "lock", error))
      continue;
    try {
      const FileLock lock(entry.path() / "lock", "an abandoned sandbox folder");
      fs::remove_all(entry.path(), error);
    } catch (const Error&) {
      // In use.
    }
  }
}

}  // namespace

// Until its lock is taken, a new folder looks abandoned to a sandbox that starts at the same time.
void WorkFolder::claim() {
  while (!lock_) {
    folder_.emplace(kPrefix);
    const fs::path file = path() / "lock";
    try {
      lock_.emplace(file, "the sandbox's folder");
      if (!lock_->is_of(file)) lock_.reset();
    } catch (const InUse&) {
      // The other one is about to remove it.
    }
  }
}

WorkFolder::WorkFolder() {
  claim();
  fs::create_directory(compile());
  fs::create_directory(kernel());
  // Only names known beforehand are opened in here, by the cell's ordinary user.
  ::chmod(path().c_str(), 0711);
  ::chmod(kernel().c_str(), 0755);
  ::chmod(compile().c_str(), 0755);
  if (::geteuid() == 0 && ::chown(compile().c_str(), kNobody, kNobody) != 0)
    throw Error("cannot hand a folder to an ordinary user", compile().string(), "set TMPDIR to a local folder",
                Error::Kind::kEnvironment);
  remove_abandoned(path().parent_path());
}

void WorkFolder::clear_compile() const {
  for (const auto& entry : fs::directory_iterator(compile())) fs::remove_all(entry.path());
}

std::string WorkFolder::write_failure() const {
  try {
    const fs::path probe = kernel() / "probe";
    write_file_atomically(probe, std::string(1 << 20, 'x'));
    fs::remove(probe);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace kg::sandbox
