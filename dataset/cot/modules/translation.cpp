#include "dataset/cot/modules/translation.h"

#include <algorithm>
#include <cctype>

#include "dataset/cot/modules/pass_translation.h"
#include "dataset/cot/modules/row_translation.h"
#include "dataset/cot/modules/window_translation.h"
#include "dataset/translation/stages.h"

namespace kg::dataset::cot::modules {
namespace {

// The names that the writers of one loop give sizes.
bool has_names_of_extents(const translation::TracedPrompt& prompt) {
  const auto is_one = [](const translation::TracedTensor& tensor) {
    return tensor.name.size() == 1 && std::isupper(static_cast<unsigned char>(tensor.name[0])) != 0;
  };
  return std::any_of(prompt.inputs.begin(), prompt.inputs.end(), is_one);
}

}  // namespace

std::optional<std::string> translation(const std::string& text, std::string* why) {
  const auto prompt = translation::traced_prompt_of(text);
  if (!prompt) {
    if (why != nullptr) *why = "its operators, which could not be told one by one";
    return std::nullopt;
  }
  for (const translation::TracedLine& line : prompt->lines) {
    if (!line.op.ends_with('_')) continue;
    if (why != nullptr) *why = line.op + ", which writes to a part of a tensor";
    return std::nullopt;
  }
  if (!has_names_of_extents(*prompt)) {
    if (auto program = row_translation(*prompt)) return program;
    if (auto program = pass_translation(*prompt)) return program;
    if (auto program = window_translation(*prompt)) return program;
  }
  try {
    translation::Graph graph = translation::graph_of(*prompt);
    return translation::Stages(graph).program();
  } catch (const translation::Unknown& unknown) {
    if (why != nullptr) *why = unknown.what;
    return std::nullopt;
  }
}

}  // namespace kg::dataset::cot::modules
