#pragma once

#include <optional>
#include <string>

namespace kg::dataset::cot::modules {

// Translates a prompt's operators, listed one by one, into a DSL program, by the table of operator_forms.h, without a
// model: one loop over the elements or over rows of the last axes, a pass for each reduction of all elements or over
// one axis, or windows.
// nullopt: the prompt has no operators (a module that cannot be traced), or an unknown one. The result is not
// judged.
std::optional<std::string> translation(const std::string& prompt, std::string* why = nullptr);

}  // namespace kg::dataset::cot::modules
