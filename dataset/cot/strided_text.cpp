#include "dataset/cot/strided_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include "dsl/initialise.h"

namespace kg::dataset::cot {
namespace {

using Lines = std::vector<std::string>;

std::size_t indentation(const std::string& line) { return line.find_first_not_of(' '); }

// Where a declaration must go: after the buffer's, before the first use, in a block that contains all uses. Nothing
// if there is no use.
std::optional<std::size_t> place_of(const Lines& lines, const std::string& name) {
  const std::regex word("\\b" + name + "\\b");
  std::size_t first = lines.size(), last = 0;
  bool is_there = false;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!is_there) {
      is_there = lines[i].find("InitBuffer(buf") != std::string::npos;
    } else if (std::regex_search(lines[i], word)) {
      first = std::min(first, i);
      last = i;
    }
  if (first == lines.size()) return std::nullopt;
  std::size_t outermost = std::string::npos;
  for (std::size_t i = first; i <= last; ++i) outermost = std::min(outermost, indentation(lines[i]));
  while (first > 0 && (indentation(lines[first]) > outermost || lines[first][indentation(lines[first])] == '}'))
    --first;
  return first;
}

void declare(Lines& lines, std::size_t place, const std::string& text) {
  const std::size_t depth = indentation(lines[place]);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), std::string(depth, ' ') + text);
}

// The parameters that copies of one block share, under one name.
void name_parameters(Lines& lines, const std::regex& expression, const std::string& name) {
  std::map<std::string, std::vector<std::size_t>> users;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch found;
    if (!std::regex_search(lines[i], found, expression)) continue;
    if (users[found[1]].empty()) order.push_back(found[1]);
    users[found[1]].push_back(i);
  }
  int named = 0;
  for (const std::string& each : order) {
    const auto& places = users[each];
    const std::size_t depth = indentation(lines[places[0]]);
    const bool one_block = std::all_of(lines.begin() + static_cast<std::ptrdiff_t>(places.front()),
                                       lines.begin() + static_cast<std::ptrdiff_t>(places.back()),
                                       [&](const std::string& line) { return indentation(line) >= depth; });
    if (places.size() < 2 || !one_block) continue;
    const std::string called = name + (named++ == 0 ? "" : std::to_string(named));
    for (const std::size_t place : places) {
      const std::size_t at = lines[place].find(each);
      lines[place].replace(at, each.size(), called);
    }
    const std::size_t brace = each.find('{');
    declare(lines, places[0], "const " + each.substr(0, brace) + " " + called + each.substr(brace) + ";");
    for (auto& [text, all] : users)
      for (std::size_t& place : all) place += place >= places[0] ? 1 : 0;
  }
}

// Temporaries are numbered in the order of their declarations.
void number_temporaries(Lines& lines) {
  static const std::regex declared(R"(auto (tmp\d+) = )"), word(R"(\btmp\d+\b)");
  std::map<std::string, std::string> names;
  for (const std::string& line : lines)
    if (std::smatch found; std::regex_search(line, found, declared))
      names.emplace(found[1], "tmp" + std::to_string(names.size()));
  for (std::string& line : lines) {
    std::string renamed;
    auto rest = line.cbegin();
    for (std::sregex_iterator each(line.begin(), line.end(), word), end; each != end; ++each) {
      renamed.append(rest, (*each)[0].first);
      renamed += names.at(each->str());
      rest = (*each)[0].second;
    }
    renamed.append(rest, line.cend());
    line = renamed;
  }
}

}  // namespace

std::string strided_text(const std::string& source, const dsl::Form& form) {
  struct Declaration {
    std::string name, type;
  };
  static const std::regex declaration(R"(\s*auto (\w+) = buf\.GetWithOffset<(\w+)>\(\d+, \d+\);)"),
      buffer(R"(InitBuffer\(buf, \d+\);)");
  const std::int64_t slots = dsl::kUbBudget / (form.checked.extents.at("S") * 4);
  std::vector<Declaration> declarations;
  Lines lines;
  std::istringstream rows(source);
  std::smatch found;
  for (std::string line; std::getline(rows, line);) {
    if (std::regex_match(line, found, declaration)) {
      declarations.push_back({found[1], found[2]});
      continue;
    }
    lines.push_back(std::regex_replace(
        line, buffer, "InitBuffer(buf, " + std::to_string(slots) + " * S * 4); auto ub = buf.Get<float>();"));
  }
  static const std::regex copy(R"((DataCopyExtParams\{1, [^}]*\}))"), pad(R"((DataCopyPadExtParams<\w+>\{\}))");
  name_parameters(lines, copy, "copy");
  name_parameters(lines, pad, "pad");
  for (const Declaration& each : declarations)
    if (const auto place = place_of(lines, each.name))
      declare(lines, *place,
              "auto " + each.name + " = ub[@ * S]" +
                  (each.type == "float" ? ";" : ".ReinterpretCast<" + each.type + ">();"));
  number_temporaries(lines);
  std::string text;
  int slot = 0;
  for (std::string& line : lines) {
    if (const std::size_t at = line.find("ub[@"); at != std::string::npos)
      line.replace(at + 3, 1, std::to_string(slot++));
    text += line + "\n";
  }
  return text;
}

}  // namespace kg::dataset::cot
