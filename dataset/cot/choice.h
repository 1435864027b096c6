#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/cot/instance.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot {

// Number `i` of 0 .. n-1 in an order that the seed decides.
std::uint64_t shuffled(std::uint64_t i, std::uint64_t n, std::uint64_t seed);

// A task of a data set, or the reasons why none of a structure's variants makes one.
struct Choice {
  bool found = false;
  Instance instance;
  proto::Task task;
  std::vector<std::string> refused;  // a reason for each variant that was possible and is no task
};

// Task `number` of the data set of a seed. The structure follows from both; of its variants the first is taken that
// stays within its types, and whose answer nobody can guess (guessable.h).
Choice choose_task(std::uint64_t number, std::uint64_t seed);

}  // namespace kg::dataset::cot
