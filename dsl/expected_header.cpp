#include "dsl/expected_header.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "dsl/constant.h"
#include "dsl/foldings.h"
#include "dsl/match_tensors.h"
#include "dsl/parser.h"
#include "dsl/prospect.h"

namespace kg::dsl {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::size_t kMostValues = 64;    // ways to fold the tensors so far, of a case
constexpr std::int64_t kMostDivisor = 64;  // largest number of a split, but for its last one

bool is_name(const std::string& text) {
  return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_word) &&
         Prospect().allows(NameUse::kTensor, text);
}

// uint64_t, for instance, is none.
bool is_type(const std::string& word) { return dtype_of(word) != proto::DTYPE_UNSPECIFIED; }

ExpectedParameter parameter_of(const std::vector<std::vector<TensorShape>>& cases,
                               const std::vector<std::vector<TaskParameter>>& parameters, std::size_t index) {
  const TensorShape& first = *parameters[0][index].head;
  ExpectedParameter made{.name = first.name,
                         .type = dtype_name(first.dtype),
                         .in_place_of = first.in_place_of,
                         .in_place = first.without_parameter,
                         .list = first.listed,
                         .alike = first.listed,
                         .omissible = first.optional};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const TaskParameter& one = parameters[i][index];
    made.must_be_optional |= one.head->absent && !made.list;
    Shape shape = one.head->shape;
    for (int k = 1; k < one.count; ++k) made.alike &= cases[i][static_cast<std::size_t>(one.first + k)].shape == shape;
    if (shape.empty()) shape = {1};
    made.shapes.push_back(one.head->absent ? Shape() : std::move(shape));
  }
  made.omissible |= made.must_be_optional;
  if (!is_type(made.type)) made.type.clear();
  made.alike &= std::none_of(made.shapes.begin(), made.shapes.end(), [](const Shape& shape) { return shape.empty(); });
  return made;
}

}  // namespace

ExpectedHeader::ExpectedHeader(std::vector<std::vector<TensorShape>> cases) {
  static std::atomic<std::uint64_t> made = 0;
  id = ++made;
  KG_CHECK(!cases.empty());
  std::vector<std::vector<TaskParameter>> parameters;
  for (std::vector<TensorShape>& one : cases) one = in_pairs(std::move(one));
  const std::size_t wanted = task_parameters(cases[0]).size();
  std::erase_if(cases, [&](const auto& one) { return task_parameters(one).size() != wanted; });
  for (const std::vector<TensorShape>& one : cases) parameters.push_back(task_parameters(one));
  for (std::size_t i = 0; i < parameters[0].size(); ++i) {
    if (parameters[0][i].head->output && parameters[0][i].head->absent) continue;
    (parameters[0][i].head->output ? outputs : inputs).push_back(parameter_of(cases, parameters, i));
  }
  std::set<std::string> seen;
  for (const ExpectedParameter& input : inputs) by_order |= !is_name(input.name) || !seen.insert(input.name).second;
  if (by_order)
    std::erase_if(inputs, [](const ExpectedParameter& input) { return input.omissible; });
  else
    for (const ExpectedParameter& input : inputs) longest_name = std::max(longest_name, input.name.size());
}

bool ExpectedHeader::has_input(const std::string& name) const {
  return !by_order &&
         std::any_of(inputs.begin(), inputs.end(), [&](const ExpectedParameter& one) { return one.name == name; });
}

bool ExpectedHeader::may_call(const ExpectedParameter& output, const std::string& name) const {
  return !has_input(name) && std::none_of(outputs.begin(), outputs.end(), [&](const ExpectedParameter& one) {
    return &one != &output && one.name == name;
  });
}

HeaderReading::HeaderReading(const ExpectedHeader& expected)
    : expected_(expected), taken_(expected.inputs.size()), named_(expected.inputs.size()) {
  const auto& some = expected.inputs.empty() ? expected.outputs : expected.inputs;
  values_.resize(some.empty() ? 0 : some[0].shapes.size(), {ExtentValues()});
}

std::vector<const ExpectedParameter*> HeaderReading::next(bool output) const {
  std::vector<const ExpectedParameter*> found;
  if (output) {
    if (outputs_taken_ < expected_.outputs.size()) found.push_back(&expected_.outputs[outputs_taken_]);
    return found;
  }
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    found.push_back(&expected_.inputs[i]);
    if (expected_.by_order) break;
  }
  return found;
}

bool HeaderReading::is_complete(bool output) const {
  const std::vector<const ExpectedParameter*> open = next(output);
  return std::all_of(open.begin(), open.end(), [](const ExpectedParameter* one) { return one->omissible; });
}

std::string HeaderReading::name_of_input(const std::string& task_name) const {
  for (std::size_t i = 0; i < taken_.size() && !task_name.empty(); ++i)
    if (taken_[i] && expected_.inputs[i].name == task_name) return named_[i];
  return "";
}

void HeaderReading::begin(const ExpectedParameter& parameter, const std::string& name, bool output) {
  open_ = &parameter;
  extents_.clear();
  if (output) {
    ++outputs_taken_;
    return;
  }
  const auto index = static_cast<std::size_t>(&parameter - expected_.inputs.data());
  taken_[index] = true;
  named_[index] = name;
}

bool HeaderReading::fit(const std::vector<ExprPtr>& extents, bool whole) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Shape& shape = open_->shapes[i];
    if (!shape.empty() && std::all_of(values_[i].begin(), values_[i].end(), [&](const ExtentValues& known) {
          return foldings(extents, shape, known, whole).empty();
        }))
      return false;
  }
  return true;
}

std::vector<std::string> HeaderReading::numbers() const {
  // Products of neighbouring dimensions, and what divides the elements.
  std::set<std::int64_t> candidates;
  const Shape& shape = open_->shapes[0];
  for (std::size_t first = 0; first < shape.size(); ++first) {
    std::int64_t product = 1;
    for (std::size_t last = first; last < shape.size(); ++last) candidates.insert(product *= shape[last]);
  }
  std::int64_t rest = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  for (const ExprPtr& extent : extents_)
    rest /= std::max<std::int64_t>(1, constant_of(*extent, values_[0][0]).value_or(1));
  candidates.insert(rest);
  for (std::int64_t divisor = 1; divisor <= kMostDivisor; ++divisor)
    if (rest % divisor == 0) candidates.insert(divisor);
  std::vector<std::string> found;
  for (const std::int64_t number : candidates)
    if (fits({.number = static_cast<double>(number), .integer = true})) found.push_back(std::to_string(number));
  return found;
}

bool HeaderReading::fits(const Expr& next) const {
  std::vector<ExprPtr> extents = extents_;
  extents.push_back(std::make_shared<Expr>(next));
  return fit(extents, /*whole=*/true) || fit(extents, /*whole=*/false);
}

bool HeaderReading::may_be_new() const { return fits({.kind = Expr::Kind::kName, .text = "a new name"}); }

std::vector<std::string> HeaderReading::known_names() const {
  std::set<std::string> names;
  for (const std::vector<ExtentValues>& one : values_)
    for (const ExtentValues& values : one)
      for (const auto& [name, value] : values) names.insert(name);
  for (const ExprPtr& extent : extents_)
    if (extent->kind == Expr::Kind::kName) names.insert(extent->text);
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (fits({.kind = Expr::Kind::kName, .text = name})) found.push_back(name);
  return found;
}

void HeaderReading::end() {
  for (std::size_t i = 0; i < values_.size() && !extents_.empty(); ++i) {
    const Shape& shape = open_->shapes[i];
    if (shape.empty()) continue;
    std::set<ExtentValues> more;
    for (const ExtentValues& known : values_[i])
      for (ExtentValues& one : foldings(extents_, shape, known, /*whole=*/true))
        if (more.size() < kMostValues) more.insert(std::move(one));
    values_[i] = {more.begin(), more.end()};
  }
  open_ = nullptr;
}

}  // namespace kg::dsl
