#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dataset/translation/traced_line.h"

namespace kg::dataset::cot::modules {

// A line whose operator is made of others (variance, softmax, losses, norms) as lines of those; any other as it is.
// `elements`: how a program calls the number of elements that a reduction takes together; `rank`: of what is reduced.
std::vector<translation::TracedLine> simple_lines(const translation::TracedLine& line, const std::string& elements,
                                                  std::size_t rank);

}  // namespace kg::dataset::cot::modules
