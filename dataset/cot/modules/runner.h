#pragma once

#include <string>
#include <vector>

#include "base/child_process.h"
#include "dataset/cot/modules/surface.h"
#include "operators/golden.h"
#include "proto/sandbox.pb.h"

namespace kg::dataset::cot::modules {

// Inputs of a case with what PyTorch computes from them.
struct RunCase {
  std::vector<proto::Tensor> inputs;
  std::vector<operators::GoldenTensor> golden;  // fp64
  std::vector<double> absolute;                 // bounds of the results
};

struct Ran {
  std::vector<std::string> wrong;  // of each surface: what is, empty: nothing
  std::vector<std::vector<std::string>>
      steps;                   // of each surface at full size: its operators one by one; empty: not known
  std::vector<RunCase> cases;  // of the first surface that is right
};

// Executes surfaces in PyTorch (worker.py beside this file), with this user's rights: they are our own texts.
class Runner {
 public:
  explicit Runner(std::string python) : python_(std::move(python)) {}
  // Each surface constructs, makes inputs of the shapes and types that the graph says, and gives what the others give:
  // the graph's value is what most agree on.
  Ran run(const Graph& graph, const std::vector<Surface>& surfaces, std::uint64_t seed);

 private:
  std::string python_;
  ChildProcess child_;
};

}  // namespace kg::dataset::cot::modules
