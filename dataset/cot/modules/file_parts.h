#pragma once

#include <string>
#include <vector>

#include "dataset/cot/modules/delivery.h"

namespace kg::dataset::cot::modules {

// An author's habits.
struct Style {
  explicit Style(Draw& draw);
  bool literal_sizes, again, commented, constants_first, typed, list_of_names, odd_names;
  double inline_chance;
  int super_form, document, functional, results_as;
};

struct FileParts {
  bool function = false;
  const Style& style;
  const Delivery& delivery;
  const std::vector<std::string>& members;
  const std::vector<std::string>& body;
  std::vector<std::string> parameters, inputs, results, steps;
};

std::string file_text(Draw& draw, const FileParts& parts);

// An expression for an example input of this shape.
std::string input_text(Draw& draw, const std::string& kind, const std::vector<std::string>& shape,
                       const std::string& dtype, const std::string& below);

std::vector<std::string> input_words(const std::string& role);
// Names that reveal no role, a few out of very many: a reader has to copy them.
std::vector<std::string> odd_words(Draw& draw);
std::vector<std::string> member_words(const std::string& step);
const std::vector<std::string>& local_words();
// "mul $a" without its numbers and operands.
std::string comment_words(const std::string& words);

}  // namespace kg::dataset::cot::modules
