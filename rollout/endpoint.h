#pragma once

#include <string>

#include "base/file.h"

namespace kg::rollout {

// The ipc:// endpoint of socket `name` of a run: in `folder`/sockets (mode 0700), so that only its owner connects. The
// kernel allows 107 bytes for such a path; a longer one moves to a folder of this user under $XDG_RUNTIME_DIR or /tmp,
// named by the hash of `folder`, so that a restarted process binds the same endpoint. Makes the folder.
std::string local_endpoint(const fs::path& folder, const std::string& name);

// A folder of this user on this host, mode 0700, under $XDG_RUNTIME_DIR or /tmp. Made if absent.
fs::path private_folder(const std::string& name);

bool is_remote(const std::string& endpoint);  // tcp://; throws Error for anything else but ipc:// and inproc://

}  // namespace kg::rollout
