#include "sandbox/compiler/kernel_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace kg::sandbox {
namespace {

constexpr std::size_t kMost = 20000;     // kernels of some 50 kB
constexpr std::size_t kLookEvery = 500;  // stores between two counts

}  // namespace

KernelCache::KernelCache(fs::path folder) {
  if (folder.empty()) return;
  folder_ = folder / "kernels";
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw Error("cannot make the folder: " + error.message(), folder_.string(), "choose another cache folder",
                Error::Kind::kEnvironment);
  thin_out();
}

bool KernelCache::fetch(const std::string& key, const fs::path& object, std::string& compiler_output) const {
  if (folder_.empty()) return false;
  const fs::path stored = folder_ / (key + ".o");
  std::error_code error;
  if (!fs::exists(stored, error)) return false;
  try {
    compiler_output = read_file(folder_ / (key + ".txt"));
    write_file_atomically(object, read_file(stored));
  } catch (const Error&) {
    return false;  // thinned out by another sandbox just now
  }
  ::chmod(object.c_str(), 0644);
  fs::last_write_time(stored, fs::file_time_type::clock::now(), error);
  return true;
}

void KernelCache::store(const std::string& key, const fs::path& object, const std::string& compiler_output) {
  if (folder_.empty()) return;
  try {
    write_file_atomically(folder_ / (key + ".txt"), compiler_output);
    write_file_atomically(folder_ / (key + ".o"), read_file(object));
  } catch (const Error&) {
    return;
  }
  if (++stored_ % kLookEvery == 0) thin_out();
}

void KernelCache::thin_out() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> kernels;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    if (entry.path().extension() == ".o") kernels.emplace_back(fs::last_write_time(entry.path(), error), entry.path());
  if (kernels.size() <= kMost) return;
  std::sort(kernels.begin(), kernels.end());
  kernels.resize(kernels.size() / 2);
  for (auto& [time, path] : kernels) {
    fs::remove(path, error);
    fs::remove(path.replace_extension(".txt"), error);
  }
}

}  // namespace kg::sandbox
