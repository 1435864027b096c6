#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/check.h"
#include "dsl/check_expression.h"

namespace kg::dsl {

inline constexpr int kMostCores = 48, kMostGroups = 24;

// A variable begun with a whole number that later takes a number: the check begins again with it as a number.
struct Widen {
  std::string name;
};

// Checks the statements of a program whose extents are numbers: check.cpp those of any kind, check_loop.cpp loops and
// sizes, check_store.cpp stores and scratch tensors, check_cube.cpp what the cube cores do.
class Checker {
 public:
  Checker(Checked& checked, const std::set<std::string>& numbers, const TileSizes& sizes)
      : checked_(checked), numbers_(numbers), sizes_(sizes), expressions_(checked.program.parameters, scope_) {}
  void run();

 private:
  void constant_name(const std::string& name, std::int64_t value);
  void count_assignments(const std::vector<Statement>& body);
  void choose_cores();
  void block(std::vector<Statement>& body);
  void inner(std::vector<Statement>& body);
  void check(Statement& statement);
  void require_free(const std::string& name, int line);
  void require_new(const std::string& name, int line, const std::string& text, const std::string& what);
  void assign(Statement& statement);
  void buffer(Statement& statement);
  static bool fits(const Type& variable, const Type& value);

  void loop(Statement& statement);
  void walk(Statement& statement, const std::vector<Variable>& variables);
  Variable loop_variable(LoopItem& item, const Statement& statement);
  std::int64_t open_size(const std::string& range);
  void note_size(const LoopItem& item, std::int64_t total, std::int64_t size);
  void tile_size(Statement& statement);
  void launch(Statement& statement);

  void store(Statement& statement);
  void scratch(Statement& statement);
  void note_store(const Parameter& to, int line, const std::string& text);
  void note_loads(const Statement& statement);
  void note_loads(const Expr& expr);
  void meet() { stored_here_.clear(), loaded_here_.clear(); }  // all cores, at a barrier

  void cube_loop(Statement& statement);
  void find_roles(const std::vector<Statement>& body);
  void cube_statement(Statement& statement);
  void matrix(Statement& statement);
  void product(Statement& statement);
  void gemm(Statement& statement);
  Type operand(Expr& expr);
  void store_product(Statement& statement, const Parameter& to, const std::string& text);
  Length extent_of(Expr& expr, const std::string& text);

  Checked& checked_;
  const std::set<std::string>& numbers_;
  const TileSizes& sizes_;
  Scope scope_;
  ExpressionChecker expressions_;
  std::map<std::string, int> assignments_;
  std::set<std::string> stored_;
  std::set<std::string> stored_here_, loaded_here_;  // scratch tensors, since the last barrier
  bool on_cube_ = false;                             // in a loop of the cube cores
  std::map<std::string, char> roles_;                // of its ranges: m, n or k of the product
  struct Product {
    std::size_t depth = 0;  // of its block
    bool summed = false, stored = false;
  };
  std::map<std::string, Product> products_;
  std::map<std::string, bool> panels_;  // how matrices lie in L1, once they are used
};

// Loops, loads to L1, sums and products: work of the cube cores.
bool is_cube_work(const Statement& statement);
bool has_cube_work(const std::vector<Statement>& body);

}  // namespace kg::dsl
