#include "rollout/weights_fetch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/log.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kChunk = 1 << 20;
constexpr std::uint64_t kUnderWay = 8;  // chunks: 8 MiB fill 1 Gbit/s over 60 ms
constexpr double kOverdueSeconds = 5;

proto::WeightsManifest with_path(proto::WeightsManifest manifest, const fs::path& path) {
  manifest.set_path(path.string());
  return manifest;
}

}  // namespace

std::optional<LocalWeights> find_weights(const proto::WeightsManifest& manifest, const fs::path& cache) {
  if (weights_present(manifest)) return LocalWeights{manifest, {}};
  const WeightsCache cached(cache);
  if (auto hold = cached.hold(manifest))
    return LocalWeights{with_path(manifest, cached.folder_of(manifest)), std::move(*hold)};
  return std::nullopt;
}

WeightsFetch::WeightsFetch(const proto::WeightsManifest& manifest, const fs::path& cache, Send send)
    : manifest_(manifest), cache_(cache), send_(std::move(send)) {}

WeightsFetch::~WeightsFetch() = default;

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
  if (turn_) part_.emplace(cache_.make_part(manifest_));
  return turn_.has_value();
}

void WeightsFetch::ask(double now) {
  if (heard_ == 0) heard_ = now;
  proto::FetchWeights request;
  request.set_version(manifest_.version());
  if (!files_) {
    if (next_offset_ == 0) send_(request);
    next_offset_ = 1;
    return;
  }
  const WeightsFile& file = files_->at(file_);
  request.set_file(file.name);
  request.set_length(kChunk);
  // An empty file is asked for as well, once.
  while (next_offset_ < offset_ + kUnderWay * kChunk && next_offset_ < std::max<std::uint64_t>(file.bytes, 1)) {
    request.set_offset(next_offset_);
    send_(request);
    next_offset_ += kChunk;
  }
}

void WeightsFetch::tick(double now) {
  if (finished() || !error_.empty()) return;
  try {
    if (!begin()) return;
    if (heard_ != 0 && now > heard_ + kOverdueSeconds) {
      next_offset_ = files_ ? offset_ : 0;
      heard_ = now;
    }
    ask(now);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void WeightsFetch::fail(const std::string& error) {
  error_ = error;
  std::error_code ignored;
  if (part_) fs::remove_all(part_->folder, ignored);
}

void WeightsFetch::receive(const proto::WeightsChunk& chunk, double now) {
  if (finished() || !part_ || !error_.empty() || chunk.version() != manifest_.version()) return;
  // A late answer to what was asked twice, or one behind a lost one: that is asked for again with all that follow.
  if (chunk.file() != (files_ ? files_->at(file_).name : "") || (files_ && chunk.offset() != offset_)) return;
  heard_ = now;
  try {
    if (!chunk.error().empty()) throw Error(chunk.error(), "coordinator", "", Error::Kind::kFailed);
    accept(chunk);
    if (!finished()) ask(now);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

// What an earlier process has of the file is used, once it has been read.
void WeightsFetch::open_file() {
  const fs::path path = part_->folder / files_->at(file_).name;
  out_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  hash_.reset();
  offset_ = 0;
  std::string buffer(kChunk, '\0');
  while (out_.open() && offset_ < files_->at(file_).bytes) {
    const ssize_t got = ::pread(out_.number(), buffer.data(), buffer.size(), static_cast<off_t>(offset_));
    if (got <= 0) break;
    hash_.add({buffer.data(), static_cast<std::size_t>(got)});
    offset_ += static_cast<std::uint64_t>(got);
  }
  if (!out_.open() || ::lseek(out_.number(), static_cast<off_t>(offset_), SEEK_SET) < 0)
    throw Error("cannot write " + path.string() + ": " + std::strerror(errno), path.string(),
                "check that the cache is writable", Error::Kind::kEnvironment);
  next_offset_ = offset_;
}

void WeightsFetch::accept(const proto::WeightsChunk& chunk) {
  if (!files_) {
    files_ = list_from_text(chunk.data());
    if (files_->empty()) throw Error("the version has no files", "coordinator", "", Error::Kind::kFailed);
    if (const std::string found = version_checksum(*files_); found != manifest_.checksum())
      throw Error("the weights of version " + std::to_string(manifest_.version()) + " have the checksum " + found +
                      ", the manifest says " + manifest_.checksum(),
                  "coordinator", "", Error::Kind::kFailed);
    open_file();
    if (offset_ >= files_->at(file_).bytes && offset_ > 0) next_file();
    return;
  }
  const WeightsFile& file = files_->at(file_);
  if (!write_fully(out_.number(), chunk.data()))
    throw Error("cannot write " + (part_->folder / file.name).string() + ": " + std::strerror(errno),
                part_->folder.string(), "free disk space", Error::Kind::kEnvironment);
  hash_.add(chunk.data());
  offset_ += chunk.data().size();
  received_ += chunk.data().size();
  if (chunk.last() || offset_ >= file.bytes) return next_file();
  if (chunk.data().empty()) throw Error("an empty chunk of " + file.name, "coordinator", "", Error::Kind::kFailed);
}

// The file is there; so may be those that follow, of an earlier process.
void WeightsFetch::next_file() {
  for (;;) {
    const WeightsFile& file = files_->at(file_);
    if (const std::string found = hash_.hex(); offset_ != file.bytes || found != file.checksum)
      throw Error(file.name + " arrived with checksum " + found + ", wanted " + file.checksum, part_->folder.string(),
                  "", Error::Kind::kFailed);
    out_.close();
    if (++file_ == files_->size()) return finish();
    open_file();
    if (offset_ == 0 || offset_ < files_->at(file_).bytes) return;
  }
}

void WeightsFetch::finish() {
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
