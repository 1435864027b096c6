#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"

// An evaluation cut into parts, which several processes make and one joins. A task's number, from which its random
// stream follows, is that of the whole evaluation, so that the answers are those of one process.
namespace kg::trainer {

// Of `--part I/N`: every `count`-th task, from number `index` on.
struct EvalPart {
  std::size_t index = 0, count = 1;
  bool holds(std::size_t task) const { return task % count == index; }
};
// "" is the whole. Throws Error for anything that is not I/N with I below N.
EvalPart parse_eval_part(const std::string& text);

// Appends to `data`, under the name `run_id`, what the parts in the folders below `folder` have stored; what is there
// already is left alone. `config`: the run's, which all parts must agree with. Throws Error naming a part that is
// missing, has not finished, or was made with other options. Returns the hash of the weights that all parts used.
std::string merge_parts(const fs::path& folder, const nlohmann::json& config, const std::string& run_id,
                        dataset::Dataset& data);

}  // namespace kg::trainer
