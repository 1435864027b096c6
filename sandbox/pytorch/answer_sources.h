#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sandbox/pytorch/module_host.h"

namespace kg::sandbox {

// The texts that an answer sets when its Python runs.
struct AnswerSources {
  nlohmann::json texts;              // by name, all six of them
  std::vector<std::string> refused;  // objections of the benchmark's rules
  std::string error;                 // not empty: there are no texts, and why
};

// Runs the text in the modules' cell. Throws Error if the sandbox or the host is at fault.
AnswerSources read_answer(ModuleHost& modules, const proto::ModuleAnswer& given, const Allowance& allowance);

}  // namespace kg::sandbox
