#pragma once

#include <string>
#include <vector>

#include "base/child_process.h"
#include "dataset/cot/modules/surface.h"
#include "operators/golden.h"
#include "proto/sandbox.pb.h"

namespace kg::dataset::cot::modules {

// Inputs of a case, with PyTorch's results.
struct RunCase {
  std::vector<proto::Tensor> inputs;
  std::vector<operators::GoldenTensor> golden;  // fp64
  std::vector<double> absolute;                 // bounds of the results
};

struct Ran {
  std::vector<std::string> wrong;  // for each surface the error, empty: none
  std::vector<std::vector<std::string>>
      steps;                   // for each surface at full size: its operators one by one; empty: unknown
  std::vector<RunCase> cases;  // from the first surface that is right
};

// Executes surfaces in PyTorch (worker.py beside this file), with this user's rights: they are our own texts.
class Runner {
 public:
  explicit Runner(std::string python) : python_(std::move(python)) {}
  // Each surface is constructed, makes inputs with the graph's shapes and types, and must agree with the others:
  // the graph's value is the one that most of them give.
  Ran run(const Graph& graph, const std::vector<Surface>& surfaces, std::uint64_t seed);

 private:
  std::string python_;
  ChildProcess child_;
};

}  // namespace kg::dataset::cot::modules
