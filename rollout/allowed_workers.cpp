#include "rollout/allowed_workers.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "rollout/curve_keys.h"

namespace kg::rollout {
namespace {

constexpr double kLookEverySeconds = 0.2;

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

AllowedWorkers::AllowedWorkers(const fs::path& folder) : folder_(folder) {
  ::stat((folder_ / "allowed_workers").c_str(), &seen_);
  keys_ = read_allowed_workers(folder_);
  looked_ = monotonic_seconds();
}

bool AllowedWorkers::contains(const std::string& key) {
  const std::lock_guard lock(mutex_);
  // A key that is not there may have come just now: a connection that is refused does not always try again.
  if (!keys_.contains(key) || monotonic_seconds() >= looked_ + kLookEverySeconds) read_if_changed();
  return keys_.contains(key);
}

void AllowedWorkers::read_if_changed() {
  looked_ = monotonic_seconds();
  struct stat found{};
  ::stat((folder_ / "allowed_workers").c_str(), &found);  // all zero if it is not there
  if (same_file(found, seen_)) return;
  seen_ = found;
  try {
    keys_ = read_allowed_workers(folder_);
    spdlog::info("{}: {} workers are allowed now", (folder_ / "allowed_workers").string(), keys_.size());
  } catch (const Error& error) {
    spdlog::error("the list of allowed workers stays as it was: {}", error.full_message());
  }
}

}  // namespace kg::rollout
