#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataset/cot/modules/graph.h"

namespace kg::dataset::cot::modules {

// Names that a module uses already.
class Names {
 public:
  void take(const std::string& name) { taken_.insert(name); }
  bool has(const std::string& name) const { return taken_.contains(name); }
  // One of the choices that is free, else the first with a number.
  std::string fresh(Draw& draw, std::vector<std::string> choices);

 private:
  std::set<std::string> taken_;
};

// How a module's constants, axes and sizes reach the place where they are used: a literal, an attribute, a default, an
// argument of the constructor, a constant of the file, a dictionary. Collects what the rest of the file needs for it.
class Delivery {
 public:
  Delivery(Draw& draw, Names& names, bool has_constructor);

  // The text to be used in forward for a number that the file spells `text`.
  std::string in_forward(const std::string& text, const std::string& role);
  // The same inside of the constructor.
  std::string in_constructor(const std::string& text, const std::string& role);
  // Names a size in the file; `text` is its number.
  std::string size(const std::string& letter, const std::string& text);
  void distract();

  int hops() const { return hops_; }
  std::vector<std::string> file_lines;         // constants, in front of or behind the class
  std::vector<std::string> class_lines;        // class attributes
  std::vector<std::string> constructor_lines;  // self.alpha = alpha
  std::string arguments() const;               // the constructor's: "alpha, eps=1e-5"
  std::string init_inputs() const;             // "0.5, 64"

 private:
  struct Argument {
    std::string name, fallback, passed;  // empty: none
  };
  std::string argument(const std::string& text, const std::string& role, int& hops);
  std::string file_constant(const std::string& text, const std::string& role);

  Draw& draw_;
  Names& names_;
  bool has_constructor_;
  int hops_ = 0;
  int habit_ = 0;  // an author's usual way
  std::string dictionary_;
  std::vector<Argument> arguments_;
  std::vector<std::pair<std::string, std::string>> sizes_;
};

}  // namespace kg::dataset::cot::modules
