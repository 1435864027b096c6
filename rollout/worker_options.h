#pragma once

#include <string>

#include "base/file.h"
#include "reward/judge_version.h"

namespace kg::rollout {

struct WorkerOptions {
  std::string coordinator;  // endpoint
  std::string generator;    // endpoint
  std::string name;
  fs::path keys_folder;             // for tcp:// coordinators
  std::string key_name = "worker";  // NAME.key in it
  fs::path weights_cache;
  std::string judge_version = reward::judge_version();
  std::uint32_t capacity = 2;    // leases held at a time: one being generated while another is judged
  double give_up_seconds = 600;  // without a word from the coordinator
  double generator_silence_seconds = 120;
};

}  // namespace kg::rollout
