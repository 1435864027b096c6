#include "dsl/scalar_text.h"

#include <cmath>
#include <cstdio>
#include <set>

namespace kg::dsl {

std::string cpp_name(const std::string& name) {
  static const std::set<std::string> kTaken = {
      "alignas",  "alignof",  "asm",       "auto",     "bool",      "break",     "case",     "catch",    "char",
      "class",    "const",    "constexpr", "continue", "default",   "delete",    "do",       "double",   "else",
      "enum",     "explicit", "export",    "extern",   "false",     "final",     "float",    "friend",   "goto",
      "half",     "inline",   "int",       "long",     "mutable",   "namespace", "new",      "noexcept", "not",
      "nullptr",  "operator", "override",  "private",  "protected", "public",    "register", "return",   "short",
      "signed",   "sizeof",   "static",    "struct",   "switch",    "template",  "this",     "throw",    "true",
      "try",      "typedef",  "typeid",    "typename", "union",     "unsigned",  "using",    "virtual",  "void",
      "volatile", "while",    "xor",       "and",      "or",        "sqrt",      "pipe",     "work",     "workspace",
      "half",     "main",     "char",      "cores",    "block",     "printf",    "assert"};
  // Ascend C's own names begin with a capital letter; a local name hides them, which only confuses where it is a call.
  static const std::set<std::string> kCalls = {"Add",        "Sub",     "Mul",    "Div",       "Max",      "Min",
                                               "Adds",       "Muls",    "Exp",    "Ln",        "Abs",      "Cast",
                                               "Copy",       "Select",  "Gather", "Duplicate", "Multiply", "CopyPanels",
                                               "Cumulative", "Process", "Init",   "T",         "TPipe"};
  return kTaken.contains(name) || kCalls.contains(name) || name.starts_with("__") || name.starts_with("kg_") ||
                 name.starts_with("kgnpu")
             ? name + "_"
             : name;
}

std::string float_text(double value) {
  if (std::isinf(value)) return value > 0 ? "(1.0f / 0.0f)" : "(-1.0f / 0.0f)";
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result + "f";
}

}  // namespace kg::dsl
