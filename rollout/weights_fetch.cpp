#include "rollout/weights_fetch.h"

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kChunk = 1 << 20;
constexpr double kOverdueSeconds = 5;

proto::WeightsManifest with_path(proto::WeightsManifest manifest, const fs::path& path) {
  manifest.set_path(path.string());
  return manifest;
}

}  // namespace

std::optional<LocalWeights> find_weights(const proto::WeightsManifest& manifest, const fs::path& cache) {
  if (weights_match(manifest)) return LocalWeights{manifest, {}};
  const WeightsCache cached(cache);
  if (auto hold = cached.hold(manifest))
    return LocalWeights{with_path(manifest, cached.folder_of(manifest)), std::move(*hold)};
  return std::nullopt;
}

WeightsFetch::WeightsFetch(const proto::WeightsManifest& manifest, const fs::path& cache, Send send)
    : manifest_(manifest), cache_(cache), send_(std::move(send)) {}

WeightsFetch::~WeightsFetch() {
  std::error_code ignored;
  if (part_) fs::remove_all(part_->folder, ignored);
}

// True if it is this process that fetches.
bool WeightsFetch::begin() {
  if (turn_) return true;
  turn_ = cache_.begin_fetch(manifest_);
  // Whoever fetched before may have finished by now.
  if (auto hold = cache_.hold(manifest_)) {
    local_.emplace(LocalWeights{with_path(manifest_, cache_.folder_of(manifest_)), std::move(*hold)});
    turn_.reset();
    return false;
  }
  if (turn_) part_.emplace(cache_.make_part());
  return turn_.has_value();
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
  if (finished() || !error_.empty()) return;
  try {
    if (begin() && (asked_ == 0 || now > asked_ + kOverdueSeconds)) ask(now);
  } catch (const std::exception& error) {
    error_ = error.what();
  }
}

void WeightsFetch::receive(const proto::WeightsChunk& chunk, double now) {
  if (finished() || !part_ || !error_.empty() || chunk.version() != manifest_.version()) return;
  // A late answer to a question that was asked twice.
  if (chunk.file() != (files_ ? files_->at(file_).name : "") || chunk.offset() != offset_) return;
  try {
    if (!chunk.error().empty()) throw Error(chunk.error(), "coordinator", "", Error::Kind::kFailed);
    accept(chunk);
  } catch (const std::exception& error) {
    error_ = error.what();
    std::error_code ignored;
    fs::remove_all(part_->folder, ignored);
    return;
  }
  if (!finished()) ask(now);
}

void WeightsFetch::accept(const proto::WeightsChunk& chunk) {
  if (!files_) {
    files_ = list_from_text(chunk.data());
    if (files_->empty()) throw Error("the version has no files", "coordinator", "", Error::Kind::kFailed);
    return;
  }
  const WeightsFile& file = files_->at(file_);
  const fs::path path = part_->folder / file.name;
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
  if (const proto::WeightsManifest arrived = with_path(manifest_, part_->folder); !weights_match(arrived))
    throw Error("the weights of version " + std::to_string(manifest_.version()) + " do not have the checksum " +
                    manifest_.checksum(),
                part_->folder.string(), "", Error::Kind::kFailed);
  cache_.keep(part_->folder, manifest_);
  part_.reset();
  auto hold = cache_.hold(manifest_);
  if (!hold)
    throw Error("the fetched weights of version " + std::to_string(manifest_.version()) + " are not in the cache",
                cache_.folder_of(manifest_).string(), "check that nobody removes files of the cache",
                Error::Kind::kFailed);
  local_.emplace(LocalWeights{with_path(manifest_, cache_.folder_of(manifest_)), std::move(*hold)});
  turn_.reset();
  cache_.thin_out();
}

}  // namespace kg::rollout
