#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace kg::policy::jinja {

// The part of Jinja that chat templates use: output, set, if, for, macro, namespaces, slices,
// and the filters, tests and methods that models need. Anything else is an Error that names it, when the
// template is read (statements) or run (filters, functions).
class Template {
 public:
  explicit Template(const std::string& text);
  ~Template();
  // `variables`: an object. Throws Error if the template calls raise_exception or uses something unsupported.
  std::string render(const nlohmann::ordered_json& variables) const;

 private:
  struct Parsed;
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace kg::policy::jinja
