#pragma once

#include <cstddef>
#include <string>

namespace kg::sandbox {

// Macros of a source that stand for a launch <<<...>>>. `text`: the source without comments and literals.

// Where the #define begins that holds a place; npos: none does.
std::size_t definition_around(const std::string& text, std::size_t place);

std::size_t definition_end(const std::string& text, std::size_t definition);

// Whether the backslash at a place joins two lines.
bool continues_line(const std::string& text, std::size_t at);

// Where the text of a macro begins, behind its name and parameters.
std::size_t replacement_begin(const std::string& text, std::size_t definition);

// The text with each use of such a macro replaced by what it stands for, and without their definitions. Only good for
// finding out which function launches which kernel.
std::string with_launches_expanded(const std::string& text);

}  // namespace kg::sandbox
