#include "cli/job_script.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/program_data.h"

namespace kg::cli {
namespace {

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isupper(c) != 0; });
}

}  // namespace

std::string fill_template(const std::string& text, const std::map<std::string, std::string>& values,
                          const std::string& where) {
  std::string filled;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find('@', at);
    const std::size_t end = begin == std::string::npos ? begin : text.find('@', begin + 1);
    if (end == std::string::npos) break;
    filled += text.substr(at, begin - at);
    const std::string name = text.substr(begin + 1, end - begin - 1);
    if (name.empty() || !is_name(name)) {  // an @ of the script's own
      filled += '@';
      at = name.empty() ? end : begin + 1;
      continue;
    }
    const auto value = values.find(name);
    if (value == values.end()) {
      std::vector<std::string> known;
      std::string list;
      for (const auto& [one, ignored] : values) {
        known.push_back(one);
        list += (list.empty() ? "@" : ", @") + one + "@";
      }
      const std::string near = nearest_name(name, known);
      throw Error("the template has @" + name + "@, which has no value", where,
                  near.empty() ? "it can have " + list : "did you mean @" + near + "@?");
    }
    filled += value->second;
    at = end + 1;
  }
  return filled + text.substr(std::min(at, text.size()));
}

fs::path find_template(const std::string& name, const fs::path& folder) {
  const std::string file = name + ".sh";
  if (!folder.empty() && !fs::is_directory(folder))
    throw Error("there is no such folder of templates", folder.string(), "give --templates a folder with " + file);
  for (const fs::path& place : {folder, kgtrain_home() / "templates"})
    if (!place.empty() && fs::exists(place / file)) return place / file;
  return program_data("templates", "cli/templates", "learner.sh") / file;
}

std::string shell_word(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace kg::cli
