#include "policy/text/jinja.h"

#include <ctime>
#include <list>
#include <map>

#include "base/error.h"
#include "policy/text/jinja_syntax.h"
#include "policy/text/jinja_values.h"

namespace kg::policy::jinja {
namespace {

enum class Flow { kOn, kBreak, kContinue };
constexpr int kDeepest = 100;  // macros that call each other

class Renderer {
 public:
  explicit Renderer(const Json& variables) {
    scopes_.emplace_back();
    for (const auto& [name, value] : variables.items()) scopes_.back()[name] = value;
  }

  Flow run(const Block& block) {
    for (const Statement& statement : block)
      if (const Flow flow = run(statement); flow != Flow::kOn) return flow;
    return Flow::kOn;
  }
  std::string take_output() { return std::move(out_); }

 private:
  using Scope = std::map<std::string, Json>;

  Json* find(const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return &found->second;
    return nullptr;
  }

  Flow run(const Statement& s) {
    switch (s.kind) {
      case Statement::kText:
        out_ += s.text;
        return Flow::kOn;
      case Statement::kOutput:
        out_ += text_of(value_of(*s.value));
        return Flow::kOn;
      case Statement::kSet:
        set(s);
        return Flow::kOn;
      case Statement::kIf:
        for (const auto& [condition, body] : s.branches)
          if (condition == nullptr || is_true(value_of(*condition))) return run(body);
        return Flow::kOn;
      case Statement::kFor:
        return loop(s);
      case Statement::kMacro:
        macros_[s.text] = &s;
        return Flow::kOn;
      case Statement::kBreak:
        return Flow::kBreak;
      case Statement::kContinue:
        return Flow::kContinue;
    }
    return Flow::kOn;
  }

  // The output of a block, separate from the output so far.
  std::string written_by(const Block& block) {
    std::string before = std::exchange(out_, "");
    run(block);
    return std::exchange(out_, std::move(before));
  }

  void set(const Statement& s) {
    const Json value = s.value != nullptr ? value_of(*s.value) : Json(written_by(s.body));
    if (!s.attribute.empty()) {
      Json* target = find(s.targets.front());
      if (target == nullptr || !target->is_object()) refuse("\"" + s.targets.front() + "\" is not a namespace");
      (*target)[s.attribute] = value;
      return;
    }
    assign(s.targets, value);
  }

  void assign(const std::vector<std::string>& names, const Json& value) {
    if (names.size() == 1) {
      scopes_.back()[names.front()] = value;
      return;
    }
    if (!value.is_array() || value.size() != names.size())
      refuse("a value cannot be taken apart into " + std::to_string(names.size()) + " variables");
    for (std::size_t i = 0; i < names.size(); ++i) scopes_.back()[names[i]] = value[i];
  }

  Flow loop(const Statement& s) {
    const Json over = value_of(*s.value);
    Json items = over.is_discarded() || over.is_null() ? Json::array()
                 : over.is_array()                     ? over
                                                       : apply_filter("list", over, {});
    if (!items.is_array()) refuse(std::string("a loop over a value of the type ") + over.type_name());
    if (s.condition != nullptr) {
      Json kept = Json::array();
      for (const Json& item : items) {
        scopes_.emplace_back();
        assign(s.targets, item);
        if (is_true(value_of(*s.condition))) kept.push_back(item);
        scopes_.pop_back();
      }
      items = std::move(kept);
    }
    const std::size_t size = items.size();
    for (std::size_t i = 0; i < size; ++i) {
      scopes_.emplace_back();
      assign(s.targets, items[i]);
      scopes_.back()["loop"] = {
          {"index", i + 1},  {"index0", i},           {"revindex", size - i}, {"revindex0", size - i - 1},
          {"first", i == 0}, {"last", i + 1 == size}, {"length", size}};
      Json& loop = scopes_.back()["loop"];
      if (i > 0) loop["previtem"] = items[i - 1];
      if (i + 1 < size) loop["nextitem"] = items[i + 1];
      const Flow flow = run(s.body);
      scopes_.pop_back();
      if (flow == Flow::kBreak) break;
    }
    return size == 0 ? run(s.otherwise) : Flow::kOn;
  }

  Arguments arguments_of(const Expression& e) {
    Arguments arguments;
    for (const Argument& argument : e.arguments) {
      if (argument.name.empty())
        arguments.positional.push_back(value_of(*argument.value));
      else
        arguments.named.emplace_back(argument.name, value_of(*argument.value));
    }
    return arguments;
  }

  Json value_of(const Expression& e) {
    const auto part = [&](std::size_t i) { return e.parts[i] == nullptr ? Json(nullptr) : value_of(*e.parts[i]); };
    switch (e.kind) {
      case Expression::kLiteral:
        return e.literal;
      case Expression::kName: {
        const Json* found = find(e.name);
        return found == nullptr ? undefined() : *found;
      }
      case Expression::kList: {
        Json list = Json::array();
        for (std::size_t i = 0; i < e.parts.size(); ++i) list.push_back(part(i));
        return list;
      }
      case Expression::kDictionary: {
        Json object = Json::object();
        for (std::size_t i = 0; i < e.parts.size(); i += 2) object[text_of(part(i))] = part(i + 1);
        return object;
      }
      case Expression::kUnary:
        if (e.name == "not") return !is_true(part(0));
        return apply_operator("-", 0, part(0));
      case Expression::kBinary: {
        Json left = part(0);
        if (e.name == "and") return is_true(left) ? part(1) : left;
        if (e.name == "or") return is_true(left) ? left : part(1);
        return apply_operator(e.name, left, part(1));
      }
      case Expression::kCondition:
        if (is_true(part(1))) return part(0);
        return e.parts[2] == nullptr ? undefined() : part(2);
      case Expression::kAttribute:
        return member(part(0), e.name);
      case Expression::kIndex:
        return member(part(0), part(1));
      case Expression::kSlice:
        return slice(part(0), part(1), part(2), part(3));
      case Expression::kCall:
        return call(e);
      case Expression::kFilter:
        return apply_filter(e.name, part(0), arguments_of(e));
      case Expression::kTest:
        return apply_test(e.name, part(0), arguments_of(e));
    }
    return undefined();
  }

  Json call(const Expression& e) {
    const Expression& callee = *e.parts[0];
    const Arguments arguments = arguments_of(e);
    if (callee.kind == Expression::kAttribute) return call_method(value_of(*callee.parts[0]), callee.name, arguments);
    if (callee.kind != Expression::kName) refuse("a call of something that is not a name");
    if (const auto macro = macros_.find(callee.name); macro != macros_.end()) return call(*macro->second, arguments);
    return call(callee.name, arguments);
  }

  Json call(const Statement& macro, const Arguments& arguments) {
    if (++depth_ > kDeepest) refuse("the macro \"" + macro.text + "\" calls itself without end");
    Scope scope;
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
      const Argument& parameter = macro.parameters[i];
      scope[parameter.name] =
          arguments.get(i, parameter.name, parameter.value != nullptr ? value_of(*parameter.value) : undefined());
    }
    // A macro sees the template's variables, not those of its caller.
    std::list<Scope> callers;
    callers.splice(callers.begin(), scopes_, std::next(scopes_.begin()), scopes_.end());
    scopes_.push_back(std::move(scope));
    const std::string text = written_by(macro.body);
    scopes_.pop_back();
    scopes_.splice(scopes_.end(), callers);
    --depth_;
    return text;
  }

  static Json call(const std::string& name, const Arguments& arguments) {
    if (name == "namespace" || name == "dict") {
      Json object = arguments.positional.empty() ? Json::object() : arguments.positional.front();
      for (const auto& [key, value] : arguments.named) object[key] = value;
      return object;
    }
    if (name == "range") {
      const bool two = arguments.positional.size() > 1;
      const auto at = [&](std::size_t i) { return arguments.positional.at(i).get<std::int64_t>(); };
      const std::int64_t begin = two ? at(0) : 0, end = two ? at(1) : at(0);
      const std::int64_t step = arguments.positional.size() > 2 ? at(2) : 1;
      if (step == 0 || (end - begin) / step > 1'000'000) refuse("an endless range");
      Json list = Json::array();
      for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step) list.push_back(i);
      return list;
    }
    if (name == "raise_exception")
      throw Error("the chat template refuses these messages: " + text_of(arguments.get(0, "message")), "chat template",
                  "give messages in the form that the model expects");
    if (name == "strftime_now") {
      char text[128];
      const std::time_t now = std::time(nullptr);
      std::strftime(text, sizeof text, text_of(arguments.get(0, "format")).c_str(), std::localtime(&now));
      return std::string(text);
    }
    refuse("the function \"" + name + "\" is not supported");
  }

  std::list<Scope> scopes_;  // the template's own first
  std::map<std::string, const Statement*> macros_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

struct Template::Parsed {
  Block block;
};

Template::Template(const std::string& text) {
  auto parsed = std::make_shared<Parsed>();
  parsed->block = parse(text);
  parsed_ = std::move(parsed);
}
Template::~Template() = default;

std::string Template::render(const Json& variables) const {
  try {
    Renderer renderer(variables);
    renderer.run(parsed_->block);
    return renderer.take_output();
  } catch (const Json::exception& error) {
    throw Error(std::string("the chat template does something that is not supported: ") + error.what(), "chat template",
                "use a model whose template uses only the supported part of Jinja");
  }
}

}  // namespace kg::policy::jinja
