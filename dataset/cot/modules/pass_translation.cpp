#include "dataset/cot/modules/pass_translation.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "dataset/cot/modules/composite_lines.h"
#include "dataset/cot/modules/pass_domain.h"
#include "dataset/translation/operator_forms.h"

namespace kg::dataset::cot::modules {
namespace {

struct Gathering {
  const char *op, *of_all, *begin, *along, *of_each;
};
// Begin and statement of a number of all elements, and of a tile along an axis; then what a number becomes.
constexpr Gathering kGatherings[] = {
    {"sum", "0", "zeros(len(t))", "$s += sum($x)", "$s += $x"},
    {"mean", "0", "zeros(len(t))", "$s += sum($x)", "$s += $x"},
    {"amax", "-inf", "full(len(t), -inf)", "$s = max($s, max($x))", "$s = max($s, $x)"},
    {"max", "-inf", "full(len(t), -inf)", "$s = max($s, max($x))", "$s = max($s, $x)"},
    {"amin", "inf", "full(len(t), inf)", "$s = min($s, min($x))", "$s = min($s, $x)"},
    {"min", "inf", "full(len(t), inf)", "$s = min($s, min($x))", "$s = min($s, $x)"},
    {"prod", "", "full(len(t), 1)", "", "$s *= $x"}};

std::string put(std::string text, const std::string& mark, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
  return text;
}

class Passes {
 public:
  Passes(const translation::TracedPrompt& prompt, const PassDomain& domain) : prompt_(prompt), domain_(domain) {}

  std::optional<std::string> program() {
    for (const translation::TracedTensor& one : prompt_.inputs) taken_.insert(one.name);
    for (const translation::TracedTensor& one : prompt_.inputs)
      if (!input(one)) return std::nullopt;
    for (const translation::TracedTensor& one : prompt_.outputs) outputs_.insert(one.name);
    for (const translation::TracedLine& line : prompt_.lines)
      for (const translation::TracedLine& simple : simple_lines(line, domain_.elements(), prompt_.whole.size()))
        if (!step(simple)) return std::nullopt;
    std::string head = "kernel custom_op(", results;
    for (const translation::TracedTensor& one : prompt_.inputs)
      head += (head.ends_with("(") ? "" : ", ") + one.name + ": " + one.type + "[" + places_[one.name].shape + "]";
    for (const translation::TracedTensor& one : prompt_.outputs) {
      const auto found = values_.find(one.name);
      if (found == values_.end()) return std::nullopt;
      const auto place = domain_.place(one.shape, domain_.aligned_result(one.shape));
      if (!place || place->inside != found->second.full) return std::nullopt;
      places_[one.name] = *place;
      results += (results.empty() ? "" : ", ") + one.name + ": " + one.type + "[" + place->shape + "]";
    }
    text_ = head + ") -> " + (prompt_.outputs.size() > 1 ? "(" + results + "):" : results + ":") + "\n";
    if (!domain_.all()) write(1, domain_.outer());
    depth_ = domain_.all() ? 1 : 2;
    for (const translation::TracedTensor& one : prompt_.inputs)
      if (!values_[one.name].full && used(one.name)) load(depth_, one.name);
    reduced_of(0);
    for (int pass = 0; pass <= last_; ++pass) walk(pass);
    return text_;
  }

 private:
  struct Value {
    bool full = false;
    translation::Kind kind = translation::Kind::kTile;
    int level = 0;  // number of reductions before it
    std::string text;
    std::string expression;  // empty: an input, or a reduction
    std::vector<std::string> uses;
    const Gathering* gathering = nullptr;
    std::string sum, finish;
  };

  bool input(const translation::TracedTensor& one) {
    const auto place = domain_.place(one.shape, translation::aligned_shape(prompt_, one));
    if (!place) return false;
    places_[one.name] = *place;
    values_[one.name] = {.full = place->inside,
                         .kind = place->tile ? translation::Kind::kTile : translation::Kind::kNumber,
                         .text = one.name + "_"};
    return true;
  }

  void load(int depth, const std::string& name) {
    write(depth, name + "_ = load " + name + "[" + places_[name].at + "]");
  }

  // A size by its letter: a task that is scaled is judged at others.
  std::string size(const std::string& number) const {
    for (std::size_t i = 0; i < prompt_.whole.size(); ++i)
      if (number.size() > 2 && number == std::to_string(prompt_.whole[i])) return extent_letter(i);
    return number;
  }

  bool step(const translation::TracedLine& line) {
    if (line.results.size() != 1) return false;
    std::vector<std::string> given;
    std::vector<translation::Kind> kinds;
    Value made;
    for (const std::string& one : line.given) {
      const auto known = values_.find(one);
      if (known == values_.end()) {
        if (std::isalpha(static_cast<unsigned char>(one[0])) != 0 && one != "None" && one != "inf") return false;
        given.push_back(size(one));
        kinds.push_back(translation::Kind::kNumber);
        continue;
      }
      given.push_back(known->second.text);
      kinds.push_back(known->second.kind);
      made.uses.push_back(one);
      made.full = made.full || known->second.full;
      made.level = std::max(made.level, known->second.level);
    }
    const std::string& result = line.results[0];
    made.text = outputs_.contains(result) ? result + "_" : result;
    if (translation::reduced_axes(line) && made.full) return reduction(line, made);
    static const std::set<std::string> same = {"", "view", "unsqueeze", "squeeze", "expand", "reshape", "flatten"};
    static const std::map<std::string, std::string> filled = {
        {"zeros_like", "0"}, {"ones_like", "1"}, {"full_like", "$2"}, {"scalar_tensor", "$1"}};
    translation::OperatorForm form;
    if (same.contains(line.op)) {
      if (made.full && kinds.at(0) == translation::Kind::kTile && !domain_.all() && !prompt_same_shape(line))
        return false;
      form = {"$1", kinds.at(0)};
    } else if (const auto number = filled.find(line.op); number != filled.end()) {
      form = {number->second, translation::Kind::kNumber};
      made.full = false;
      made.uses.clear();
      made.level = 0;
    } else if (const auto known = translation::operator_form(line, kinds)) {
      form = *known;
    } else {
      return false;
    }
    if (form.dsl.find("; ") != std::string::npos) return false;  // needs a whole row
    made.expression = translation::with_arguments(form.dsl, given);
    made.kind = form.kind == translation::Kind::kTile && !made.full && domain_.to_numbers() ? translation::Kind::kNumber
                                                                                            : form.kind;
    last_ = std::max(last_, made.level);
    values_[result] = made;
    order_.push_back(result);
    return true;
  }

  bool reduction(const translation::TracedLine& line, Value made) {
    for (const Gathering& one : kGatherings)
      if (line.op == one.op) made.gathering = &one;
    if (made.gathering == nullptr || made.uses.size() != 1 || values_[made.uses[0]].kind != translation::Kind::kTile)
      return false;
    if (domain_.to_numbers() && *made.gathering->of_all == '\0') return false;
    for (int i = 1; made.sum.empty(); ++i)
      if (const std::string name = "s" + std::to_string(i); taken_.insert(name).second) made.sum = name;
    made.finish = made.sum;
    if (domain_.all())
      made.finish = std::string(made.gathering->of_all == std::string("0")      ? "all_sum("
                                : made.gathering->of_all == std::string("-inf") ? "all_max("
                                                                                : "all_min(") +
                    made.sum + ")";
    if (line.op == "mean") made.finish += " / " + domain_.elements();
    made.full = false;
    made.kind = domain_.to_numbers() ? translation::Kind::kNumber : translation::Kind::kTile;
    last_ = std::max(last_, ++made.level);
    values_[line.results[0]] = made;
    order_.push_back(line.results[0]);
    return true;
  }

  void write(int depth, const std::string& line) {
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + line + "\n";
  }

  bool prompt_same_shape(const translation::TracedLine& line) const {
    const auto from = prompt_.shapes.find(line.given[0]), to = prompt_.shapes.find(line.results[0]);
    return from != prompt_.shapes.end() && to != prompt_.shapes.end() && from->second == to->second;
  }

  bool used(const std::string& name) const {
    return std::any_of(values_.begin(), values_.end(), [&](const auto& one) {
      return std::find(one.second.uses.begin(), one.second.uses.end(), name) != one.second.uses.end();
    });
  }

  void state(int depth, const std::string& name) {
    const Value& value = values_[name];
    const bool output = outputs_.contains(name);
    const std::string& expression = value.expression.empty() ? value.finish : value.expression;
    if (!output || used(name)) write(depth, value.text + " = " + expression);
    if (output)
      write(depth, "store " + name + "[" + places_[name].at + "] = " + (used(name) ? value.text : expression));
  }

  // Values without an axis that wait for `level` reductions.
  void reduced_of(int level) {
    for (const std::string& name : order_) {
      const Value& value = values_[name];
      if (!value.full && value.level == level) state(depth_, name);
    }
  }

  void need(const std::string& name, std::set<std::string>& needed) {
    if (!values_[name].full || !needed.insert(name).second) return;
    for (const std::string& one : values_[name].uses) need(one, needed);
  }

  void walk(int pass) {
    std::set<std::string> needed;
    std::vector<std::string> gathered;
    for (const std::string& name : order_) {
      const Value& value = values_[name];
      if (value.gathering != nullptr && value.level == pass + 1) {
        need(value.uses[0], needed);
        gathered.push_back(name);
        write(depth_, value.sum + " = " + (domain_.to_numbers() ? value.gathering->of_all : value.gathering->begin));
      }
      if (value.full && value.level == pass && outputs_.contains(name)) need(name, needed);
    }
    if (needed.empty()) return;
    int depth = depth_;
    for (const std::string& loop : domain_.loops()) write(depth++, loop);
    for (const translation::TracedTensor& one : prompt_.inputs)
      if (needed.contains(one.name)) load(depth, one.name);
    for (const std::string& name : order_) {
      if (!needed.contains(name)) continue;
      // An output of an earlier pass is stored once.
      if (values_[name].level < pass && outputs_.contains(name))
        write(depth, values_[name].text + " = " + values_[name].expression);
      else
        state(depth, name);
    }
    for (const std::string& name : gathered) {
      const Value& value = values_[name];
      const std::string text = domain_.to_numbers() ? value.gathering->along : value.gathering->of_each;
      write(depth, put(put(text, "$s", value.sum), "$x", values_[value.uses[0]].text));
    }
    reduced_of(pass + 1);
  }

  const translation::TracedPrompt& prompt_;
  const PassDomain& domain_;
  std::map<std::string, Value> values_;
  std::map<std::string, PassDomain::Place> places_;
  std::vector<std::string> order_;
  std::set<std::string> taken_, outputs_;
  std::string text_;
  int depth_ = 1, last_ = 0;
};

}  // namespace

std::optional<std::string> pass_translation(const translation::TracedPrompt& prompt) {
  static const std::set<std::string> own = {"t", "i0", "i1", "i2", "i3", "i4"};
  for (const translation::TracedTensor& one : prompt.inputs)
    if (own.contains(one.name) || (one.name.size() == 1 && std::isupper(static_cast<unsigned char>(one.name[0])) != 0))
      return std::nullopt;
  const auto domain = PassDomain::of(prompt);
  if (!domain) return std::nullopt;
  return Passes(prompt, *domain).program();
}

}  // namespace kg::dataset::cot::modules
