#pragma once

#include <string>
#include <vector>

namespace kg {

// One key of a configuration file, with its value as words on a command line would give it.
struct ConfigValue {
  std::string name;
  std::vector<std::string> texts;  // a list's elements, or one value
  bool is_list = false;
  bool usable = true;  // false: a type that no option accepts (a table, a date)
  std::string where;   // "run.toml:3"
};

// The keys of a TOML file, in order. Throws Error, with the line, if the file is not TOML.
std::vector<ConfigValue> read_toml_config(const std::string& path);

}  // namespace kg
