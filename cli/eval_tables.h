#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reward/evaluation.h"

namespace kg::cli {

// An evaluation and its parts by level, category and type, as docs/metrics.md defines the numbers.
struct EvalTables {
  std::string label;
  reward::Evaluation all;
  std::vector<std::pair<std::string, reward::Evaluation>> parts;  // "level 1", "category Math", "float16", ...
  std::optional<reward::PairedTest> against;
  std::string against_label;
};

EvalTables make_eval_tables(std::string label, const std::vector<reward::JudgedAnswer>& answers);

std::string text_of(const EvalTables& tables);
nlohmann::json json_of(const EvalTables& tables);
std::string html_of(const EvalTables& tables, const nlohmann::json& record);

}  // namespace kg::cli
