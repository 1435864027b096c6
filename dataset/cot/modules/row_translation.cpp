#include "dataset/cot/modules/row_translation.h"

#include <cctype>
#include <set>

#include "dataset/cot/modules/pass_domain.h"
#include "dataset/cot/modules/row_program.h"
#include "dataset/cot/modules/texts.h"
#include "dataset/translation/operator_forms.h"

namespace kg::dataset::cot::modules {
namespace {

// A line that makes one number from the numbers of all rows; the number of lines: there is none.
std::size_t total_of_rows(const translation::TracedPrompt& prompt) {
  for (std::size_t i = 0; i < prompt.lines.size(); ++i) {
    const translation::TracedLine& line = prompt.lines[i];
    if (line.op != "sum" && line.op != "mean") continue;
    const auto of = prompt.shapes.find(line.given[0]);
    if (of != prompt.shapes.end() && translation::count_of(of->second) < translation::count_of(prompt.whole) &&
        translation::count_of(of->second) > 1 && translation::count_of(prompt.shapes.at(line.results[0])) == 1)
      return i;
  }
  return prompt.lines.size();
}

// A loss of rows with its mean or sum is two lines.
translation::TracedPrompt with_losses_apart(translation::TracedPrompt prompt) {
  for (std::size_t i = 0; i < prompt.lines.size(); ++i) {
    translation::TracedLine& line = prompt.lines[i];
    if (line.op != "nll_loss" || line.given.size() < 4 || line.given[3] == "none") continue;
    const std::string how = line.given[3], name = line.results[0] + "a";
    translation::TracedLine total{
        .results = line.results, .given = {name}, .keywords = {}, .op = how, .shape = translation::Shape{}};
    prompt.shapes[name] = translation::Shape(prompt.whole.begin(), prompt.whole.end() - 1);
    line.results = {name};
    line.given[3] = "none";
    prompt.texts[i] = name + " = nll_loss(" + line.given[0] + ", " + line.given[1] + ", None, none)";
    prompt.lines.insert(prompt.lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, total);
    prompt.texts.insert(prompt.texts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                        total.results[0] + " [] = " + how + "(" + name + ")");
  }
  return prompt;
}

// Behind the loop over rows: operators of numbers, the last of which is the result.
bool numbers_behind(const translation::TracedPrompt& prompt, std::size_t first, std::string value,
                    std::vector<std::string>& lines) {
  const std::string& output = prompt.outputs[0].name;
  std::set<std::string> known;
  for (std::size_t i = first; i <= prompt.lines.size(); ++i) {
    const std::string& name = prompt.lines[i - 1].results[0];
    lines.push_back(name == output ? "  store " + output + "[0] = " + value : "  " + name + " = " + value);
    known.insert(name);
    if (i == prompt.lines.size()) return name == output;
    const translation::TracedLine& line = prompt.lines[i];
    for (const std::string& one : line.given)
      if (std::isalpha(static_cast<unsigned char>(one[0])) != 0 && !known.contains(one)) return false;
    const auto form =
        translation::operator_form(line, std::vector<translation::Kind>(line.given.size(), translation::Kind::kNumber));
    if (!form || line.results.size() != 1 || form->dsl.find("; ") != std::string::npos) return false;
    value = translation::with_arguments(form->dsl, line.given);
  }
  return false;
}

// Rows to numbers, these to one: each core sums up those of its rows.
std::optional<std::string> rows_then_total(const translation::TracedPrompt& given) {
  const translation::TracedPrompt prompt = with_losses_apart(given);
  const std::size_t total = total_of_rows(prompt);
  if (total == prompt.lines.size() || total == 0 || prompt.outputs.size() != 1) return std::nullopt;
  const std::string of = prompt.lines[total].given[0];
  translation::TracedPrompt rows = prompt;
  rows.lines.resize(total);
  rows.texts.resize(total);
  if (rows.lines.back().results[0] != of) return std::nullopt;
  rows.outputs = {{"out", prompt.outputs[0].type, prompt.shapes.at(of)}};
  rows.lines.back().results = {"out"};
  rows.texts.back() = "out" + rows.texts.back().substr(of.size());
  auto made = row_program(rows);
  if (!made || made->lead == 0) return std::nullopt;
  const std::size_t equals = made->lines.back().find(" = ");
  made->lines.back() = "    s1 += " + made->lines.back().substr(equals + 3);
  made->lines.insert(made->lines.begin(), "  s1 = 0");
  std::string count;
  for (std::size_t i = 0; i < made->lead; ++i) count += (i > 0 ? " * " : "") + extent_letter(i);
  if (made->lead > 1) count = "(" + count + ")";
  const std::string value = prompt.lines[total].op == "mean" ? "all_sum(s1) / " + count : "all_sum(s1)";
  if (!numbers_behind(prompt, total + 1, value, made->lines)) return std::nullopt;
  made->graph.out_program_shapes = {"1"};
  return program_text(made->graph, made->lines, made->names) + "\n";
}

}  // namespace

std::optional<std::string> row_translation(const translation::TracedPrompt& prompt) {
  if (const auto made = row_program(prompt)) return program_text(made->graph, made->lines, made->names) + "\n";
  return rows_then_total(prompt);
}

}  // namespace kg::dataset::cot::modules
