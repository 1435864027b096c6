#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sandbox/dsl/form.h"

namespace kg::sandbox::dsl {

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
  std::vector<Line> lines;
  bool uses_cumulative = false, uses_workspace = false;
};

// The C++ of a step, without indentation; a copy may take several lines.
std::vector<std::string> vector_text(const Form& form, const Step& step);
std::vector<std::string> copy_text(const Form& form, const Copy& copy, bool in);
// Tile marks in scalar texts replaced by names: whichever `name` gives, or those of the form.
std::string with_tiles(const std::string& text, const std::function<std::string(int tile)>& name);
std::string resolved(const Form& form, const std::string& text);

std::string print_code(const Form& form, const Code& code);

}  // namespace kg::sandbox::dsl
