#pragma once

#include <set>
#include <string>
#include <zmq.hpp>

#include "base/file.h"

namespace kg::rollout {

// CURVE keys of one coordinator and its remote workers, in one folder, as Z85 text:
//   server.key       secret and public key of the coordinator (mode 0600)
//   server.pub       its public key: goes to every worker's host
//   NAME.key         secret and public key of the worker NAME (mode 0600): goes to its host
//   allowed_workers  the public keys that may connect, one a line
struct CurveKeyPair {
  std::string public_key;  // 40 characters of Z85
  std::string secret_key;
};

// Makes the server's keys if the folder has none, and the keys of one more worker.
void make_keys(const fs::path& folder, const std::string& worker);

CurveKeyPair read_key_pair(const fs::path& file);  // refuses a file that others may read
std::string read_public_key(const fs::path& file);
std::string worker_public_key(const fs::path& folder, const std::string& worker);
std::set<std::string> read_allowed_workers(const fs::path& folder);

// To be called before bind or connect.
void secure_server(zmq::socket_t& socket, const fs::path& folder);
void secure_client(zmq::socket_t& socket, const fs::path& folder, const std::string& worker);

}  // namespace kg::rollout
