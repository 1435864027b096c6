#include "policy/generation/generator_weights.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "policy/files/model_io.h"

namespace kg::policy {

namespace fs = std::filesystem;

std::shared_ptr<const GenerationWeights> load_weights(const proto::WeightsManifest& manifest, const ModelConfig& config,
                                                      const std::string& device, const std::string& dtype,
                                                      BaseModel& base) {
  if (is_version(manifest.path()))
    return pack_weights(config, read_version(manifest.path(), config, base), device, dtype);
  fs::path file = manifest.path();
  if (fs::is_directory(file)) file /= "model.safetensors";
  const std::string what = "weights of policy version " + std::to_string(manifest.version());
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(file, failed);
  if (failed)
    throw Error(what + " cannot be read: " + failed.message(), file.string(), "the learner may have removed it");
  if (manifest.bytes() != 0 && bytes != manifest.bytes())
    throw Error(
        what + " have " + std::to_string(bytes) + " bytes, the manifest says " + std::to_string(manifest.bytes()),
        file.string(), "the file must be written whole before it is announced");
  if (const std::string found = hash128_hex_of_file(file); found != manifest.checksum())
    throw Error(what + " have checksum " + found + ", the manifest says " + manifest.checksum(), file.string(),
                "the file must not change after it was announced");
  return pack_weights(config, read_weights(file), device, dtype);
}

WeightsLoader::WeightsLoader(const ModelConfig& config, std::string device, std::string dtype, const fs::path& base)
    : config_(config), device_(std::move(device)), dtype_(std::move(dtype)) {
  base_.weights = [base] { return load_model(base).weights; };
}

void WeightsLoader::want(const proto::WeightsManifest& manifest, Waiter waiter) {
  const auto is_same = [&](const Job& job) {
    return job.manifest.version() == manifest.version() && job.manifest.checksum() == manifest.checksum();
  };
  if (loading_ && is_same(*loading_)) {
    loading_->waiters.push_back(std::move(waiter));
  } else if (!loading_) {
    Job job;
    job.manifest = manifest;
    job.waiters.push_back(std::move(waiter));
    start(std::move(job));
  } else {
    if (!next_) next_.emplace();
    if (next_->waiters.empty() || manifest.version() >= next_->manifest.version()) next_->manifest = manifest;
    next_->waiters.push_back(std::move(waiter));
  }
}

void WeightsLoader::start(Job job) {
  loading_ = std::move(job);
  loading_->result = std::async(std::launch::async, [this, manifest = loading_->manifest] {
    return load_weights(manifest, config_, device_, dtype_, base_);
  });
}

std::optional<WeightsLoader::Loaded> WeightsLoader::take() {
  if (!loading_ || loading_->result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
  Loaded loaded{.manifest = loading_->manifest, .waiters = std::move(loading_->waiters)};
  try {
    loaded.weights = loading_->result.get();
  } catch (const Error& error) {
    loaded.error = error.full_message();
  } catch (const std::exception& error) {
    loaded.error = error.what();
  }
  loading_.reset();
  if (std::optional<Job> next = std::exchange(next_, std::nullopt)) start(std::move(*next));
  return loaded;
}

}  // namespace kg::policy
