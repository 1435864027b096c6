#include "dataset/cot/modules/line_program.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "dataset/cot/modules/surface.h"
#include "dataset/cot/modules/texts.h"
#include "dataset/translation/operator_forms.h"

namespace kg::dataset::cot::modules {
namespace {

// The program of a graph that is one loop: loads before it and in it, statements, stores.
struct OneLoop {
  std::vector<std::string> outside, loads;  // lines
  std::string loop;
  std::map<std::string, std::string> stores;  // output -> place
  std::map<int, translation::Kind> inputs;    // those that are loaded
};

std::set<std::string> tile_names(const std::string& loop) {
  static const std::regex head(R"( *for (.*) in cores\((.*)\):)");
  std::smatch match;
  std::set<std::string> tiles;
  if (!std::regex_match(loop, match, head)) return tiles;
  std::vector<std::string> names, cuts(1);
  std::string name;
  for (const char c : match[1].str() + ",") {
    if (c == ',')
      names.push_back(name), name.clear();
    else if (c != ' ')
      name += c;
  }
  int depth = 0;
  for (const char c : match[2].str()) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      cuts.emplace_back();
    else if (c != ' ')
      cuts.back() += c;
  }
  for (std::size_t i = 0; i < std::min(names.size(), cuts.size()); ++i)
    if (cuts[i].starts_with("tiles(")) tiles.insert(names[i]);
  return tiles;
}

std::optional<OneLoop> one_loop(const Graph& graph) {
  static const std::regex load(R"( +\{(\d+)\}_ = load \{\d+\}\[(.*)\])"), store(R"( +store \{z(\d+)\}\[(.*)\] = .*)"),
      statement(R"(    %\d+% = .*)");
  OneLoop found;
  std::set<std::string> tiles;
  bool body = false;
  for (const std::string& line : graph.program) {
    std::smatch match;
    if (line.starts_with("  for ") && found.loop.empty()) {
      found.loop = line;
      tiles = tile_names(line);
    } else if (std::regex_match(line, match, load) && !body) {
      const int input = std::stoi(match[1]);
      if (found.inputs.contains(input)) return std::nullopt;
      const std::string at = match[2];
      const std::string last = at.substr(at.rfind(' ') + 1);
      found.inputs[input] = last == ":" || tiles.contains(last) ? translation::Kind::kTile : translation::Kind::kNumber;
      (found.loop.empty() ? found.outside : found.loads).push_back(line);
    } else if (std::regex_match(line, match, store) && !found.loop.empty()) {
      body = true;
      found.stores[graph.out_name(std::stoul(match[1]))] = match[2];
    } else if (std::regex_match(line, statement) && !found.loop.empty() && found.stores.empty() &&
               line.find("load") == std::string::npos) {
      body = true;
    } else {
      return std::nullopt;
    }
  }
  if (found.loop.empty() || found.stores.size() != graph.outputs.size()) return std::nullopt;
  return found;
}

// An argument that is not a value.
bool is_word(const std::string& text) {
  static const std::set<std::string> words = {"None", "inf", "none"};
  return words.contains(text);
}

// Writes the statements.
class Lines {
 public:
  Lines(const Graph& graph, const std::vector<std::string>& names, const OneLoop& loop, std::set<std::string> read)
      : graph_(graph), loop_(loop), taken_(names.begin(), names.end()), read_(std::move(read)) {
    for (const auto& [input, kind] : loop.inputs)
      values_[names[static_cast<std::size_t>(input)]] = {"{" + std::to_string(input) + "}_", kind};
  }

  bool add(const std::string& step) {
    const auto line = translation::traced_line(step);
    if (!line || line->results.size() != 1 || line->given.empty()) return false;
    const std::string& result = line->results[0];
    std::vector<std::string> given;
    std::vector<translation::Kind> kinds;
    for (const std::string& one : line->given) {
      const auto known = values_.find(one);
      if (known == values_.end() && std::isalpha(static_cast<unsigned char>(one[0])) != 0 && !is_word(one))
        return false;
      given.push_back(known == values_.end() ? number(one) : known->second.text);
      kinds.push_back(known == values_.end() ? translation::Kind::kNumber : known->second.kind);
    }
    static const std::set<std::string> same = {"",        "view",    "unsqueeze", "squeeze", "expand",
                                               "reshape", "flatten", "_to_copy",  "to_copy"};
    if (same.contains(line->op) && kinds[0] != translation::Kind::kMask) return given_name(result, given[0], kinds[0]);
    const std::map<std::string, std::string> filled = {
        {"zeros_like", "0"}, {"ones_like", "1"}, {"scalar_tensor", given[0]}, {"full_like", given.back()}};
    if (const auto one = filled.find(line->op); one != filled.end())
      return given_name(result, one->second, translation::Kind::kNumber);
    const auto form = translation::operator_form(*line, kinds);
    return form && given_name(result, expression(form->dsl, given), form->kind);
  }

  std::optional<std::vector<std::string>> program() const {
    if (stored_ != loop_.stores.size()) return std::nullopt;
    std::vector<std::string> program = loop_.outside;
    program.push_back(loop_.loop);
    program.insert(program.end(), loop_.loads.begin(), loop_.loads.end());
    program.insert(program.end(), statements_.begin(), statements_.end());
    return program;
  }

 private:
  struct Named {
    std::string text;
    translation::Kind kind = translation::Kind::kTile;
  };

  // A size of the row is written as its letter: programs run with other sizes.
  std::string number(const std::string& text) const {
    if (text.size() < 3 || !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      return text;
    for (const Extent& extent : graph_.extents)
      if (std::to_string(extent.full) == text && extent.full != extent.small &&
          std::any_of(graph_.inputs.begin(), graph_.inputs.end(),
                      [&](const Input& one) { return one.program_shape.ends_with(extent.letter); }))
        return extent.letter;
    return text;
  }

  std::string temporary(char letter) {
    if (!temporaries_.contains(letter)) {
      static constexpr const char* words[] = {"a", "u", "v", "w", "a2", "u2", "v2", "w2", "a3", "u3", "v3", "w3"};
      for (const char* word : words)
        if (!taken_.contains(word)) {
          temporaries_[letter] = word;
          taken_.insert(word);
          break;
        }
    }
    return temporaries_[letter];
  }

  // $1 is an argument, $a a temporary, whose statement is put before.
  std::string expression(std::string form, const std::vector<std::string>& given) {
    temporaries_.clear();
    const auto filled_in = [&](const std::string& part) {
      return filled(part, [&](char, char letter) {
        return std::isdigit(static_cast<unsigned char>(letter)) != 0 ? given.at(static_cast<std::size_t>(letter - '1'))
                                                                     : temporary(letter);
      });
    };
    for (std::size_t end; (end = form.find("; ")) != std::string::npos; form = form.substr(end + 2))
      statements_.push_back("    " + filled_in(form.substr(0, end)));
    std::string text = filled_in(form);
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"+ -", "- "}, {"- -", "+ "}})
      if (const std::size_t at = text.find(from); at != std::string::npos && at + 3 < text.size() &&
                                                  std::isdigit(static_cast<unsigned char>(text[at + 3])) != 0)
        text.replace(at, 3, to);
    return text;
  }

  bool given_name(const std::string& result, const std::string& text, translation::Kind kind) {
    const auto store = loop_.stores.find(result);
    if (store == loop_.stores.end()) {
      statements_.push_back("    " + result + " = " + text);
      values_[result] = {result, kind};
      taken_.insert(result);
      return true;
    }
    ++stored_;
    if (kind == translation::Kind::kMask && read_.contains(result)) return false;
    const std::string stores = "    store " + result + "[" + store->second + "] = ";
    if (!read_.contains(result)) {
      statements_.push_back(stores + (kind == translation::Kind::kMask ? "where(" + text + ", 1, 0)" : text));
      return true;
    }
    values_[result] = {result + "_", kind};
    statements_.push_back("    " + result + "_ = " + text);
    statements_.push_back(stores + result + "_");
    return true;
  }

  const Graph& graph_;
  const OneLoop& loop_;
  std::map<std::string, Named> values_;
  std::set<std::string> taken_;
  const std::set<std::string> read_;  // outputs that later lines take
  std::size_t stored_ = 0;
  std::map<char, std::string> temporaries_;
  std::vector<std::string> statements_;
};

}  // namespace

std::optional<std::vector<std::string>> line_program(const Graph& graph, const std::vector<std::string>& names,
                                                     const std::vector<std::string>& steps) {
  const auto loop = one_loop(graph);
  if (!loop || steps.empty()) return std::nullopt;
  std::set<std::string> read;
  for (const std::string& step : steps)
    if (const auto line = translation::traced_line(step))
      for (const std::string& one : line->given)
        if (loop->stores.contains(one)) read.insert(one);
  Lines lines(graph, names, *loop, read);
  for (const std::string& step : steps)
    if (!lines.add(step)) return std::nullopt;
  return lines.program();
}

}  // namespace kg::dataset::cot::modules
