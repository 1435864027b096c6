#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sandbox/pytorch/module_host.h"

namespace kg::sandbox {

// What an answer's text sets, once its Python has run.
struct AnswerSources {
  nlohmann::json texts;              // by name, all six of them
  std::vector<std::string> refused;  // what the benchmark's rules say of it
  std::string error;                 // not empty: there are no texts, and why
};

// Runs the text in the modules' cell. Throws Error where the sandbox or the host is at fault.
AnswerSources read_answer(ModuleHost& modules, const proto::ModuleAnswer& given, const Allowance& allowance);

}  // namespace kg::sandbox
