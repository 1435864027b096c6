#pragma once

#include <optional>
#include <string>

namespace kg::dataset::cot::modules {

// The program in the DSL that a prompt's operators say one by one, by the table of operator_forms.h and no model: one
// loop over the elements or over rows of the last axes, a pass for each reduction of all or over one axis, or windows.
// nullopt:
// the prompt has no operators (a module that cannot be told so), or one that this does not know. What it gives has not
// been judged.
std::optional<std::string> translation(const std::string& prompt, std::string* why = nullptr);

}  // namespace kg::dataset::cot::modules
