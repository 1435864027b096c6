#pragma once

#include <string>
#include <vector>

namespace kg {

// The text that help and the reference page show for an option (base/options.h).
struct OptionText {
  std::string name, type, help, standard;  // `standard`: the default
  std::vector<std::string> allowed;
  bool positional = false, required = false;
};

// The output of `--help`, and a command's section of docs/reference/cli.md.
std::string help_text(const std::string& command, const std::string& summary, const std::vector<OptionText>& options);
std::string reference_text(const std::string& command, const std::string& summary,
                           const std::vector<OptionText>& options);

}  // namespace kg
