#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/program.h"

namespace kg::dsl {

struct Bounds {
  std::int64_t low = 0, high = 0;  // inclusive
  std::int64_t count() const { return high - low + 1; }
};

struct Variable {
  Type type;
  int line = 0;
  bool fixed = false;            // an extent or a loop's variable: cannot be assigned
  std::optional<Linear> linear;  // for a whole number that is set once
  std::optional<Bounds> bounds;  // for a loop's variable; for a range: from its first start to its last end
  std::int64_t tile = 0;         // for a range: its longest length
};

// The visible names, block by block.
class Scope {
 public:
  void open() { blocks_.emplace_back(); }
  void close() { blocks_.pop_back(); }
  Variable* find(const std::string& name) { return const_cast<Variable*>(std::as_const(*this).find(name)); }
  const Variable* find(const std::string& name) const {
    for (std::size_t block = blocks_.size(); block-- > 0;)
      if (const auto found = blocks_[block].find(name);
          found != blocks_[block].end() && (block >= hidden_ || found->second.fixed))
        return &found->second;
    return nullptr;
  }
  // The cube cores do not have the values that the vector cores keep in the outermost `blocks`.
  void hide(std::size_t blocks) { hidden_ = blocks; }
  bool hides(const std::string& name) const {
    for (std::size_t block = 0; block < hidden_; ++block)
      if (blocks_[block].contains(name)) return true;
    return false;
  }
  Variable& add(const std::string& name, Variable variable) { return blocks_.back()[name] = std::move(variable); }
  std::size_t depth() const { return blocks_.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& block : blocks_)
      for (const auto& [name, variable] : block) all.push_back(name);
    return all;
  }

 private:
  std::vector<std::map<std::string, Variable>> blocks_{1};
  std::size_t hidden_ = 0;
};

}  // namespace kg::dsl
