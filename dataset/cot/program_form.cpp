#include "dataset/cot/program_form.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "dsl/parser.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kMostNumbers = 4;  // of whose subsets are all tried

// The program's results that are one number a row: fewer extents than the others have, or a last one of 1.
std::vector<std::string> numbers_of_rows(const dsl::Program& program) {
  std::size_t most = 0;
  for (const dsl::Parameter& one : program.parameters)
    if (one.output) most = std::max(most, one.extents.size());
  std::vector<std::string> numbers;
  for (const dsl::Parameter& one : program.parameters) {
    const bool last_is_one = !one.extents.empty() && one.extents.back()->kind == dsl::Expr::Kind::kNumber;
    if (one.output && !one.in_place && !one.list && (one.extents.size() < most || last_is_one))
      numbers.push_back(one.name);
  }
  return numbers;
}

// A result as the head of the program has it: "y: half[R, C]", or a name alone for one in place.
std::string declaration(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + ": ", text.find("->"));
  return at < text.find('\n') ? text.substr(at, text.find(']', at) + 1 - at) : name;
}

bool stores_one_of(const std::string& line, const std::set<std::string>& names) {
  const std::size_t word = line.find_first_not_of(' ');
  return word != std::string::npos && line.compare(word, 6, "store ") == 0 &&
         names.contains(line.substr(word + 6, line.find('[', word) - word - 6));
}

// Nothing: no result would be left.
std::optional<std::string> without(const std::string& text, const dsl::Program& program,
                                   const std::set<std::string>& gone) {
  std::string kept;
  std::size_t count = 0;
  for (const std::string& name : program.outputs)
    if (!gone.contains(name)) kept += (count++ > 0 ? ", " : "") + declaration(text, name);
  if (count == 0) return std::nullopt;
  std::string made = text.substr(0, text.find("->")) + "-> " + (count > 1 ? "(" + kept + "):" : kept + ":");
  std::istringstream lines(text.substr(text.find('\n') + 1));
  for (std::string line; std::getline(lines, line);)
    if (!stores_one_of(line, gone)) made += "\n" + line;
  return made + "\n";
}

}  // namespace

std::string program_form(const std::string& program) {
  static const std::set<std::string> words = {"kernel", "for",   "in",    "if",  "elif",  "else", "store",    "load",
                                              "cores",  "tiles", "range", "pad", "float", "half", "bfloat16", "int64",
                                              "int32",  "bool",  "and",   "or",  "not",   "inf"};
  std::map<std::string, std::string> names;
  std::string text;
  for (std::size_t i = 0; i < program.size();) {
    const auto c = static_cast<unsigned char>(program[i]);
    std::size_t end = i + 1;
    if (std::isdigit(c) != 0) {
      while (end < program.size() && (std::isalnum(static_cast<unsigned char>(program[end])) != 0 ||
                                      program[end] == '.' || (program[end] == '-' && program[end - 1] == 'e')))
        ++end;
      text += "0";
    } else if (std::isalpha(c) != 0 || c == '_') {
      while (end < program.size() &&
             (std::isalnum(static_cast<unsigned char>(program[end])) != 0 || program[end] == '_'))
        ++end;
      const std::string word = program.substr(i, end - i);
      const bool called = end < program.size() && program[end] == '(';
      if (words.contains(word) || (called && !text.ends_with("kernel ")))
        text += word;
      else
        text += names.try_emplace(word, "v" + std::to_string(names.size())).first->second;
    } else if (c != '\n' || !text.ends_with('\n')) {
      text += program[i];
    }
    i = end;
  }
  while (text.ends_with('\n')) text.pop_back();
  for (const std::string& type : {std::string("bfloat16"), std::string("half")})
    for (std::size_t at; (at = text.find(type)) != std::string::npos;) text.replace(at, type.size(), "float");
  return text;
}

std::vector<std::string> with_fewer_results(const std::string& text) {
  const dsl::Program program = dsl::parse(text);
  const std::vector<std::string> numbers = numbers_of_rows(program);
  std::vector<std::string> made = {text};
  if (numbers.size() > kMostNumbers) return made;
  for (unsigned out = 1; out < 1U << numbers.size(); ++out) {
    std::set<std::string> gone;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if ((out >> i & 1U) != 0) gone.insert(numbers[i]);
    if (auto one = without(text, program, gone)) made.push_back(std::move(*one));
  }
  return made;
}

}  // namespace kg::dataset::cot
