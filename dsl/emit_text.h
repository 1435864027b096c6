#pragma once

#include <string>
#include <utility>

#include "dsl/emit.h"

namespace kg::dsl {

// A source under construction that records where each line came from.
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
// The parameters of the launched function: one for each tensor or list of tensors of the task.
std::string launched_parameters(const Form& form, const Code& code, const std::string& before);
// The address of a tensor: the launched function's parameter, with `before` put before its name, or an element of a
// list; and the list's description if the parameter is its first tensor.
std::string tensor_address(const Parameter& parameter, const std::string& before);
void add_list(SourceText& text, const Parameter& parameter, int depth, const std::string& before);
void add_extents(SourceText& text, const Form& form, int depth, const std::string& qualifiers);
// Helper functions that the kernel calls and Ascend C does not have.
void add_helpers(SourceText& text, const Form& form, const Code& code);

}  // namespace kg::dsl
