#pragma once

#include <string>
#include <utility>

#include "dsl/emit.h"

namespace kg::dsl {

// A source under construction, which remembers where each line came from.
class SourceText {
 public:
  void add(int depth, const std::string& text, int line = 0) {
    if (!text.empty()) source_.text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text;
    source_.text += '\n';
    source_.lines.push_back(line);
  }
  void add(const Form& form, const std::vector<Line>& lines, int depth);
  Source take() { return std::move(source_); }

 private:
  Source source_;
};

std::string parameters(const Form& form, const Code& code, const std::string& before, const std::string& after);
void add_extents(SourceText& text, const Form& form, int depth, const std::string& qualifiers);
// What the kernel calls and Ascend C does not have.
void add_helpers(SourceText& text, const Form& form, const Code& code);

}  // namespace kg::dsl
