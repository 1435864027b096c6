#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "proto/generate.pb.h"
#include "proto/rollout.pb.h"

namespace kg::rollout {

// The files of a policy version. Its checksum is that of `model.safetensors` in the folder (or of the path itself, if
// it is a file).
fs::path weights_file(const proto::WeightsManifest& manifest);
// The path is there and holds what the manifest says. Reads the whole file.
bool weights_match(const proto::WeightsManifest& manifest);

struct WeightsFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string checksum;
};
std::string list_to_text(const std::vector<WeightsFile>& files);   // "name size checksum" a line
std::vector<WeightsFile> list_from_text(const std::string& text);  // throws Error on a name with a folder in it

// The coordinator's side: answers a worker's requests for pieces of published versions, read from the files as they lie
// there.
class WeightsServer {
 public:
  void publish(const proto::WeightsManifest& manifest);
  proto::WeightsChunk answer(const proto::FetchWeights& request);

 private:
  std::map<std::uint64_t, proto::WeightsManifest> manifests_;  // the newest few
  std::map<std::uint64_t, std::string> lists_;                 // made at the first request
};

}  // namespace kg::rollout
