#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// Ascend C line by line, copies and vector calls still as steps, so that the unaligned pass can correct them.
struct Line {
  enum class Kind { kText, kVector, kCopyIn, kCopyOut };
  Kind kind = Kind::kText;
  int depth = 0;  // of indentation
  int line = 0;   // of the program
  std::string text;
  Step step;
};

struct Code {
  std::vector<Line> lines;  // of the vector cores
  std::vector<Line> cube;   // of the cube cores
  bool uses_cumulative = false, uses_workspace = false, uses_bias = false;
};

// The C++ of a step, without indentation; a copy may take several lines.
std::vector<std::string> vector_text(const Form& form, const Step& step);
std::vector<std::string> copy_text(const Form& form, const Copy& copy, bool in);
// Tile marks in scalar texts replaced by names: whichever `name` gives, or those of the form.
std::string with_tiles(const std::string& text, const std::function<std::string(int tile)>& name);
std::string resolved(const Form& form, const std::string& text);

// A count of whole units of 16 elements: the side of a fractal.
std::string sixteens(const std::string& count);
std::string up_to_sixteen(const std::string& count);

std::string print_code(const Form& form, const Code& code);

}  // namespace kg::dsl
