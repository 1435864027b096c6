#include "rollout/weights_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "base/error.h"
#include "base/hash.h"

namespace kg::rollout {
namespace {

constexpr std::size_t kVersionsServed = 64;
constexpr std::uint64_t kLargestChunk = 4 << 20;

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find(' ') == std::string::npos && name.find('\n') == std::string::npos;
}

// Reads them all.
std::vector<WeightsFile> read_files(const fs::path& path) {
  std::vector<WeightsFile> files;
  const auto add = [&](const fs::path& file) {
    const std::string name = file.filename().string();
    if (is_plain_name(name)) files.push_back({name, fs::file_size(file), hash128_hex_of_file(file)});
  };
  if (!fs::is_directory(path)) {
    add(path);
  } else {
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.is_regular_file()) add(entry.path());
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace

std::vector<WeightsFile> list_weights(const fs::path& path) {
  const fs::path list = path / kVersionFiles;
  std::error_code ignored;
  if (!fs::exists(list, ignored)) return read_files(path);
  std::vector<WeightsFile> files = list_from_text(read_file(list));
  const std::string text = read_file(list);
  files.push_back({kVersionFiles, text.size(), hash128_hex(text)});
  return files;
}

std::string version_checksum(const std::vector<WeightsFile>& files) {
  for (const char* name : {"model.safetensors", "adapter_model.safetensors"})
    for (const WeightsFile& file : files)
      if (file.name == name) return file.checksum;
  if (files.size() == 1) return files.front().checksum;
  std::vector<WeightsFile> shards = files;
  std::erase_if(shards, [](const WeightsFile& file) { return !file.name.ends_with(".safetensors"); });
  return hash128_hex(list_to_text(shards));
}

fs::path weights_file(const proto::WeightsManifest& manifest) {
  const fs::path path = manifest.path();
  if (!fs::is_directory(path)) return path;
  return fs::exists(path / "model.safetensors") ? path / "model.safetensors" : path / "adapter_model.safetensors";
}

bool weights_present(const proto::WeightsManifest& manifest) {
  std::error_code error;
  if (manifest.path().empty()) return false;
  const fs::path file = weights_file(manifest);
  if (!fs::is_regular_file(file, error)) return false;
  return manifest.bytes() == 0 || fs::file_size(file, error) == manifest.bytes();
}

bool weights_match(const proto::WeightsManifest& manifest) {
  if (!weights_present(manifest)) return false;
  try {
    return hash128_hex_of_file(weights_file(manifest)) == manifest.checksum();
  } catch (const Error&) {  // unlinked meanwhile
    return false;
  }
}

std::string list_to_text(const std::vector<WeightsFile>& files) {
  std::ostringstream out;
  for (const WeightsFile& file : files) out << file.name << ' ' << file.bytes << ' ' << file.checksum << '\n';
  return out.str();
}

std::vector<WeightsFile> list_from_text(const std::string& text) {
  std::vector<WeightsFile> files;
  std::istringstream in(text);
  for (WeightsFile file; in >> file.name >> file.bytes >> file.checksum;) {
    if (!is_plain_name(file.name))
      throw Error("the list of weights names \"" + file.name + "\"", "coordinator", "wanted plain file names",
                  Error::Kind::kFailed);
    files.push_back(file);
  }
  return files;
}

void WeightsServer::publish(const proto::WeightsManifest& manifest) {
  const std::lock_guard lock(mutex_);
  manifests_[manifest.version()] = manifest;
  lists_.erase(manifest.version());
  if (manifests_.size() <= kVersionsServed) return;
  lists_.erase(manifests_.begin()->first);
  manifests_.erase(manifests_.begin());
}

std::string WeightsServer::list_of(const proto::WeightsManifest& manifest) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = lists_.find(manifest.version()); known != lists_.end()) return known->second;
  }
  const std::string list = list_to_text(list_weights(manifest.path()));
  const std::lock_guard lock(mutex_);
  return lists_[manifest.version()] = list;
}

void WeightsServer::read(const proto::FetchWeights& request, const fs::path& path, proto::WeightsChunk& chunk) {
  if (!is_plain_name(request.file())) throw Error("not a file of the weights: " + request.file(), path.string(), "");
  const fs::path file = fs::is_directory(path) ? path / request.file() : path;
  if (file != open_path_ || request.offset() == 0) {
    open_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    open_path_ = file;
    open_bytes_ = fs::file_size(file);
    if (!open_.open()) throw Error("cannot read " + file.string(), file.string(), "");
  }
  const std::uint64_t begin = std::min<std::uint64_t>(request.offset(), open_bytes_);
  std::string& data = *chunk.mutable_data();
  data.resize(std::min({request.length(), kLargestChunk, open_bytes_ - begin}));
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t got =
        ::pread(open_.number(), data.data() + done, data.size() - done, static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error("cannot read " + file.string(), file.string(), "");
    done += static_cast<std::size_t>(got);
  }
  chunk.set_last(begin + data.size() == open_bytes_);
  if (chunk.last()) {  // an open file keeps its space on the disk though it was removed
    open_ = Descriptor();
    open_path_.clear();
  }
}

proto::WeightsChunk WeightsServer::answer(const proto::FetchWeights& request) {
  proto::WeightsChunk chunk;
  chunk.set_version(request.version());
  chunk.set_offset(request.offset());
  chunk.set_file(request.file());
  proto::WeightsManifest manifest;
  {
    const std::lock_guard lock(mutex_);
    const auto at = manifests_.find(request.version());
    if (at == manifests_.end()) {
      chunk.set_error("policy version " + std::to_string(request.version()) + " is not served (any more)");
      return chunk;
    }
    manifest = at->second;
  }
  try {
    if (request.file().empty()) {
      chunk.set_data(list_of(manifest));
      chunk.set_last(true);
    } else {
      read(request, manifest.path(), chunk);
    }
  } catch (const std::exception& error) {
    chunk.clear_data();
    chunk.set_error(error.what());
  }
  return chunk;
}

}  // namespace kg::rollout
