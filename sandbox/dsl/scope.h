#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/dsl/program.h"

namespace kg::sandbox::dsl {

struct Bounds {
  std::int64_t low = 0, high = 0;  // inclusive
};

struct Variable {
  Type type;
  int line = 0;
  bool fixed = false;            // an extent, a loop's variable: cannot be assigned
  std::optional<Linear> linear;  // of a whole number that is set once
  std::optional<Bounds> bounds;  // of a loop's variable; of a range: from its first start to its last end
  std::int64_t tile = 0;         // of a range: its longest length
};

// The names that are visible, block by block.
class Scope {
 public:
  void open() { blocks_.emplace_back(); }
  void close() { blocks_.pop_back(); }
  Variable* find(const std::string& name) {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      if (const auto found = block->find(name); found != block->end()) return &found->second;
    return nullptr;
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
};

}  // namespace kg::sandbox::dsl
