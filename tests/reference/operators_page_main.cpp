#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "dsl/functions.h"
#include "operators/operators.h"

namespace kg::operators {
namespace {

constexpr const char* kHead = R"(# Operators

Every operator of a task's graph, from the rows in `operators/`. This page is generated:
`cmake --build build/sandbox --target operators_page_update` writes it, and a test compares it with the table.

- **Shape**: how the result's shape follows from the inputs: `elements` (broadcast as numpy does), `row` (along the last axis),
  `row to number`, `part of row`, `columns` (the last axis but one goes), `total` (one number), `own`.
- **Formula**: x, y, z are tensors, a and b constants. Values are computed in fp64.
- **Constants**: the choices of compositions.
- **In the DSL**: how compositions write it, with $x $y $w for tensors and $a $b for constants. For an operator over all elements these are
  the terms of the sum. `-`: the writer has its own way, with slices, gathers or loops.
- **Function**: the DSL's function with this value, if it has one ([dsl.md](dsl.md)).
- **Compositions**: what the generator knows. `exact` adds no rounding; `step` jumps, so it only sees exact values; `whole` also works on
  whole numbers; `positive` takes positive inputs; `cast` sets the output's type; `adds up` and `mean` accumulate;
  `positive state` is a history of squares. `function`: a call of the operator's name stands for the expression.
- **Cost**: vector instructions for each input element in the baseline, simple + slow (Exp, Ln, Sqrt, Div).

| Operator | Category | Inputs | Shape | Formula | Constants | In the DSL | Function | Compositions | Cost |
|---|---|---|---|---|---|---|---|---|---|
)";

const char* shape_name(OperatorShape shape) {
  switch (shape) {
    case OperatorShape::kElementwise:
      return "elements";
    case OperatorShape::kRowwise:
      return "row";
    case OperatorShape::kRowReduce:
      return "row to number";
    case OperatorShape::kRowPart:
      return "part of row";
    case OperatorShape::kColumnReduce:
      return "columns";
    case OperatorShape::kTotal:
      return "total";
    case OperatorShape::kOther:
      return "own";
  }
  return "";
}

std::string code(std::string_view text) {
  if (text.empty()) return "-";
  std::string escaped = "`";
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped + "`";
}

// "a: 0.5, 1; b: 2", or the names alone where compositions do not draw it.
std::string constants(const OperatorInfo& info) {
  std::ostringstream text;
  for (int i = 0; i < info.attribute_count; ++i) {
    text << (i > 0 ? "; " : "") << "ab"[i];
    if (!info.word) continue;
    const char* between = ": ";
    for (const double choice : info.word->attributes[static_cast<std::size_t>(i)]) {
      text << between << choice;
      between = ", ";
    }
  }
  return info.attribute_count == 0 ? "-" : text.str();
}

std::string function_of(const OperatorInfo& info) {
  std::string names;
  for (const dsl::Function& function : dsl::functions())
    if (function.op == &info) names += (names.empty() ? "" : ", ") + function.name;
  return code(names);
}

std::string flags(const OperatorInfo& info) {
  if (!info.word) return "not drawn";
  static constexpr std::pair<unsigned, const char*> kNames[] = {
      {kExact, "exact"},      {kStep, "step"}, {kWhole, "whole"},         {kPositive, "positive"},
      {kCast, "cast"},        {kMean, "mean"}, {kAccumulates, "adds up"}, {kPositiveState, "positive state"},
      {kFunction, "function"}};
  std::string text;
  for (const auto& [flag, name] : kNames)
    if ((info.word->flags & flag) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "-" : text;
}

std::string page() {
  std::ostringstream text;
  text << kHead;
  for (const auto* table : {&operator_table(), &hyper_connection_operators()})
    for (const OperatorInfo& info : *table)
      text << "| `" << info.name << "` | " << info.category << " | " << info.arity << " | " << shape_name(info.shape)
           << " | " << code(info.formula) << " | " << constants(info) << " | " << code(info.word ? info.word->dsl : "")
           << " | " << function_of(info) << " | " << flags(info) << " | " << info.cost.simple << " + " << info.cost.slow
           << " |\n";
  return text.str();
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace
}  // namespace kg::operators

// Writes docs/reference/operators.md; with --check it only says whether the file is up to date.
//
//   operators_page <source folder> [--check]
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <source folder> [--check]\n", argv[0]);
    return 2;
  }
  const std::filesystem::path file = std::filesystem::path(argv[1]) / "docs/reference/operators.md";
  const std::string page = kg::operators::page();
  if (argc > 2 && std::string(argv[2]) == "--check") {
    if (kg::operators::text_of(file) == page) return 0;
    std::fprintf(stderr, "%s is out of date: cmake --build build/sandbox --target operators_page_update\n",
                 file.c_str());
    return 1;
  }
  std::ofstream(file, std::ios::binary) << page;
  return 0;
}
