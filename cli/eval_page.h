#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "evaluation/tables.h"

namespace kg::cli {

// The tables as a self-contained page; `record` says what was evaluated and how.
std::string html_of(const evaluation::Tables& tables, const nlohmann::json& record);

}  // namespace kg::cli
