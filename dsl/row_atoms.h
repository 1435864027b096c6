#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/program.h"

namespace kg::dsl {

// A statement of a block whose rows are cut, or a part of one.
struct Atom {
  enum class Kind {
    kNumber,     // sets a number or a short tile, or is anything else that does not touch a row
    kRow,        // sets a row, or changes some in a loop or condition
    kReduction,  // `name` = function(row `value`): sum, mean, max or min; "" picks the element `at`
    kStore       // stores a row
  };
  Kind kind = Kind::kNumber;
  Statement statement;  // kReduction: only name and value
  std::string function;
  ExprPtr at;                            // for a picked element
  std::int64_t length = 0;               // length of the row
  bool scan = false;                     // kRow: the value is cumsum(..) or cumprod(..)
  bool compound = false;                 // kRow: a loop or condition
  bool stores = false;                   // a compound that contains stores
  std::set<std::string> reads, sets;     // numbers, by name
  std::map<std::string, int> rows;       // rows that it reads, by name: the atoms that set them
  std::map<std::string, int> visible;    // all rows that it could read
  std::set<std::string> loaded, stored;  // tensors
  int level = -1;                        // its pass; for kNumber: the pass that it follows
  // A sum computed in the same pass as the maximum or mean it depends on: that atom, and the factor of the
  // exponentials (null: none).
  int joins = -1;
  ExprPtr factor;
};

// State of the pass that cuts a program's rows.
struct RowCutting {
  const std::vector<Parameter>& parameters;
  std::int64_t shortest = 0;                 // in elements: longer tiles are rows
  std::set<std::string> names = {};          // names in the program; fresh ones are added
  std::map<std::string, int> assigned = {};  // how often each number is set
  std::set<std::string> taken = {};          // names of rows that a pass uses for its tiles

  bool is_row(const Type& type) const {
    return (type.kind == Type::Kind::kTile || type.kind == Type::Kind::kMask) && type.length.factor == 0 &&
           type.length.constant >= shortest;
  }
  std::string fresh(const std::string& stem);
};

// The atoms of statements without a barrier, after those of `inherited`: rows of the enclosing blocks. Rows in loops
// and conditions are cut by `inner`, which gets the block's statements and the visible rows.
using CutInner = std::function<std::vector<Statement>(std::vector<Statement>, const std::vector<Atom>&)>;
std::vector<Atom> row_atoms(RowCutting& cutting, std::vector<Statement> body, const std::vector<Atom>& inherited,
                            const CutInner& inner);

}  // namespace kg::dsl
