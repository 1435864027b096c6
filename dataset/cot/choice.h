#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/cot/instance.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot {

// Number `i` of 0 .. n-1 in an order determined by the seed.
std::uint64_t shuffled(std::uint64_t i, std::uint64_t n, std::uint64_t seed);

// A task of a data set, or the reasons why no variant of a structure makes one.
struct Choice {
  bool found = false;
  Instance instance;
  proto::Task task;
  std::vector<std::string> refused;  // a reason for each possible variant that is not a task
};

// Task `number` of a seed's data set. The structure follows from both; of its variants the first one is used that
// stays within its types, and whose answer cannot be guessed (guessable.h).
Choice choose_task(std::uint64_t number, std::uint64_t seed);

}  // namespace kg::dataset::cot
