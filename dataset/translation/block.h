#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataset/translation/operator_forms.h"

namespace kg::dataset::translation {

// The kind of an expression in the program. A condition is a comparison of numbers, not a mask.
struct Value {
  std::string text;
  Kind kind = Kind::kNumber;
  bool condition = false;
  bool integer = false;
};

// Lines after a head; those of inner blocks are added when they are closed, so that lines for the outer block can be
// written until then.
class Block {
 public:
  Block(std::string head, std::vector<std::string> variables, Block* outer)
      : head_(std::move(head)),
        variables_(std::move(variables)),
        outer_(outer),
        depth_(outer == nullptr ? 0 : outer->depth_ + 1) {}

  void write(const std::string& line) { items_.emplace_back(line); }
  Block& open(const std::string& head, const std::vector<std::string>& variables) {
    opened_.push_back(std::make_unique<Block>(head, variables, this));
    return *opened_.back();
  }
  void close(Block& inner);

  const std::vector<std::string>& variables() const { return variables_; }
  Block* outer() const { return outer_; }
  int depth() const { return depth_; }
  bool empty() const { return items_.empty(); }
  std::string text(int indent) const;

  std::map<std::string, Value> known;  // values computed here, by node and place
  // For starting again: how much was written.
  std::size_t length() const { return items_.size(); }
  void cut(std::size_t length) { items_.resize(length); }

 private:
  std::string head_;
  std::vector<std::string> variables_;
  Block* outer_;
  int depth_;
  std::vector<std::variant<std::string, std::shared_ptr<Block>>> items_;
  std::vector<std::unique_ptr<Block>> opened_;
};

// All but the first; each is inside the one before.
void close_inside(const std::vector<Block*>& blocks);

}  // namespace kg::dataset::translation
