#include "rollout/weights_files.h"

#include <algorithm>
#include <fstream>
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

std::vector<WeightsFile> list_files(const fs::path& path) {
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

fs::path weights_file(const proto::WeightsManifest& manifest) {
  const fs::path path = manifest.path();
  return fs::is_directory(path) ? path / "model.safetensors" : path;
}

bool weights_match(const proto::WeightsManifest& manifest) {
  std::error_code error;
  const fs::path file = weights_file(manifest);
  if (!fs::is_regular_file(file, error)) return false;
  if (manifest.bytes() != 0 && fs::file_size(file, error) != manifest.bytes()) return false;
  try {
    return hash128_hex_of_file(file) == manifest.checksum();
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
  manifests_[manifest.version()] = manifest;
  lists_.erase(manifest.version());
  if (manifests_.size() <= kVersionsServed) return;
  lists_.erase(manifests_.begin()->first);
  manifests_.erase(manifests_.begin());
}

proto::WeightsChunk WeightsServer::answer(const proto::FetchWeights& request) {
  proto::WeightsChunk chunk;
  chunk.set_version(request.version());
  chunk.set_offset(request.offset());
  chunk.set_file(request.file());
  const auto at = manifests_.find(request.version());
  if (at == manifests_.end()) {
    chunk.set_error("policy version " + std::to_string(request.version()) + " is not served (any more)");
    return chunk;
  }
  const fs::path path = at->second.path();
  try {
    if (request.file().empty()) {
      std::string& list = lists_[request.version()];
      if (list.empty()) list = list_to_text(list_files(path));
      chunk.set_data(list);
      chunk.set_last(true);
      return chunk;
    }
    if (!is_plain_name(request.file())) throw Error("not a file of the weights: " + request.file(), path.string(), "");
    const fs::path file = fs::is_directory(path) ? path / request.file() : path;
    const std::uint64_t size = fs::file_size(file);
    const std::uint64_t begin = std::min<std::uint64_t>(request.offset(), size);
    std::string data(std::min({request.length(), kLargestChunk, size - begin}), '\0');
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(begin));
    if (!in.read(data.data(), static_cast<std::streamsize>(data.size())))
      throw Error("cannot read " + file.string(), file.string(), "");
    chunk.set_last(begin + data.size() == size);
    chunk.set_data(std::move(data));
  } catch (const std::exception& error) {
    chunk.set_error(error.what());
  }
  return chunk;
}

}  // namespace kg::rollout
