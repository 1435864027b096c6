#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dataset/cot/modules/graph.h"
#include "dataset/translation/filled.h"

namespace kg::dataset::cot::modules {

// One way in which somebody may have written a graph as a PyTorch module.
struct Surface {
  std::string text;                                       // as shown in the prompt, with the full sizes
  std::string small;                                      // the same with the sizes used to run it
  std::vector<std::string> names;                         // names of the kernel's inputs
  std::vector<std::pair<std::string, std::string>> held;  // (parameter of the kernel, its name in the module)
  int hops = 0;                                           // for the constant or axis that is passed on most often
};

Surface write_surface(const Graph& graph, Philox& random);

using translation::filled;

}  // namespace kg::dataset::cot::modules
