#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "proto/verdict.pb.h"

namespace kg::proto {

std::string stage_name(Stage stage);      // "rejected", "compile", "run", "compare", "check", "correct"
const char* stage_sentence(Stage stage);  // what ended there, for a reader
Stage stage_from_name(const std::string& name);

// The object that `kgtrain judge --json` prints (design page, "Commands"). NaN and infinities become null.
nlohmann::json to_json(const Verdict& verdict);
nlohmann::json to_json(const Fault& fault);

}  // namespace kg::proto
