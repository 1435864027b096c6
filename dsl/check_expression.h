#pragma once

#include <map>
#include <optional>
#include <string>

#include "dsl/refusal.h"
#include "dsl/scope.h"

namespace kg::dsl {

[[noreturn]] inline void refuse(const Expr& expr, const std::string& rule) {
  throw Refusal(expr.line, text_of(expr), rule);
}

// What one index names of its dimension.
struct Span {
  Linear start;
  Length length{.constant = 1};
  std::optional<Bounds> first, last;  // of its first element, and of what follows its last
  bool vector = false;                // a tile range or slice
  bool outside = false;
};

// Gives expressions their types. Knows the visible names; statements are check.cpp's.
class ExpressionChecker {
 public:
  ExpressionChecker(const std::vector<Parameter>& parameters, Scope& scope) : parameters_(parameters), scope_(scope) {}

  const Type& check(Expr& expr);
  // A tile's or a scalar's value; a whole number where `what` needs one.
  std::int64_t constant(Expr& expr, const std::string& what);
  Linear linear(const Expr& expr) const;
  std::optional<Bounds> bounds(const Linear& value) const;
  // What a load or store of parameter `tensor` names; text is that of the load or store.
  Region region(int tensor, std::vector<Index>& indices, bool has_pad, int line, const std::string& text);
  // The same of a matrix, for l1 and stores of products.
  Region matrix(int tensor, std::vector<Index>& indices, int line, const std::string& text);
  Length length_of(const Linear& value, int line, const std::string& text) const;
  Linear linear_of(const Length& length) const;
  int parameter(const std::string& name) const;  // -1: none
  bool top_level = true;                         // outside of every loop and condition

 private:
  Type name(Expr& expr);
  Type unary(Expr& expr);
  Type binary(Expr& expr);
  Type scalar_binary(Expr& expr, const Type& a, const Type& b);
  Type power(Expr& expr);
  Type load(Expr& expr);
  Type element(Expr& expr);
  Type call(Expr& expr);
  Type call_other(Expr& expr);
  Type elementwise(Expr& expr);
  // The common type of the operands of an elementwise operation; scalars fit any tile.
  Type joined(Expr& expr, std::size_t first = 0);
  void check_slice(Index& index, std::int64_t extent, Linear& start, Length& length, int line, const std::string& text);
  Span span(Index& index, std::int64_t extent, bool has_pad, int line, const std::string& text);
  static std::vector<std::int64_t> extents_of(const Parameter& parameter, std::size_t indices, int line,
                                              const std::string& text);

  const std::vector<Parameter>& parameters_;
  Scope& scope_;
};

std::string type_text(const Type& type);
std::string length_text(const Length& length);

}  // namespace kg::dsl
