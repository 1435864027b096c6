#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace kg::dataset::cot::modules {

// A size with a name in program and module: "C" in the one, "hidden" in the other. The prompt shows `full`; programs
// and modules are run with `small`.
struct Extent {
  std::string letter;
  std::int64_t full = 1, small = 1;
};

// A number of the module, spelled the same way in program and module.
struct Constant {
  std::string text;
  std::string role;  // eps, slope, scale, beta, rate, bound, low, high, count, ...
};

// A tensor that the kernel gets.
struct Input {
  std::string role;                // determines its name: "x", "target", "grad", "weight", ...
  std::vector<std::string> shape;  // letters, or numbers
  std::string draw = "normal";     // normal, positive, unit, prob, mask, sign, index, whole, wild
  std::string index_below;         // for draw index: letter of the bound
  std::string dtype = "";          // "": the graph's
  std::string program_shape;       // "R, C"
  std::string at;                  // the part that the program loads: "r, :"
  bool outside = false;            // loaded before the loop
  bool parameter = false;          // a parameter of the module, made by `construct`
  std::string construct;           // "nn.Parameter(torch.ones({C}))"
};

// In the spellings of a step: its operands, by position.
inline constexpr std::string_view kOperandLetters = "xywvu";

// One step. Values are numbered: inputs first, then nodes.
// In spellings $x $y $w $v are operands (atoms), @x ... the same where no brackets are needed, $a $b $c constants, $d
// the axes, {C} an extent; "M:construct" is a member called with @x, "P:construct" one that holds its further operands
// as weight and bias.
struct Node {
  std::string name;
  std::vector<int> operands;
  std::vector<int> constants;      // indices into Graph::constants
  std::vector<std::string> torch;  // all ways to write it
  std::string dsl;                 // "$1 = ...; $1 * $x"
  std::string words;               // for the reading line: "mul $a"
  std::string formula;             // ways to write it in formulas, in the DSL's syntax; empty: as in dsl (described.h)
  std::vector<int> axes;           // the axes for $d, from the front
  int rank = 0;
};

// The computation: several texts (surface.h) express it, one program computes it.
struct Graph {
  std::string stratum;  // elementwise, reduction, long_row, window_scan, outputs
  std::string nest;     // loop nest: flat, total, rows, ...
  std::string dtype = "float";
  std::vector<Extent> extents;
  std::vector<Constant> constants;
  std::vector<Input> inputs;
  std::vector<Node> nodes;
  std::vector<int> outputs;                          // values
  std::vector<std::vector<std::string>> out_shapes;  // letters or numbers
  std::vector<std::string> out_program_shapes;
  std::vector<std::string> out_dtypes;  // empty, or "" for one: the graph's
  std::vector<std::string> out_names;   // empty: out, or out0, out1, ...
  std::vector<std::string> out_roles;   // what a description names them after, as an input's role; may be empty
  // Lines of the program after its head: {0} is the name of input 0, {z0} of output 0, %1 a local name.
  std::vector<std::string> program;
  std::map<int, std::string> value_names;  // what the program calls values, in its lines' form
  std::string axis_note;                   // for the reading line: "dim 1 = D"
  std::vector<std::string> notes;          // more for the reading line: "n = F // 8 * H * W"

  int value_count() const { return static_cast<int>(inputs.size() + nodes.size()); }
  const Node* node(int value) const {
    return value < static_cast<int>(inputs.size()) ? nullptr : &nodes[static_cast<std::size_t>(value) - inputs.size()];
  }
  std::string out_name(std::size_t i) const;
  const std::string& out_dtype(std::size_t i) const {
    return i < out_dtypes.size() && !out_dtypes[i].empty() ? out_dtypes[i] : dtype;
  }
  std::string structure() const;  // names of the steps and the nest: train and held-out modules differ in it
  std::int64_t size(const std::string& letter, bool full) const;  // value of a letter or number
};

// Numbers drawn from `random`.
class Draw {
 public:
  explicit Draw(Philox& random) : random_(random) {}
  std::uint64_t below(std::uint64_t n) { return random_.next_below(n); }
  bool chance(double p) { return random_.next_double() < p; }
  template <typename T>
  const T& of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  std::string any(std::initializer_list<const char*> choices) { return *(choices.begin() + below(choices.size())); }
  double uniform(double low, double high) { return low + (high - low) * random_.next_double(); }

 private:
  Philox& random_;
};

Graph draw_graph(Philox& random);

}  // namespace kg::dataset::cot::modules
