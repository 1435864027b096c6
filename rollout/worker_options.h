#pragma once

#include <string>

#include "base/file.h"
#include "reward/judge_version.h"

namespace kg::rollout {

struct WorkerOptions {
  std::string coordinator;  // endpoint; found anew at each connection if run_folder is given
  fs::path run_folder;      // of the run (rendezvous.h)
  std::string generator;    // endpoint
  std::string name;
  fs::path keys_folder;             // for tcp:// coordinators
  std::string key_name = "worker";  // NAME.key in it
  fs::path weights_cache;
  bool always_fetch = false;  // weights, though the path that the coordinator names may be seen here
  std::string judge_version = reward::judge_version();
  std::uint32_t capacity = 2;    // leases held at a time: one being generated while another is judged
  double give_up_seconds = 600;  // without a word from the coordinator
  double generator_silence_seconds = 120;
};

}  // namespace kg::rollout
