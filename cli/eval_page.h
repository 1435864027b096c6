#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "evaluation/tables.h"

namespace kg::cli {

// The tables as a page that needs no other file; `record` says what was evaluated how.
std::string html_of(const evaluation::Tables& tables, const nlohmann::json& record);

}  // namespace kg::cli
