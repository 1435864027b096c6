#include "rollout/weights_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/host_name.h"
#include "rollout/weights_files.h"

namespace kg::rollout {
namespace {

constexpr std::size_t kVersionsCached = 3;
constexpr std::chrono::seconds kUntouched{3600};

std::string name_of(const proto::WeightsManifest& manifest) {
  return std::to_string(manifest.version()) + "-" + manifest.checksum();
}

// A lock of what lies at the path now: whoever got hold of something that was removed meanwhile has nothing. Some
// shared file systems cannot lock a folder; there nobody is seen to hold what was not touched for so many seconds.
std::optional<Descriptor> lock(const fs::path& path, int flags, int kind, std::chrono::seconds untouched = {}) {
  Descriptor descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!descriptor.open()) return std::nullopt;
  if (::flock(descriptor.number(), kind | LOCK_NB) != 0) {
    std::error_code error;
    if (errno == EWOULDBLOCK || fs::last_write_time(path, error) + untouched > fs::file_time_type::clock::now())
      return std::nullopt;
  }
  struct stat mine{}, there{};
  if (::fstat(descriptor.number(), &mine) != 0 || ::stat(path.c_str(), &there) != 0 || mine.st_ino != there.st_ino)
    return std::nullopt;
  return descriptor;
}

bool starts_with(const fs::path& path, const std::string& start) { return path.filename().string().starts_with(start); }

}  // namespace

WeightsCache::WeightsCache(const fs::path& folder) : folder_(folder) {}

// The checksum is part of the name: another run's version of the same number is another folder.
fs::path WeightsCache::folder_of(const proto::WeightsManifest& manifest) const {
  return folder_ / ("version-" + name_of(manifest));
}

std::optional<Descriptor> WeightsCache::hold(const proto::WeightsManifest& manifest) const {
  const fs::path path = folder_of(manifest);
  auto held = lock(path, O_RDONLY | O_DIRECTORY, LOCK_SH);
  std::error_code error;
  proto::WeightsManifest here = manifest;
  here.set_path(path.string());
  if (!held || !weights_present(here)) return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // the newest are those used last
  return held;
}

std::optional<Descriptor> WeightsCache::begin_fetch(const proto::WeightsManifest& manifest) const {
  fs::create_directories(folder_);
  return lock(folder_ / ("fetching-" + name_of(manifest) + "-" + host_name()), O_RDWR | O_CREAT, LOCK_EX);
}

WeightsCache::Part WeightsCache::make_part(const proto::WeightsManifest& manifest) const {
  const fs::path path = folder_ / ("part-" + host_name() + "-" + name_of(manifest));
  fs::create_directories(path);
  auto held = lock(path, O_RDONLY | O_DIRECTORY, LOCK_EX);
  if (!held)
    throw Error(std::string("cannot lock the folder of weights that are fetched: ") + std::strerror(errno),
                path.string(), "check that the cache is writable", Error::Kind::kEnvironment);
  return {path, std::move(*held)};
}

void WeightsCache::keep(const fs::path& part, const proto::WeightsManifest& manifest) const {
  std::error_code error;
  fs::rename(part, folder_of(manifest), error);
  if (error) fs::remove_all(part, error);  // another host was faster
}

void WeightsCache::thin_out() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> versions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    const fs::path& path = entry.path();
    if (starts_with(path, "version-")) versions.emplace_back(entry.last_write_time(ignored), path);
    const bool of_nobody =
        starts_with(path, "part-" + host_name() + "-") && lock(path, O_RDONLY | O_DIRECTORY, LOCK_EX, kUntouched);
    if (of_nobody) fs::remove_all(path, ignored);
  }
  std::sort(versions.rbegin(), versions.rend());
  for (std::size_t i = kVersionsCached; i < versions.size(); ++i) {
    const fs::path& path = versions[i].second;
    const auto mine = lock(path, O_RDONLY | O_DIRECTORY, LOCK_EX, kUntouched);
    if (!mine) continue;  // somebody uses it
    fs::remove_all(path, ignored);
    const std::string name = path.filename().string().substr(std::strlen("version-"));
    fs::remove(folder_ / ("fetching-" + name + "-" + host_name()), ignored);
  }
}

}  // namespace kg::rollout
