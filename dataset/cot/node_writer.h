#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/cot/dsl_writer.h"
#include "operators/operators.h"

namespace kg::dataset::cot {

const operators::Word& word(const std::string& op);

// Writes a program's statements: which values get a name, which are part of an expression, how operators are written.
// The loops around them are in dsl_writer.cpp.
class NodeWriter {
 public:
  NodeWriter(const Instance& instance, const Writing& writing);

  void line(int depth, const std::string& text);
  // A base for a value's name. A tensor's own name is taken: its tile is called xv.
  std::string hint_for(std::size_t value, const std::string& otherwise) const;
  // Gives a value its own name.
  std::string named(int depth, const std::string& text, const std::string& hint);
  void load(int depth, std::size_t input, const std::string& index);
  // The text of node `index` by its pattern; first writes the statements it depends on.
  std::string expression(int depth, std::size_t index, std::string_view pattern);
  // The value under a name.
  const std::string& simple(int depth, int value);
  void write(int depth, std::size_t from, std::size_t to);
  void store(int depth, const std::string& index);
  // A value that `pattern` repeats is computed once.
  void name_what_repeats(int depth, const Node& node, std::string_view pattern);
  const std::string& body() const { return body_; }

  const std::vector<TensorOf> inputs, outputs;
  std::vector<std::string> values;  // text of each value, a name or an expression

 private:
  bool whole() const;
  void count_uses();
  std::string fresh(const std::string& hint);
  std::string operand(int value) const;
  std::string filled(std::string_view pattern, const Node& node, const std::map<char, std::string>& temporary) const;
  std::string_view pattern_of(const Node& node) const;
  void keep(int depth, std::size_t index, const std::string& text);
  void node(int depth, std::size_t index);
  std::string pooled(int depth, const Node& made);

  const Instance& instance_;
  const Structure& structure_;
  const Writing writing_;
  std::vector<std::size_t> uses_;
  std::string body_;
  std::size_t made_ = 0;
  std::map<std::string, int> taken_;
};

// A value's name in the prompt: a letter, "t1", an output's name.
std::string value_name(const Structure& structure, const std::vector<TensorOf>& outputs, int value);

}  // namespace kg::dataset::cot
