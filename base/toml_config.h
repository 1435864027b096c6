#pragma once

#include <string>
#include <vector>

namespace kg {

// One key of a configuration file, its value as words of a command line would have it.
struct ConfigValue {
  std::string name;
  std::vector<std::string> texts;  // of a list each element, else one
  bool is_list = false;
  bool usable = true;  // false: of a kind that no option accepts (a table, a date)
  std::string where;   // "run.toml:3"
};

// The keys of a TOML file in its order. Throws Error, with the line, if it is none.
std::vector<ConfigValue> read_toml_config(const std::string& path);

}  // namespace kg
