#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace kg {

// The options of one command. Each is declared once; the flag, the help line, the key in the TOML file of --config, the
// recorded value and the reference page all come from that declaration. The bound variable holds the default until
// parse(). The command line wins over the file, the file over the default.
class Options {
 public:
  Options(std::string command, std::string summary);

  Options& add(std::string name, bool& value, std::string help);  // --name, --no-name
  Options& add(std::string name, int& value, std::string help);
  Options& add(std::string name, std::int64_t& value, std::string help);
  Options& add(std::string name, std::uint64_t& value, std::string help);
  Options& add(std::string name, double& value, std::string help);
  Options& add(std::string name, std::string& value, std::string help);
  Options& add(std::string name, std::vector<std::string>& value, std::string help);  // may be repeated
  // The next three apply to the option added last.
  Options& choices(std::vector<std::string> allowed);
  Options& range(double low, double high);  // inclusive; numbers only
  Options& required();
  // A positional argument; they are taken in the order of their declaration.
  Options& positional(std::string name, std::string& value, std::string help, bool is_required = true);

  // False if --help or --reference was asked for and printed. Throws Error on an unknown option or key (naming the
  // nearest known one), a value of the wrong type or out of range, or a missing required option.
  bool parse(int argc, const char* const* argv);  // argv[0] is the command's own name

  std::string help() const;
  std::string reference_markdown() const;     // a section of docs/reference/cli.md
  nlohmann::json resolved() const;            // every option with its current value
  bool given(const std::string& name) const;  // set on the command line or in the file

 private:
  struct Option {
    std::string name;
    std::string help;
    std::string type;  // "bool", "integer", "number", "text", "list"
    bool positional = false;
    bool required = false;
    bool given = false;
    bool from_command_line = false;
    std::vector<std::string> allowed;
    double low = 0, high = 0;
    bool bounded = false;
    std::function<void(const std::string&, const std::string& where)> assign;
    std::function<nlohmann::json()> value;
    std::string default_text;
    std::function<void()> clear;  // lists only: drops the default or the file's value
  };

  Options& push(Option option);
  Option* find(const std::string& name);
  bool is_flag(const std::string& word) const;  // `word` without its hyphens is one of these options
  std::string nearest(const std::string& name) const;
  void set(Option& option, const std::string& text, const std::string& where);
  // Takes the word at `at`, which begins with "--"; moves `at` to its value if that is the next word. Stores
  // the value of --config in `config`.
  void take_flag(const std::vector<std::string>& words, std::size_t& at, std::string& config);
  void read_config(const std::string& path);

  std::string command_;
  std::string summary_;
  std::vector<Option> options_;
};

}  // namespace kg
