#pragma once

#include <cstdint>
#include <string>

#include "dataset/cot/instance.h"

namespace kg::dataset::cot {

// The way a program is written, if several ways compute the same.
struct Writing {
  // Names of values: a b c; t0 t1 t2; exp_x; as in the prompt.
  enum class Naming { kLetters, kNumbers, kWords, kAsPrompt };
  enum class Layout { kUsual, kRows, kGrid };  // for Walk::kFlat: flat tiles, whole rows, rows by tiles of columns
  Layout layout = Layout::kUsual;
  std::int64_t tile = 0;  // elements; 0: the compiler's choice
  bool nested = true;     // nested expressions; otherwise one statement per operator
  Naming naming = Naming::kLetters;
};

// The instance in the DSL (docs/reference/dsl.md). The layout is used if it fits.
std::string dsl_program(const Instance& instance, const Writing& writing);

bool can_lay_out(const Instance& instance, Writing::Layout layout);
bool has_tiles(const Instance& instance, Writing::Layout layout);  // a tile size can be chosen

// One line per step, for prompts: "t1 = exp(x)". `z` is the result.
std::vector<std::string> step_lines(const Structure& structure, const std::vector<TensorOf>& outputs);

std::string number_words(double value);  // shortest decimal text

}  // namespace kg::dataset::cot
