#include "rollout/weights_fetch.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kChunk = 1 << 20;
constexpr double kOverdueSeconds = 5;
constexpr std::size_t kVersionsCached = 3;

// The checksum is part of the name: another run's version of the same number is another folder.
fs::path cached_folder(const proto::WeightsManifest& manifest, const fs::path& cache) {
  return cache / ("version-" + std::to_string(manifest.version()) + "-" + manifest.checksum());
}

proto::WeightsManifest with_path(proto::WeightsManifest manifest, const fs::path& path) {
  manifest.set_path(path.string());
  return manifest;
}

void thin_out(const fs::path& cache) {
  std::vector<std::pair<fs::file_time_type, fs::path>> versions;
  for (const auto& entry : fs::directory_iterator(cache)) versions.emplace_back(entry.last_write_time(), entry.path());
  std::sort(versions.rbegin(), versions.rend());
  std::error_code ignored;
  for (std::size_t i = kVersionsCached; i < versions.size(); ++i) fs::remove_all(versions[i].second, ignored);
}

}  // namespace

std::optional<proto::WeightsManifest> find_weights(const proto::WeightsManifest& manifest, const fs::path& cache) {
  if (weights_match(manifest)) return manifest;
  const proto::WeightsManifest cached = with_path(manifest, cached_folder(manifest, cache));
  if (weights_match(cached)) return cached;
  return std::nullopt;
}

WeightsFetch::WeightsFetch(const proto::WeightsManifest& manifest, const fs::path& cache, Send send)
    : manifest_(manifest),
      target_(cached_folder(manifest, cache)),
      partial_(target_.string() + ".part" + std::to_string(::getpid())),
      send_(std::move(send)) {
  fs::create_directories(cache);
  fs::remove_all(partial_);
  fs::create_directories(partial_);
}

void WeightsFetch::ask(double now) {
  proto::FetchWeights request;
  request.set_version(manifest_.version());
  if (files_) {
    request.set_file(files_->at(file_).name);
    request.set_offset(offset_);
    request.set_length(kChunk);
  }
  asked_ = now;
  send_(request);
}

void WeightsFetch::tick(double now) {
  if (!finished_ && error_.empty() && (asked_ == 0 || now > asked_ + kOverdueSeconds)) ask(now);
}

void WeightsFetch::receive(const proto::WeightsChunk& chunk, double now) {
  if (finished_ || !error_.empty() || chunk.version() != manifest_.version()) return;
  // A late answer to a question that was asked twice.
  if (chunk.file() != (files_ ? files_->at(file_).name : "") || chunk.offset() != offset_) return;
  try {
    if (!chunk.error().empty()) throw Error(chunk.error(), "coordinator", "", Error::Kind::kFailed);
    accept(chunk);
  } catch (const std::exception& error) {
    error_ = error.what();
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
    return;
  }
  if (!finished_) ask(now);
}

void WeightsFetch::accept(const proto::WeightsChunk& chunk) {
  if (!files_) {
    files_ = list_from_text(chunk.data());
    if (files_->empty()) throw Error("the version has no files", "coordinator", "", Error::Kind::kFailed);
    return;
  }
  const WeightsFile& file = files_->at(file_);
  const fs::path path = partial_ / file.name;
  {
    std::ofstream out(path, std::ios::binary | std::ios::app);
    if (!out.write(chunk.data().data(), static_cast<std::streamsize>(chunk.data().size())).flush())
      throw Error("cannot write " + path.string(), path.string(), "free disk space", Error::Kind::kEnvironment);
  }
  offset_ += chunk.data().size();
  if (!chunk.last()) {
    if (chunk.data().empty()) throw Error("an empty chunk of " + file.name, "coordinator", "", Error::Kind::kFailed);
    return;
  }
  const std::string checksum = hash128_hex_of_file(path);
  if (offset_ != file.bytes || checksum != file.checksum)
    throw Error(file.name + " arrived with checksum " + checksum + ", wanted " + file.checksum, path.string(), "",
                Error::Kind::kFailed);
  offset_ = 0;
  if (++file_ == files_->size()) finish();
}

void WeightsFetch::finish() {
  std::error_code error;
  fs::rename(partial_, target_, error);
  if (error) fs::remove_all(partial_, error);  // another worker of this host was faster
  manifest_ = with_path(manifest_, target_);
  if (!weights_match(manifest_))
    throw Error("the weights of version " + std::to_string(manifest_.version()) + " do not have the checksum " +
                    manifest_.checksum(),
                target_.string(), "", Error::Kind::kFailed);
  finished_ = true;
  thin_out(target_.parent_path());
}

}  // namespace kg::rollout
