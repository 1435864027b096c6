#pragma once

#include <string>
#include <vector>

namespace kg::cli {

// The commands as `kgtrain --reference` prints them: the source of completion and man pages.
struct DeclaredOption {
  std::string name;  // without hyphens
  bool positional = false;
  std::string kind;                  // "bool", "integer", "number", "text", "list"; empty if there are choices
  std::vector<std::string> choices;  // the accepted words
  std::string standard;              // the default, "required", or empty
  std::string meaning;
};

struct DeclaredCommand {
  std::string name;  // "sft", "data build", "eval --answers"
  std::string summary;
  std::vector<DeclaredOption> options;
};

std::vector<DeclaredCommand> parse_reference(const std::string& page);

// The commands of this program. Throws Error if it cannot be run.
std::vector<DeclaredCommand> declared_commands();

}  // namespace kg::cli
