#include "base/options_text.h"

#include <sstream>

#include "base/join.h"

namespace kg {
namespace {

// Escapes text for a Markdown table.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) all += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return all;
}

}  // namespace

std::string help_text(const std::string& command, const std::string& summary, const std::vector<OptionText>& options) {
  std::ostringstream out;
  out << summary << "\n\nUsage: " << command;
  for (const OptionText& option : options)
    if (option.positional) out << (option.required ? " " + option.name : " [" + option.name + "]");
  out << " [options]\n\n";
  const auto line = [&](const std::string& left, const std::string& right) {
    out << "  " << left << std::string(left.size() < 30 ? 30 - left.size() : 1, ' ') << right << "\n";
  };
  for (const OptionText& option : options) {
    std::string left = option.positional ? option.name : "--" + option.name;
    if (!option.positional && option.type != "bool")
      left += " " + (option.allowed.empty() ? option.type : join(option.allowed, "|"));
    std::string right = option.help;
    if (option.required)
      right += " (required)";
    else if (!option.standard.empty() && option.standard != "[]" && !option.positional)
      right += " [" + option.standard + "]";
    line(left, right);
  }
  line("--config text", "TOML file with any of these options as keys; the command line wins");
  line("--help", "print this");
  return out.str();
}

std::string reference_text(const std::string& command, const std::string& summary,
                           const std::vector<OptionText>& options) {
  std::ostringstream out;
  out << "## " << command << "\n\n" << escaped(summary) << "\n";
  if (!options.empty()) out << "\n| option | kind | default | meaning |\n|---|---|---|---|\n";
  for (const OptionText& option : options) {
    std::vector<std::string> kinds;
    for (const std::string& word : option.allowed) kinds.push_back(word.empty() ? "empty" : "`" + word + "`");
    const std::string kind = kinds.empty() ? option.type : join(kinds);
    std::string standard = option.standard;
    if (option.required)
      standard = "required";
    else if (!standard.empty())
      standard = standard == "[]" || option.positional ? "" : "`" + standard + "`";
    out << "| `" << (option.positional ? "" : "--") << option.name << "` | " << kind << " | " << standard << " | "
        << escaped(option.help) << " |\n";
  }
  return out.str() + "\n";
}

}  // namespace kg
