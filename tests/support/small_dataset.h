#pragma once

#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "tests/security/hacks/hack.h"

namespace kg::testing {

// A new data set of one task, "tasks/relu", and one sample that trains, "sample".
inline void make_small_dataset(const std::string& path) {
  std::vector<proto::JournalRecord> records;
  proto::Task& task = *records.emplace_back().mutable_task();
  task = sandbox::testing::relu_task();
  task.set_id("tasks/relu");
  task.set_family("relu");
  task.set_split("train");
  proto::Sample& sample = *records.emplace_back().mutable_sample();
  sample.set_id("sample");
  sample.set_split("train");
  sample.set_kind("kernel");
  sample.set_instruction("Write it.");
  sample.set_output("Done.");
  dataset::Dataset::open(path, dataset::OpenMode::kCreate)->append(records);
}

}  // namespace kg::testing
