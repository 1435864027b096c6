#include "dataset/cot/strided_form.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace kg::dataset::cot {
namespace {

using dsl::Code;
using dsl::Copy;
using dsl::Form;
using dsl::Line;
using dsl::Step;

constexpr std::int64_t kMostTile = 2048;
const std::string kTileName = "L";

// The step before `at` that defines this scalar.
std::optional<std::size_t> definition(const Form& form, const std::string& name, std::size_t at) {
  while (at-- > 0)
    if (form.steps[at].kind == Step::Kind::kScalar && form.steps[at].name == name) return at;
  return std::nullopt;
}

bool mentions(const std::string& text, const std::string& name) {
  return std::regex_search(text, std::regex("\\b" + name + "\\b"));
}

// Does anything but a scalar's value mention it?
bool is_needed(const Form& form, const std::string& name) {
  return std::any_of(form.steps.begin(), form.steps.end(), [&](const Step& step) {
    const bool own_loop = step.kind == Step::Kind::kFor && (step.begin == name || step.end == name);
    return mentions(step.copy.offset, name) || mentions(step.copy.count, name) || mentions(step.count, name) ||
           (step.kind == Step::Kind::kIf && mentions(step.value, name)) ||
           (!own_loop && (mentions(step.begin, name) || mentions(step.end, name)));
  });
}

// The first of these extents that has this value.
std::string name_of(const Form& form, const std::string& number, const std::vector<std::string>& extents) {
  for (const std::string& name : extents)
    if (const auto found = form.checked.extents.find(name);
        found != form.checked.extents.end() && std::to_string(found->second) == number)
      return name;
  return number;
}

// "tBegin + 384" on 8 cores reaches 3072, which the kernel calls N.
std::string whole_extent(const Form& form, const std::string& sum) {
  const std::int64_t span = std::stoll(sum.substr(sum.rfind(' ') + 1));
  return name_of(form, std::to_string(span * form.checked.cores), {"N", "R", "A", "C"});
}

}  // namespace

std::int64_t strided_tile(const Instance& instance) {
  const bool columns = instance.structure->walk == Walk::kColumns;
  const std::int64_t length = columns ? instance.columns : input_elements(instance),
                     walks = columns ? instance.rows() : 1;
  std::int64_t tile = kLeastTile;
  while (tile < kMostTile && walks * ((length + tile - 1) / tile) > instance.cores) tile *= 2;
  return tile;
}

void stride_loops(Form& form) {
  for (std::size_t at = 0; at < form.steps.size(); ++at) {
    if (form.steps[at].kind != Step::Kind::kFor) continue;
    const std::string begin = form.steps[at].begin, end = form.steps[at].end;
    const auto first = definition(form, begin, at), last = definition(form, end, at);
    if (!first || !last || !form.steps[*first].value.starts_with("GetBlockIdx()")) continue;
    if (is_needed(form, begin) || is_needed(form, end)) continue;
    const std::string until = form.steps[*last].value;
    const std::size_t otherwise = until.rfind(" : ");
    const std::string limit = otherwise == std::string::npos ? whole_extent(form, until) : until.substr(otherwise + 3);
    Step& loop = form.steps[at];
    loop.begin = "GetBlockIdx()" + (loop.stride.empty() ? "" : " * " + loop.stride);
    loop.end = limit;
    loop.stride = "GetBlockNum()" + (loop.stride.empty() ? "" : " * " + loop.stride);
    for (Step& step : form.steps)
      if (step.kind == Step::Kind::kScalar)
        step.value = std::regex_replace(step.value, std::regex("\\b" + end + "\\b"), limit);
    const auto steps = form.steps.begin();
    form.steps.erase(steps + static_cast<std::ptrdiff_t>(std::max(*first, *last)));
    form.steps.erase(steps + static_cast<std::ptrdiff_t>(std::min(*first, *last)));
    at -= 2;
  }
}

void name_lengths(Form& form, std::int64_t tile) {
  static const std::vector<std::regex> places = {std::regex(R"(float\((\d+)\))"), std::regex(R"( : (\d+)$)"),
                                                 std::regex(R"( < (\d+) \?)"),
                                                 std::regex(R"(GetBlock\w+\(\) \* (\d+)$)")};
  if (tile > 0) form.checked.extents[kTileName] = tile;
  bool cut = false;
  const auto name = [&](std::string& text) {
    if (text != "1") text = name_of(form, text, {"N", "C", "K", "P", kTileName});
    cut |= text == kTileName;
  };
  for (Step& step : form.steps) {
    name(step.count);
    name(step.copy.count);
    for (std::string* text : {&step.begin, &step.stride, &step.value})
      for (const std::regex& place : places) {
        std::smatch found;
        if (!std::regex_search(*text, found, place)) continue;
        std::string number = found[1];
        const auto at = static_cast<std::size_t>(found.position(1)), length = number.size();
        name(number);
        text->replace(at, length, number);
      }
  }
  if (!cut) form.checked.extents.erase(kTileName);
}

void gather_copies(Form& form) {
  for (std::size_t at = 1; at < form.steps.size(); ++at)
    for (std::size_t to = at; to > 0 && form.steps[to].kind == Step::Kind::kCopyIn &&
                              form.steps[to - 1].kind == Step::Kind::kVector && form.steps[to - 1].op == "Cast";
         --to)
      std::swap(form.steps[to], form.steps[to - 1]);
}

void pad_copies(Code& code) {
  for (Line& line : code.lines)
    if ((line.kind == Line::Kind::kCopyIn || line.kind == Line::Kind::kCopyOut) && line.step.copy.rows.empty())
      line.step.copy.form = Copy::Form::kPad;
}

}  // namespace kg::dataset::cot
