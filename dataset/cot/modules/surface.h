#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dataset/cot/modules/graph.h"

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

// Replaces "$x", "@x", ... by `text_of(sign, letter)`. Letters follow a $ or @.
template <typename TextOf>
std::string filled(const std::string& form, const TextOf& text_of) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if ((form[i] == '$' || form[i] == '@') && i + 1 < form.size())
      text += text_of(form[i], form[i + 1]), ++i;
    else
      text += form[i];
  }
  return text;
}

}  // namespace kg::dataset::cot::modules
