#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"
#include "proto/generate.pb.h"
#include "proto/rollout.pb.h"

namespace kg::rollout {

struct WeightsFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string checksum;
};
std::string list_to_text(const std::vector<WeightsFile>& files);   // "name size checksum" a line
std::vector<WeightsFile> list_from_text(const std::string& text);  // throws Error on a name with a folder in it

// A version's folder has, beside its files, VERSION_FILES: their list, made while they were written, so that nobody
// has to read them again to know their checksums.
inline constexpr const char* kVersionFiles = "VERSION_FILES";
// The files of the folder (or the file) at the path; a folder without that list is read.
std::vector<WeightsFile> list_weights(const fs::path& path);
// What a manifest calls its checksum: that of the whole model's file, or of the adapter's; of a model in several files
// that of their list.
std::string version_checksum(const std::vector<WeightsFile>& files);

// The file that the manifest's checksum is of: model.safetensors or adapter_model.safetensors in the folder, or the
// path itself, if it is a file.
fs::path weights_file(const proto::WeightsManifest& manifest);
// The path is there, and its file has the length that the manifest says.
bool weights_present(const proto::WeightsManifest& manifest);
// It also has the checksum. Reads the whole file.
bool weights_match(const proto::WeightsManifest& manifest);

// The learner's side: answers requests for pieces of published versions, read from the files as they lie there.
// Thread-safe; reading waits for nobody.
class WeightsServer {
 public:
  void publish(const proto::WeightsManifest& manifest);
  // From one thread alone.
  proto::WeightsChunk answer(const proto::FetchWeights& request);

 private:
  std::string list_of(const proto::WeightsManifest& manifest);
  void read(const proto::FetchWeights& request, const fs::path& path, proto::WeightsChunk& chunk);

  std::mutex mutex_;
  std::map<std::uint64_t, proto::WeightsManifest> manifests_;  // the newest few
  std::map<std::uint64_t, std::string> lists_;                 // made at the first request
  // The file that was read last, which is asked for again in all likelihood.
  fs::path open_path_;
  Descriptor open_;
  std::uint64_t open_bytes_ = 0;
};

}  // namespace kg::rollout
