#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"

// An evaluation split into parts, made by several processes and then joined by one. A task keeps its number from the
// whole evaluation, which determines its random stream, so the answers equal those of one process.
namespace kg::trainer {

// For `--part I/N`: every `count`-th task, starting with number `index`.
struct EvalPart {
  std::size_t index = 0, count = 1;
  bool holds(std::size_t task) const { return task % count == index; }
};
// "" means the whole. Throws Error unless the text is I/N with I below N.
EvalPart parse_eval_part(const std::string& text);

// Appends to `data`, under the name `run_id`, the answers stored by the parts in the folders below `folder`; answers
// already there are kept. `config`: the run's, which all parts must agree with. Throws Error naming a part that is
// missing, has not finished, or was made with other options. Returns the hash of the weights that all parts used.
std::string merge_parts(const fs::path& folder, const nlohmann::json& config, const std::string& run_id,
                        dataset::Dataset& data);

}  // namespace kg::trainer
