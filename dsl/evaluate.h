#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/interpreter.h"

namespace kg::dsl {

// A value of the interpreter: a number, a condition (0 or 1), the start of a tile range, or a tile or mask.
struct Value {
  double number = 0;
  std::int64_t length = 0;  // length of a tile range
  Values elements;          // elements of a tile; of a mask, 0 or 1; of a matrix, row by row
  std::int64_t rows = 0;    // rows of a matrix
};

// The elements of a tensor that a load or store selects, for one core.
struct Place {
  std::int64_t tensor = 0, offset = 0, length = 1;
  std::int64_t start = 0, extent = 0;  // for a padded place: within its dimension
};

// Evaluates expressions for one core. evaluate_cube.h has the cube cores' part.
class Evaluator {
 public:
  Evaluator(const Checked& program, std::vector<Values>& tensors, int core);

  Value value(const Expr& expr);
  void assign(const Statement& statement);
  void store(const Statement& statement);
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  void set(const std::string& name, Value value) { scopes_.back()[name] = std::move(value); }
  Value* find(const std::string& name);  // null: no such name
  std::int64_t length(const Length& length);
  // Throws Refusal for a place outside its tensor.
  Place place(const Region& region, const std::vector<Index>& indices, int line, const std::string& text);
  Values& tensor(const Place& place) { return tensors_[static_cast<std::size_t>(place.tensor)]; }
  const Parameter& parameter(const Place& place) const {
    return program_.program.parameters[static_cast<std::size_t>(place.tensor)];
  }
  int core() const { return core_; }

  std::map<const Expr*, double> combined;  // numbers over all cores that are already known

 private:
  std::int64_t whole(const Expr& expr) { return static_cast<std::int64_t>(value(expr).number); }
  Value load(const Expr& expr);
  Value element(const Expr& expr);
  Value binary(const Expr& expr);
  Value call(const Expr& expr);
  Value call_other(const Expr& expr);
  template <typename F>
  Value each(const Expr& expr, const std::vector<Value>& args, const F& f, std::size_t first = 0);

  const Checked& program_;
  std::vector<Values>& tensors_;
  int core_;
  std::vector<std::map<std::string, Value>> scopes_{1};
};

}  // namespace kg::dsl
