#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kg::dataset::translation {

// A line of dataset/benchmarks/traced.py: "t1 [64,1] = mean(x, 1, keepdim)".
struct TracedLine {
  std::vector<std::string> results;
  std::vector<std::string> given;                  // arguments by position
  std::map<std::string, std::string> keywords;     // keepdim: ""
  std::string op;                                  // empty: the result is the only argument itself
  std::optional<std::vector<std::int64_t>> shape;  // if the line has one
};

// nullopt: it is not such a line.
std::optional<TracedLine> traced_line(const std::string& text);

// "[1, 2]", "1" or "16,256".
std::vector<std::int64_t> numbers_of(const std::string& text);

}  // namespace kg::dataset::translation
