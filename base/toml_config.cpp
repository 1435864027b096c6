#include "base/toml_config.h"

#include <stdexcept>

// "[/table]" fails an assertion in the library, which would end the program; so report here that the file is not TOML.
#define TOML_ASSERT(condition) ((condition) ? (void)0 : throw std::runtime_error("it is not TOML (" #condition ")"))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"  // it asserts in noexcept functions too, of which none is called here
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"

namespace kg {
namespace {

toml::table parsed(const std::string& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  if (folder || !std::filesystem::exists(path, ignored))
    throw Error(folder ? "expected a TOML file, found a folder" : "there is no such file", path,
                "--config names a TOML file with options as keys");
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    where << path << ":" << error.source().begin.line;
    throw Error("not a TOML file: " + std::string(error.description()), where.str(), "correct that line");
  } catch (const std::runtime_error& error) {
    throw Error("not a TOML file: " + std::string(error.what()), path, "a table is [name], a value is key = value");
  }
}

void add_text(const toml::node& node, ConfigValue& value) {
  if (const auto* text = node.as_string())
    value.texts.push_back(text->get());
  else if (const auto* integer = node.as_integer())
    value.texts.push_back(std::to_string(integer->get()));
  else if (const auto* number = node.as_floating_point())
    value.texts.push_back(nlohmann::json(number->get()).dump());
  else if (const auto* boolean = node.as_boolean())
    value.texts.emplace_back(boolean->get() ? "true" : "false");
  else
    value.usable = false;
}

}  // namespace

std::vector<ConfigValue> read_toml_config(const std::string& path) {
  std::vector<ConfigValue> values;
  const toml::table table = parsed(path);
  for (auto&& [key, node] : table) {
    ConfigValue& value = values.emplace_back();
    value.name = std::string(key.str());
    value.where = path + ":" + std::to_string(node.source().begin.line);
    if (const toml::array* list = node.as_array()) {
      value.is_list = true;
      for (const toml::node& one : *list) add_text(one, value);
    } else {
      add_text(node, value);
    }
  }
  return values;
}

}  // namespace kg
