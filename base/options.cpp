#include "base/options.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/check.h"
#include "base/error.h"
#include "base/join.h"
#include "base/nearest_name.h"
#include "base/option_values.h"
#include "base/options_text.h"
#include "base/toml_config.h"

namespace kg {
namespace {

std::string text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

// The data for the texts, without the parts that parsing needs.
template <typename Parsed>
std::vector<OptionText> described(const std::vector<Parsed>& options) {
  std::vector<OptionText> all;
  for (const Parsed& one : options)
    all.push_back({one.name, one.type, one.help, one.default_text, one.allowed, one.positional, one.required});
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

#define KG_ADD_NUMBER(Type, type_name)                                                           \
  Options& Options::add(std::string name, Type& value, std::string help) {                       \
    Option option{.name = name, .help = std::move(help), .type = type_name};                     \
    const std::string example = value > Type{} ? nlohmann::json(value).dump() : "8";             \
    option.assign = [&value, name, example](const std::string& text, const std::string& where) { \
      value = parse_number<Type>(name, text, where, example);                                    \
    };                                                                                           \
    option.value = [&value] { return nlohmann::json(value); };                                   \
    return push(std::move(option));                                                              \
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

bool Options::is_flag(const std::string& word) const {
  const std::string name = word.substr(0, word.find('='));
  if (name == "help" || name == "config" || name == "reference") return true;
  return std::any_of(options_.begin(), options_.end(), [&](const Option& option) {
    return !option.positional && (option.name == name || (option.type == "bool" && "no-" + option.name == name));
  });
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
    throw Error("--" + option.name + " got \"" + text + "\", wanted one of: " + join(named), where,
                near.empty() ? "choose one of them" : "did you mean " + near + "?");
  }
  option.assign(text, where);
  if (option.bounded) {
    const double number = option.value().get<double>();
    if (!(number >= option.low && number <= option.high)) {
      throw Error(
          "--" + option.name + " got " + text + ", wanted " + bound_text(option.low) + " to " + bound_text(option.high),
          where, "choose a value in that range");
    }
  }
  option.given = true;
}

void Options::read_config(const std::string& path) {
  for (const ConfigValue& value : read_toml_config(path)) {
    Option* option = find(value.name);
    if (option == nullptr) {
      const std::string near = nearest(value.name);
      throw Error("unknown key \"" + value.name + "\" for " + command_, value.where,
                  near.empty() ? command_ + " --help lists the keys" : "did you mean \"" + near + "\"?");
    }
    if (option->from_command_line) continue;
    if (!value.usable || (value.is_list && option->type != "list"))
      throw Error("\"" + value.name + "\" has a value of a type that " +
                      (value.usable ? "it does not accept" : "no option accepts"),
                  value.where, "wanted " + option->type);
    if (option->clear) option->clear();
    for (const std::string& text : value.texts) set(*option, text, value.where);
  }
}

void Options::take_flag(const std::vector<std::string>& words, std::size_t& at, std::string& config) {
  const std::string& word = words[at];
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
  const bool has_value = equals != std::string::npos;
  const auto value = [&] {
    if (has_value) return word.substr(equals + 1);
    if (at + 1 == words.size()) throw Error("--" + name + " needs a value", command_, command_ + " --help");
    const std::string& next = words[at + 1];
    // The words of a list may be options of another program.
    const Option* taker = find(name);
    if (next.starts_with("--") && (taker == nullptr || taker->type != "list") && is_flag(next.substr(2)))
      throw Error("--" + name + " needs a value, but " + next + " follows", command_,
                  "--" + name + " VALUE " + next + ", or --" + name + "=" + next + " if that is the value");
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
    if (word.size() > 1 && word[0] == '-' && !looks_like_number(word)) {
      const std::string near = nearest(word.substr(1));
      throw Error("unknown option " + word + ": options are long and begin with two hyphens", command_,
                  near.empty() ? command_ + " --help" : "did you mean --" + near + "?");
    }
    if (next_positional == positionals.size())
      throw Error("unexpected word \"" + word +
                      "\": " + (positionals.empty() ? "it is not the value of an option" : "one word too many"),
                  command_, command_ + " --help");
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

std::string Options::help() const { return help_text(command_, summary_, described(options_)); }

std::string Options::reference_markdown() const { return reference_text(command_, summary_, described(options_)); }

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
