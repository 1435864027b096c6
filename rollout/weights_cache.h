#pragma once

#include <optional>
#include <string>

#include "base/descriptor.h"
#include "base/file.h"
#include "proto/generate.pb.h"

namespace kg::rollout {

// Policy versions that were fetched from other hosts, in one folder that all workers of a host, or of several hosts
// that share a file system, use:
//
//   version-V-CHECKSUM/         whole and checked; whoever uses it holds a shared lock on the folder
//   part-HOST-V-CHECKSUM/       being fetched by a process, which holds a lock on the folder, or left by one that died,
//                               for the next one to go on with
//   fetching-V-CHECKSUM-HOST    locked by the one process of a host that fetches this version
//
// Only what nobody holds is removed: versions beyond the newest few, and parts of this host whose process has died.
class WeightsCache {
 public:
  explicit WeightsCache(const fs::path& folder);

  fs::path folder_of(const proto::WeightsManifest& manifest) const;
  // Holds the version while the descriptor lives; nothing if it is not there.
  std::optional<Descriptor> hold(const proto::WeightsManifest& manifest) const;
  // The right to fetch the version on this host; nothing while another process has it.
  std::optional<Descriptor> begin_fetch(const proto::WeightsManifest& manifest) const;
  struct Part {
    fs::path folder;
    Descriptor lock;
  };
  Part make_part(const proto::WeightsManifest& manifest) const;
  // The part becomes the version; if another host was faster, its copy stands.
  void keep(const fs::path& part, const proto::WeightsManifest& manifest) const;
  void thin_out() const;

 private:
  fs::path folder_;
};

}  // namespace kg::rollout
