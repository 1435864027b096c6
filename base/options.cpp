#include "base/options.h"

#include <stdexcept>

// "[/table]" meets an assertion of the library, which would end the program; so it says that the file is no TOML.
#define TOML_ASSERT(condition) ((condition) ? (void)0 : throw std::runtime_error("it is not TOML (" #condition ")"))
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <type_traits>

#include "base/check.h"
#include "base/error.h"
#include "base/nearest_name.h"

namespace kg {
namespace {

template <typename Number>
Number parse_number(const std::string& name, const std::string& text, const std::string& where) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end)
    throw Error("--" + name + " got \"" + text + "\", wanted " +
                    (std::is_floating_point_v<Number> ? "a number"
                     : std::is_unsigned_v<Number>     ? "a whole number of at least 0"
                                                      : "a whole number"),
                where, "for example --" + name + " 8");
  return number;
}

bool parse_bool(const std::string& name, const std::string& text, const std::string& where) {
  if (text == "true" || text == "1" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "no") return false;
  throw Error("--" + name + " got \"" + text + "\", wanted true or false", where, "--" + name + " or --no-" + name);
}

std::string text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

std::string join(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// As text inside a Markdown table.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) all += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return all;
}

}  // namespace

Options::Options(std::string command, std::string summary)
    : command_(std::move(command)), summary_(std::move(summary)) {}

Options& Options::push(Option option) {
  KG_CHECK(find(option.name) == nullptr);
  option.default_text = text_of(option.value());
  options_.push_back(std::move(option));
  return *this;
}

Options& Options::add(std::string name, bool& value, std::string help) {
  Option option{.name = name, .help = std::move(help), .type = "bool"};
  option.assign = [&value, name](const std::string& text, const std::string& where) {
    value = parse_bool(name, text, where);
  };
  option.value = [&value] { return nlohmann::json(value); };
  return push(std::move(option));
}

#define KG_ADD_NUMBER(Type, type_name)                                                  \
  Options& Options::add(std::string name, Type& value, std::string help) {              \
    Option option{.name = name, .help = std::move(help), .type = type_name};            \
    option.assign = [&value, name](const std::string& text, const std::string& where) { \
      value = parse_number<Type>(name, text, where);                                    \
    };                                                                                  \
    option.value = [&value] { return nlohmann::json(value); };                          \
    return push(std::move(option));                                                     \
  }
KG_ADD_NUMBER(int, "integer")
KG_ADD_NUMBER(std::int64_t, "integer")
KG_ADD_NUMBER(std::uint64_t, "integer")
KG_ADD_NUMBER(double, "number")
#undef KG_ADD_NUMBER

Options& Options::add(std::string name, std::string& value, std::string help) {
  Option option{.name = std::move(name), .help = std::move(help), .type = "text"};
  option.assign = [&value](const std::string& text, const std::string&) { value = text; };
  option.value = [&value] { return nlohmann::json(value); };
  return push(std::move(option));
}

Options& Options::add(std::string name, std::vector<std::string>& value, std::string help) {
  Option option{.name = std::move(name), .help = std::move(help), .type = "list"};
  option.assign = [&value](const std::string& text, const std::string&) { value.push_back(text); };
  option.value = [&value] { return nlohmann::json(value); };
  option.clear = [&value] { value.clear(); };
  return push(std::move(option));
}

Options& Options::choices(std::vector<std::string> allowed) {
  options_.back().allowed = std::move(allowed);
  return *this;
}

Options& Options::range(double low, double high) {
  options_.back().low = low;
  options_.back().high = high;
  options_.back().bounded = true;
  return *this;
}

Options& Options::required() {
  options_.back().required = true;
  return *this;
}

Options& Options::positional(std::string name, std::string& value, std::string help, bool is_required) {
  add(std::move(name), value, std::move(help));
  options_.back().positional = true;
  options_.back().required = is_required;
  return *this;
}

Options::Option* Options::find(const std::string& name) {
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

std::string Options::nearest(const std::string& name) const {
  std::vector<std::string> known{"help", "config"};
  for (const Option& option : options_)
    if (!option.positional) known.push_back(option.name);
  return nearest_name(name, known);
}

void Options::set(Option& option, const std::string& text, const std::string& where) {
  if (!option.allowed.empty() &&
      std::find(option.allowed.begin(), option.allowed.end(), text) == option.allowed.end()) {
    const std::string near = nearest_name(text, option.allowed);
    std::vector<std::string> named = option.allowed;
    std::erase(named, "");
    throw Error("--" + option.name + " got \"" + text + "\", wanted one of: " + join(named, ", "), where,
                near.empty() ? "choose one of them" : "did you mean " + near + "?");
  }
  option.assign(text, where);
  if (option.bounded) {
    const double number = option.value().get<double>();
    if (!(number >= option.low && number <= option.high)) {
      std::ostringstream wanted;
      wanted << "--" << option.name << " got " << text << ", wanted " << option.low << " to " << option.high;
      throw Error(wanted.str(), where, "choose a value in that range");
    }
  }
  option.given = true;
}

void Options::read_config(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw Error(std::filesystem::is_directory(path, ignored) ? "a folder, where a TOML file is wanted"
                                                             : "there is no such file",
                path, "--config names a TOML file with options as keys");
  toml::table table;
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    where << path << ":" << error.source().begin.line;
    throw Error("not a TOML file: " + std::string(error.description()), where.str(), "correct that line");
  } catch (const std::runtime_error& error) {
    throw Error("not a TOML file: " + std::string(error.what()), path, "a table is [name], a value is key = value");
  }
  for (auto&& [key, node] : table) {
    const std::string name(key.str());
    const std::string where = path + ":" + std::to_string(node.source().begin.line);
    Option* option = find(name);
    if (option == nullptr) {
      const std::string near = nearest(name);
      throw Error("unknown key \"" + name + "\" for " + command_, where,
                  near.empty() ? command_ + " --help lists the keys" : "did you mean \"" + near + "\"?");
    }
    if (option->from_command_line) continue;
    if (option->clear) option->clear();
    const auto assign_node = [&](const toml::node& value) {
      if (const auto* text = value.as_string()) return set(*option, text->get(), where);
      std::ostringstream printed;
      if (const auto* integer = value.as_integer())
        printed << integer->get();
      else if (const auto* number = value.as_floating_point())
        printed << nlohmann::json(number->get()).dump();
      else if (const auto* boolean = value.as_boolean())
        printed << (boolean->get() ? "true" : "false");
      else
        throw Error("\"" + name + "\" has a value of a kind that no option takes", where, "wanted " + option->type);
      set(*option, printed.str(), where);
    };
    if (const toml::array* list = node.as_array(); list != nullptr && option->type == "list") {
      for (const toml::node& value : *list) assign_node(value);
    } else {
      assign_node(node);
    }
  }
}

void Options::take_flag(const std::vector<std::string>& words, std::size_t& at, std::string& config) {
  const std::string& word = words[at];
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
  const bool has_value = equals != std::string::npos;
  const auto value = [&] {
    if (has_value) return word.substr(equals + 1);
    if (at + 1 == words.size()) throw Error("--" + name + " wants a value", command_, command_ + " --help");
    return words[++at];
  };
  if (name == "config") {
    config = value();
    return;
  }
  Option* option = find(name);
  if (option == nullptr && name.rfind("no-", 0) == 0 && !has_value) {
    option = find(name.substr(3));
    if (option != nullptr && option->type == "bool") {
      set(*option, "false", command_);
      option->from_command_line = true;
      return;
    }
    option = nullptr;
  }
  if (option == nullptr || option->positional) {
    const std::string near = nearest(name);
    throw Error("unknown option --" + name, command_,
                near.empty() ? command_ + " --help" : "did you mean --" + near + "?");
  }
  if (option->type == "bool") {
    set(*option, has_value ? word.substr(equals + 1) : "true", command_);
  } else {
    const std::string text = value();
    if (option->clear && !option->from_command_line) option->clear();
    set(*option, text, command_);
  }
  option->from_command_line = true;
}

bool Options::parse(int argc, const char* const* argv) {
  std::string config;
  std::vector<Option*> positionals;
  for (Option& option : options_)
    if (option.positional) positionals.push_back(&option);
  std::size_t next_positional = 0;
  const std::vector<std::string> words(argv + 1, argv + std::max(1, argc));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h" || word == "--reference") {
      std::fputs((word == "--reference" ? reference_markdown() : help()).c_str(), stdout);
      return false;
    }
    if (word.rfind("--", 0) == 0) {
      take_flag(words, i, config);
      continue;
    }
    if (next_positional == positionals.size())
      throw Error("unexpected word \"" + word + "\"", command_, command_ + " --help");
    Option& option = *positionals[next_positional++];
    set(option, word, command_);
    option.from_command_line = true;
  }
  if (!config.empty()) read_config(config);
  for (const Option& option : options_)
    if (option.required && !option.given)
      throw Error(option.positional ? "missing " + option.name : "missing --" + option.name, command_,
                  command_ + " --help");
  return true;
}

std::string Options::help() const {
  std::ostringstream out;
  out << summary_ << "\n\nUsage: " << command_;
  for (const Option& option : options_)
    if (option.positional) out << (option.required ? " " + option.name : " [" + option.name + "]");
  out << " [options]\n\n";
  const auto line = [&](const std::string& left, const std::string& right) {
    out << "  " << left << std::string(left.size() < 30 ? 30 - left.size() : 1, ' ') << right << "\n";
  };
  for (const Option& option : options_) {
    std::string left = option.positional ? option.name : "--" + option.name;
    if (!option.positional && option.type != "bool")
      left += " " + (option.allowed.empty() ? option.type : join(option.allowed, "|"));
    std::string right = option.help;
    if (option.required)
      right += " (required)";
    else if (!option.default_text.empty() && option.default_text != "[]" && !option.positional)
      right += " [" + option.default_text + "]";
    line(left, right);
  }
  line("--config text", "TOML file with any of these options as keys; the command line wins");
  line("--help", "print this");
  return out.str();
}

std::string Options::reference_markdown() const {
  std::ostringstream out;
  out << "## " << command_ << "\n\n" << escaped(summary_) << "\n";
  if (!options_.empty()) out << "\n| option | kind | default | meaning |\n|---|---|---|---|\n";
  for (const Option& option : options_) {
    std::vector<std::string> kinds;
    for (const std::string& word : option.allowed) kinds.push_back(word.empty() ? "empty" : "`" + word + "`");
    const std::string kind = kinds.empty() ? option.type : join(kinds, ", ");
    std::string standard = option.default_text;
    if (option.required)
      standard = "required";
    else if (!standard.empty())
      standard = standard == "[]" || option.positional ? "" : "`" + standard + "`";
    out << "| `" << (option.positional ? "" : "--") << option.name << "` | " << kind << " | " << standard << " | "
        << escaped(option.help) << " |\n";
  }
  return out.str() + "\n";
}

nlohmann::json Options::resolved() const {
  nlohmann::json all = nlohmann::json::object();
  for (const Option& option : options_) all[option.name] = option.value();
  return all;
}

bool Options::given(const std::string& name) const {
  for (const Option& option : options_)
    if (option.name == name) return option.given;
  KG_CHECK(false);
  return false;
}

}  // namespace kg
