#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proto/task.pb.h"

namespace kg::dataset::cot {

// How a kernel walks through the tensors.
enum class Walk {
  kFlat,     // elementwise: the order of elements does not matter
  kRows,     // along the last axis, a row at a time
  kTotal,    // to one number over all cores
  kColumns,  // over the last axis but one
  kGather,   // rows selected by an index
  kMatmul,   // a product of small matrices, then rows
};
inline bool by_rows(Walk walk) { return walk == Walk::kRows || walk == Walk::kGather || walk == Walk::kMatmul; }

// The shape of an input, relative to the walk.
enum class InputKind {
  kFull,         // (..., rows, columns)
  kVector,       // (columns): broadcast over the rows
  kRowIndex,     // whole numbers: rows of x, one for each row of the result (gather_rows)
  kColumnIndex,  // whole numbers: columns (take)
  kPickIndex,    // whole numbers: a column for each row (pick)
  kRight,        // (inner, columns): right side of a product
};

struct Input {
  char letter = 'x';
  InputKind kind = InputKind::kFull;
  double low = -2, high = 2;
};

// Whether its whole numbers choose rows or columns.
inline bool is_index(const Input& input) {
  return input.kind == InputKind::kRowIndex || input.kind == InputKind::kColumnIndex ||
         input.kind == InputKind::kPickIndex;
}

// One step. Operands: index of an input, or inputs + index of an earlier node, as in proto::OperatorGraph.
struct Node {
  std::string op;
  std::vector<double> attributes;
  std::vector<int> operands;
};

// A composition of operators without shapes and types: train and held-out tasks differ in it.
struct Structure {
  std::string name;      // "exp-reduce_sum-div.0@0"; no two structures share one
  std::string family;    // "rows", "flat", "optimiser", ...
  std::string category;  // category of its most characteristic operator
  std::string split;     // "train" or "heldout"
  int level = 1;         // 1 to 5, for a curriculum
  Walk walk = Walk::kFlat;
  std::vector<Input> inputs;
  std::vector<Node> nodes;
  std::vector<int> outputs;   // values, numbered as operands
  bool whole = false;         // also makes sense for whole numbers
  double rounding_steps = 0;  // vector instructions between input and result
  int value_count() const { return static_cast<int>(inputs.size() + nodes.size()); }
  const Node* node(int value) const;  // null for an input
};

// The first `count` of an endless list that is always the same: first each single operator, then compositions. Each is
// numerically sound: rounding in float changes no result by more than the judge allows, no step is an identity, a
// constant or a repeat of another, and discontinuous operators only see exact values.
std::span<const Structure> structures(std::size_t count);

// For inputs of these shapes; a value with one number per row gets an axis where it is combined with whole rows, so
// the graph may have more nodes than the structure.
proto::OperatorGraph graph_of(const Structure& structure);

// Does a value have one number for each row (kRows and similar)?
bool is_number(const Structure& structure, int value);

}  // namespace kg::dataset::cot
