#include "cli/module_answer.h"

#include <algorithm>

namespace kg::cli {

std::string module_text(const std::string& answer) {
  const std::size_t begin = answer.find("```");
  const std::size_t end = begin == std::string::npos ? begin : answer.find("```", begin + 3);
  if (end == std::string::npos) return answer;
  const auto from_text = [&](std::size_t at) { return std::min(answer.find_first_not_of(" \t\r\n", at), end); };
  std::size_t at = from_text(begin + 3);
  for (const char* language : {"python", "cpp", "json"})
    if (answer.compare(at, std::char_traits<char>::length(language), language) == 0)
      at = from_text(at + std::char_traits<char>::length(language));
  return answer.substr(at, end - at);
}

void prepare_for_module(const proto::Task& task, const dataset::Dataset& data,
                        const dataset::benchmarks::WorkerOptions& worker, sandbox::SandboxOptions& sandbox,
                        reward::JudgeOptions& rules) {
  if (!reward::is_module(task) || !sandbox.python.empty()) return;
  sandbox.python = dataset::benchmarks::python_of(worker);
  rules.module_rules = data.meta(task.suite() + ".cheating_detection").value_or("");
}

}  // namespace kg::cli
