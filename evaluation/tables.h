#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "evaluation/paired_difference.h"
#include "evaluation/stored_evaluation.h"
#include "evaluation/turn_gain.h"

namespace kg::evaluation {

// How many answers each version of the judge judged; "unknown": before there were versions. More than one: what the
// answers get may differ for one kernel.
using JudgeVersions = std::map<std::string, std::uint64_t>;
JudgeVersions judge_versions(const std::vector<JudgedAnswer>& answers);

// An evaluation and its parts by level, category and type, as docs/guide/metrics.md defines the numbers.
struct Tables {
  std::string label;
  Evaluation all;
  JudgeVersions judges;
  std::vector<std::pair<std::string, Evaluation>> parts;  // "level 1", "category Math", "float16", ...
  struct Against {
    std::string label;
    JudgeVersions judges;
    PairedTest solved;
    PairedDifference difference;
    std::optional<PairedDifference> last_turns;  // where both have further turns
  };
  std::optional<Against> against;
  std::optional<TurnGain> turns;
};

Tables make_tables(std::string label, const std::vector<JudgedAnswer>& answers);
Tables::Against compare(std::string label, const std::vector<JudgedAnswer>& ours,
                        const std::vector<JudgedAnswer>& theirs);

using TableRow = std::vector<std::string>;
std::vector<TableRow> rows_of(const Tables& tables);  // the first holds the columns' names
std::string notes_of(const Tables& tables);           // what stands below the table

std::string text_of(const Tables& tables);
nlohmann::json json_of(const Tables& tables);

// One table with a row for each of several evaluations.
std::string summary_text(const std::vector<StoredEvaluation>& evaluations);

}  // namespace kg::evaluation
