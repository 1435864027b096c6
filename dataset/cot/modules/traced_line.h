#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kg::dataset::cot::modules {

// A line of dataset/benchmarks/traced.py: "t1 [64,1] = mean(x, 1, keepdim)".
struct TracedLine {
  std::vector<std::string> results;
  std::vector<std::string> given;                  // arguments by place
  std::map<std::string, std::string> keywords;     // keepdim: ""
  std::string op;                                  // empty: the result is the one argument itself
  std::optional<std::vector<std::int64_t>> shape;  // where it stands there
};

// nullopt: it is none.
std::optional<TracedLine> traced_line(const std::string& text);

// "[1, 2]", "1" or "16,256".
std::vector<std::int64_t> numbers_of(const std::string& text);

}  // namespace kg::dataset::cot::modules
