#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// Ascend C line by line, with copies and vector calls still as steps, so that the unaligned pass can correct them.
struct Line {
  enum class Kind { kText, kVector, kCopyIn, kCopyOut };
  Kind kind = Kind::kText;
  int depth = 0;  // indentation depth
  int line = 0;   // line in the program
  std::string text;
  Step step;
};

struct Code {
  std::vector<Line> lines;  // for the vector cores
  std::vector<Line> cube;   // for the cube cores
  bool uses_cumulative = false, uses_workspace = false, uses_bias = false;
};

// The C++ of a step, without indentation; a copy may take several lines.
std::vector<std::string> vector_text(const Form& form, const Step& step);
std::vector<std::string> copy_text(const Form& form, const Copy& copy, bool in);
// Replaces tile marks in scalar texts by names: those that `name` gives, or those of the form.
std::string with_tiles(const std::string& text, const std::function<std::string(int tile)>& name);
std::string resolved(const Form& form, const std::string& text);

// A count rounded up to 16 elements, the side of a fractal.
std::string sixteens(const std::string& count);
std::string up_to_sixteen(const std::string& count);

std::string print_code(const Form& form, const Code& code);

}  // namespace kg::dsl
