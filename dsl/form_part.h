#pragma once

#include <cstddef>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// A loop or condition at the top as a form of its own, with only its tiles, to be judged alone: programs of many loops
// would otherwise be judged as a whole for every choice in each of them. Not to be emitted.
struct Part {
  Form form;
  std::size_t before = 0;  // steps in front that make tiles which the block uses
  std::size_t begin = 0;   // the block's first step in the whole form
  std::size_t place = 0;   // in the program's body
};

// Of the vector cores, in their order. None: they are not the statements of the program one by one.
std::vector<Part> parts_of(const Form& form);

}  // namespace kg::dsl
