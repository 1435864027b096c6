#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/cot/modules/graph.h"
#include "dataset/cot/modules/vocabulary.h"

namespace kg::dataset::cot::modules {

// Known properties of a value's numbers.
struct Known {
  bool positive = false, bounded = false, exact = false, unit = false, number = false;
};

// Builds a graph and its program together.
class Maker {
 public:
  Maker(Draw& draw, const char* nest, const char* stratum);

  Draw& draw;
  Graph graph;

  // -- sizes
  void extent(const std::string& letter, std::int64_t full, std::int64_t small);
  std::int64_t size(std::initializer_list<std::int64_t> round, std::int64_t least, std::int64_t most);  // round or odd

  // -- values
  int input(const std::string& role, std::vector<std::string> shape, const std::string& program_shape,
            const std::string& at, const std::string& kind = "normal");
  int constant(char kind);
  int fixed(const std::string& text, const std::string& role);
  int step(const Word& word, std::vector<int> operands);
  int step(Node node);
  // Several consecutive elementwise steps, starting with `value`; `others` are used up as second operands.
  int chain(int value, int steps, std::vector<int> others = {});
  void output(int value, std::vector<std::string> shape, const std::string& program_shape);
  Known& known(int value) { return known_[value]; }
  Node& node_of(int value) { return graph.nodes[static_cast<std::size_t>(value) - graph.inputs.size()]; }

  // -- program
  void line(int depth, const std::string& text);
  std::string local();
  void name(int value, const std::string& text) { graph.value_names[value] = text; }
  std::string of(int value);
  std::string load(int value);  // "load x[t]"
  void loads(int depth, const std::vector<int>& inputs);
  // Statements needed by a value's expression, and the expression itself.
  std::string expression(int value, int depth);
  void bind(int value, int depth);
  void bind_range(int first, int end, int depth);                       // nodes as values
  void store(int output, const std::string& at, int value, int depth);  // expression of a node, or a named value
  std::string filled_dsl(const std::string& form, const std::vector<int>& operands, const std::vector<int>& constants,
                         int depth);

 private:
  const Word& draw_word(std::span<const Word> words, const Known& of);
  std::map<int, Known> known_;
  int locals_ = 0;
};

// An elementwise operator by its name.
const Word& word_named(std::string_view name);

// Every way of `outer`, applied to x, around every way of `inner`.
std::vector<std::string> around(const std::vector<std::string>& outer, const std::vector<std::string>& inner);

// Ways to write a reduction along axes in PyTorch, and in the DSL for a row.
struct Reduction {
  const char* name;
  const char* words;
  const char* dsl;      // for a row
  const char* torch;    // with $k in place of keepdim: ", keepdim=True" or nothing
  bool several = true;  // works on several axes at once
  bool positive = false;
};
std::span<const Reduction> reductions();
Node reduction_node(const Reduction& reduction, int operand, std::vector<int> axes, int rank, bool keep,
                    const std::string& letters);

}  // namespace kg::dataset::cot::modules
