#pragma once

#include <map>
#include <string>
#include <vector>

namespace kg::sandbox {

// One form of a call, as the headers declare it. The headers are the table of calls, forms and data types; from them
// come the compiler's refusals, the messages, docs/reference/ascend-c-coverage.md and the generated tests.
struct CallForm {
  struct Parameter {
    std::string type, name;
    bool optional = false;
  };
  std::string owner;                  // class of a method; empty: a function
  std::string template_parameters;    // "typename T, bool isSetMask = true"
  std::vector<Parameter> parameters;  // without the hidden line
  std::vector<std::string> types;     // types that KG_TAKES allows for `type_parameter`; empty: any
  std::string type_parameter;
  std::string header;
  std::string space;      // innermost namespace
  std::string returns;    // "void"
  bool has_line = false;  // the headers add the line of the call as a hidden last parameter

  std::size_t least() const;  // number of arguments
  // True if neither the arguments nor a default determine some template parameter.
  bool needs_template_arguments() const;
  // "Add(const LocalTensor<T>& dst, ..., const int32_t& count), T: half, float"
  std::string text(const std::string& name) const;
};

using CallForms = std::multimap<std::string, CallForm>;

// Every function and public method that the headers in the folder declare for kernels.
CallForms read_call_forms(const std::string& include_folder);

}  // namespace kg::sandbox
