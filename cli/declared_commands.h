#pragma once

#include <string>
#include <vector>

namespace kg::cli {

// The commands as `kgtrain --reference` prints them: what completion and man pages are made of.
struct DeclaredOption {
  std::string name;  // without hyphens
  bool positional = false;
  std::string kind;                  // "bool", "integer", "number", "text", "list"; of choices empty
  std::vector<std::string> choices;  // the words that it takes
  std::string standard;              // the default; "required"; empty
  std::string meaning;
};

struct DeclaredCommand {
  std::string name;  // "sft", "data build", "eval --answers"
  std::string summary;
  std::vector<DeclaredOption> options;
};

std::vector<DeclaredCommand> parse_reference(const std::string& page);

// Those of this program. Throws Error if it cannot be asked.
std::vector<DeclaredCommand> declared_commands();

}  // namespace kg::cli
