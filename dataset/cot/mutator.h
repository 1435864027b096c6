#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/cot/mutation.h"

namespace kg::dataset::cot {

// Collects mutants of one text, in the order of the calls. Comments are left alone.
class Mutator {
 public:
  explicit Mutator(const std::string& source);

  // Changes the first and, if there is another one, the last line that `change` can change.
  void edit(const char* kind, const std::string& cause, const std::function<bool(std::string&)>& change);
  // The same for deleting lines.
  void remove(const char* kind, const std::string& cause, const std::function<bool(const std::string&)>& which);
  std::vector<Mutant> take() { return std::move(made_); }

 private:
  void add(const char* kind, const std::string& cause, std::size_t at, const std::function<bool(std::string&)>& change);

  std::vector<std::string> lines_;
  std::vector<Mutant> made_;
};

// Edits of a line; false if there is nothing to replace.
bool replace_first(std::string& text, const std::string& from, const std::string& to);
// "Add(" as a separate call, not the end of another name.
bool replace_call(std::string& line, const std::string& from, const std::string& to);

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string trimmed(const std::string& line);

}  // namespace kg::dataset::cot
