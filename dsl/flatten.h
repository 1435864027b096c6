#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// Turns a checked program into tiles and steps; the work of the tiling pass for one tile size. Loops are in
// flatten_loop.cpp, expressions in flatten_expression.cpp, flatten_view.cpp and flatten_call.cpp, copies in
// flatten_copy.cpp, scalars in flatten_scalar.cpp, the cube cores' statements in flatten_cube.cpp.
class Flattener {
 public:
  explicit Flattener(Form& form) : form_(form), steps_(&form.steps), cores_(form.checked.cores) {}
  void run();

 private:
  // C++ text of a scalar, and how tightly its outermost operator binds.
  struct Text {
    std::string text;
    int binding = 100;
  };
  struct Name {
    int tile = -1;  // of a tile or mask
    bool changes = false;
    bool dynamic = false;      // a tile range whose last piece is shorter
    int scaled = -1;           // of indices that gather takes: the bytes in front of each element
    std::int64_t longest = 0;  // of a tile range
    std::int64_t total = 0;
  };

  // statements
  void block(const std::vector<Statement>& body);
  void inner(const std::vector<Statement>& body);
  void statement(const Statement& statement);
  void assign(const Statement& statement);
  void store(const Statement& statement);
  void store_number(const Statement& statement, int tensor);
  void copy_out(const Statement& statement, int tile);
  void loop(const Statement& statement);
  void parallel_loop(const Statement& statement);
  void matrix(const Statement& statement);
  void product(const Statement& statement);
  void gemm(const Statement& statement);
  void store_product(const Statement& statement);
  Copy matrix_of(const Region& region, const std::vector<Index>& indices);
  int matrix_tile(const std::string& name, const Type& type, Tile::Home home);
  void close(int line);
  void count_changes(const std::vector<Statement>& body);
  void reserve_names(const std::vector<Statement>& body);
  void find_gathers(const Expr& expr);
  Step& step(Step::Kind kind, int line);
  void define(int line, const std::string& name, const std::string& type, const std::string& value,
              std::vector<int> tiles = {});

  // tiles: the index of the tile that holds the value, `into` if that is given
  int tile(const Expr& expr, int into = -1);
  int load(const Expr& expr, int into);
  int element_slice(const Expr& expr, int into);
  int view(int tile, const std::string& start, const Length& length);
  int whole(int tile, const Type& type, int line);  // itself, or a copy of a view
  bool is_steady(const Linear& value) const;
  bool views_what_changes(const Expr& expr) const;
  int fused(const Expr& expr, int into);
  bool reads(const Expr& expr, int tile) const;
  int binary(const Expr& expr, int into);
  int compare(const Expr& expr, int into);
  int call(const Expr& expr, int into);
  int where(const Expr& expr, int into);
  int elementwise(const std::string& name, const Type& type, int source, const std::vector<std::string>& scalars,
                  int line, int into);
  int convert(int source, const Type& type, proto::DType to, int line, int into);
  int folded(const std::string& op, int source, std::int64_t& elements, int line);
  int rounded_to_bfloat16(const Type& type, int source, int line, int into);
  int scan(const Expr& expr, int into);
  int reduce(const Expr& expr, int into);  // the result is the tile's first element
  int made(const Type& type, int into);    // `into`, or a new tile
  int operation(const std::string& op, const Type& type, std::vector<int> sources, std::vector<std::string> scalars,
                int line, int into, bool in_place = true);
  int filled(const Type& type, const std::string& value, int line, int into);
  int new_tile(const std::string& name, proto::DType dtype, const Length& length, Tile::Home home);
  std::vector<int> offsets(std::int64_t step, std::int64_t count, int line);

  // scalars
  Text scalar(const Expr& expr);
  Text scalar_call(const Expr& expr);
  Text through_tile(const Expr& expr);
  Text all_cores(const Expr& expr);
  std::string argument(const Expr& expr, proto::DType dtype);       // of a vector call: in the tile's type
  std::string bare_argument(const Expr& expr, proto::DType dtype);  // the same before its last conversion
  static std::string grouped(const std::string& text);              // in parentheses unless it is one word
  static std::string in_type(const std::string& text, proto::DType dtype);
  static std::string wrapped(const Text& text, int binding);
  std::string fresh(const std::string& stem);

  std::string length_text(const Length& length) const;
  std::int64_t longest(const Length& length) const;
  std::int64_t unit_of(const Length& length) const;
  std::int64_t unit_of(const Linear& offset) const;
  std::string offset_text(const Region& region, const std::vector<Index>& indices);
  std::string extent_text(const Parameter& parameter, std::size_t first, std::size_t last) const;
  Copy copy_of(const Region& region, const std::vector<Index>& indices);
  const Name& name(const std::string& name) const;
  std::string range_length(const std::string& range) const;

  Form& form_;
  std::vector<Step>* steps_;  // of the cores whose work is flattened
  int cores_;
  std::vector<std::map<std::string, Name>> scopes_{1};
  std::map<std::string, int> changes_, used_names_;
  std::set<std::string> gathered_by_;        // names of indices
  std::map<std::string, int> offset_tiles_;  // byte offsets of a step, by their text
  std::size_t hoisted_ = 0;                  // steps at the front that every other step may rely on
};

// Calls of the high-level library, which want room for intermediate values.
bool is_library(const std::string& op);

}  // namespace kg::dsl
