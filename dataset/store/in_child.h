#pragma once

#include <functional>
#include <string>

namespace kg::dataset {

// What a child process sent before it ended.
struct ChildOutput {
  std::string bytes;
  bool ended_well = false;
  std::string end;  // "signal 11", "no answer for 20 s"
};

// Runs `work` in a fork of this process: a crash or an endless loop of the library is then just a result. `work`
// gets the descriptor to write to, and must take no locks but HDF5's and the allocator's. A child that is silent for
// this long is killed.
ChildOutput run_in_child(const std::function<void(int to)>& work, double silence_seconds);

}  // namespace kg::dataset
