#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataset/translation/node_maker.h"
#include "dataset/translation/traced_line.h"

namespace kg::dataset::translation {

// One traced line and the meaning of its names: arguments by position or keyword, as nodes, numbers or lists.
class LineReader {
 public:
  LineReader(const TracedLine& line, const std::map<std::string, int>& values, NodeMaker& make)
      : line_(line), values_(values), make_(make) {}

  const std::string& op() const { return line_.op; }
  const TracedLine& line() const { return line_; }
  std::size_t count() const { return line_.given.size(); }
  bool has(std::size_t place) const { return place < line_.given.size() && line_.given[place] != "None"; }
  bool is_node(std::size_t place) const { return has(place) && values_.contains(line_.given[place]); }
  // A tensor, or a number as a tensor without axes. Throws Unknown.
  int node(std::size_t place) const;
  std::vector<int> nodes() const;                  // all by position
  std::vector<int> list(std::size_t place) const;  // "[t1, t2]"
  // By position or by keyword; `otherwise` if it is not given.
  std::string text(std::size_t place, const char* keyword, const std::string& otherwise) const;
  std::int64_t number(std::size_t place, const char* keyword, std::int64_t otherwise) const;
  std::vector<std::int64_t> numbers(std::size_t place, const char* keyword) const;
  bool flag(const char* name) const { return line_.keywords.contains(name); }
  // A flag that the line shows by its name, or as True.
  bool is_true(std::size_t place, const char* name) const;
  // Axes of the first operand; all if none are given.
  std::vector<int> axes(std::size_t place) const;
  Shape shape() const;  // shape of the result. Throws Unknown.

 private:
  const TracedLine& line_;
  const std::map<std::string, int>& values_;
  NodeMaker& make_;
};

}  // namespace kg::dataset::translation
