#include "dataset/cot/modules/surface.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/check.h"
#include "dataset/cot/modules/delivery.h"
#include "dataset/cot/modules/file_parts.h"

namespace kg::dataset::cot::modules {
namespace {

bool is_name(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

// Needs no brackets as an operand: no operator outside of brackets.
bool is_atom(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth == 0 && (text[i] == ' ' || (i == 0 && text[i] == '-'))) return false;
  }
  return true;
}

class Writer {
 public:
  Writer(const Graph& graph, Philox& random, bool full)
      : graph_(graph),
        draw_(random),
        full_(full),
        function_(draw_.chance(0.06) && plain()),
        style_{draw_},
        delivery_(draw_, names_, !function_) {}

  Surface write() {
    for (const char* word : {"self", "torch", "nn", "F", "math", "Model", "inputs"}) names_.take(word);
    name_inputs();
    texts_.resize(static_cast<std::size_t>(graph_.value_count()));
    uses_.assign(texts_.size(), 0);
    for (const Node& node : graph_.nodes)
      for (const int operand : node.operands) ++uses_[static_cast<std::size_t>(operand)];
    for (const int output : graph_.outputs) ++uses_[static_cast<std::size_t>(output)];
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      texts_[i] = surface_.names[i];  // empty: a parameter that nothing has named yet
    }
    if (draw_.chance(0.05)) alias();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) step(i);
    delivery_.distract();
    surface_.hops = delivery_.hops();
    surface_.text = file();
    return surface_;
  }

 private:
  // Nothing that only a module has.
  bool plain() const {
    return std::none_of(graph_.inputs.begin(), graph_.inputs.end(), [](const Input& one) { return one.parameter; }) &&
           std::all_of(graph_.nodes.begin(), graph_.nodes.end(), [](const Node& node) {
             return std::any_of(node.torch.begin(), node.torch.end(),
                                [](const std::string& way) { return !way.starts_with("M:"); });
           });
  }

  void name_inputs() {
    for (const Input& input : graph_.inputs)
      surface_.names.push_back(input.parameter ? "" : names_.fresh(draw_, words_for(input.role)));
  }

  std::vector<std::string> words_for(const std::string& role) {
    return style_.odd_names && draw_.chance(0.8) ? odd_words(draw_) : input_words(role);
  }

  void held(std::size_t i) {
    const Input& input = graph_.inputs[i];
    const std::string attribute = names_.fresh(draw_, words_for(input.role));
    surface_.names[i] = attribute;
    surface_.held.emplace_back(attribute, attribute);
    texts_[i] = "self." + attribute;
    if (!input.construct.empty()) members_.push_back("self." + attribute + " = " + sized(input.construct, true));
  }

  // A member that has the parameters itself.
  void hold(const Node& node, const std::string& member) {
    for (std::size_t k = 1; k < node.operands.size(); ++k) {
      const auto value = static_cast<std::size_t>(node.operands[k]);
      const std::string path = member + (k == 1 ? ".weight" : ".bias");
      surface_.names[value] = member + (k == 1 ? "_weight" : "_bias");
      surface_.held.emplace_back(surface_.names[value], path);
    }
  }

  void alias() {
    const std::size_t first = 0;
    if (graph_.inputs[first].parameter) return;
    const std::string name = names_.fresh(draw_, {"h", "inp", "t", "data", "value"});
    body_.push_back(name + " = " + surface_.names[first] + draw_.any({"", ".contiguous()"}));
    texts_[first] = name;
  }

  std::string extent(const std::string& letter, bool in_constructor) {
    const std::string number = std::to_string(graph_.size(letter, full_));
    if (std::isdigit(static_cast<unsigned char>(letter[0])) != 0 || style_.literal_sizes) return number;
    const auto found = sizes_.find(letter);
    const std::string name = found != sizes_.end() ? found->second : sizes_[letter] = delivery_.size(letter, number);
    return in_constructor ? delivery_.in_constructor(name, "length") : name;
  }

  // {C} becomes what the file calls that size.
  std::string sized(const std::string& form, bool in_constructor) {
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
      const std::size_t end = form[i] == '{' ? form.find('}', i) : std::string::npos;
      if (end == std::string::npos || end > i + 3) {
        text += form[i];
        continue;
      }
      text += extent(form.substr(i + 1, end - i - 1), in_constructor);
      i = end;
    }
    return text;
  }

  // The axes of a node in the file's notation.
  std::string axes(const Node& node, bool in_constructor) {
    const bool negative = draw_.chance(0.5);
    const auto one = [&](int axis) { return std::to_string(negative ? axis - node.rank : axis); };
    std::string text;
    if (node.axes.size() == 1) {
      text = one(node.axes[0]);
    } else {
      for (const int axis : node.axes) text += (text.empty() ? "" : ", ") + one(axis);
      text = draw_.chance(0.6) ? "(" + text + ")" : "[" + text + "]";
    }
    return in_constructor ? delivery_.in_constructor(text, "dim") : delivery_.in_forward(text, "dim");
  }

  std::string operand(const Node& node, char sign, std::size_t place) {
    KG_CHECK(place < node.operands.size());
    const auto value = static_cast<std::size_t>(node.operands[place]);
    if (texts_[value].empty()) held(value);
    const std::string& text = texts_[value];
    return sign == '@' || is_atom(text) ? text : "(" + text + ")";
  }

  // Constants and axes are delivered once for a place.
  std::string fill(const Node& node, const std::string& form, bool in_constructor) {
    std::map<char, std::string> given;
    const std::string text = filled(form, [&](char sign, char letter) -> std::string {
      if (const std::size_t at = kOperandLetters.find(letter); at != std::string_view::npos)
        return operand(node, sign, at);
      if (given.contains(letter)) return given[letter];
      if (letter == 'd' && !node.axes.empty()) return given[letter] = axes(node, in_constructor);
      const auto index = static_cast<std::size_t>(letter - 'a');
      KG_CHECK(index < node.constants.size());
      const Constant& constant = graph_.constants[static_cast<std::size_t>(node.constants[index])];
      std::string& made = shared_[node.constants[index]];  // the same number twice is one name
      if (made.empty() || in_constructor) {
        const std::string used = in_constructor ? delivery_.in_constructor(constant.text, constant.role)
                                                : delivery_.in_forward(constant.text, constant.role);
        if (in_constructor) return given[letter] = used;
        made = used;
      }
      return given[letter] = made.starts_with("-") ? "(" + made + ")" : made;
    });
    return sized(text, in_constructor);
  }

  static int count(const std::string& form, char letter) {
    int found = 0;
    for (std::size_t i = 0; i + 1 < form.size(); ++i)
      found += (form[i] == '$' || form[i] == '@') && form[i + 1] == letter;
    return found;
  }

  std::string chosen(const Node& node) {
    for (;;) {
      const std::string& way = draw_.of(node.torch);
      if (!function_ || !way.starts_with("M:")) return way;
    }
  }

  void step(std::size_t i) {
    const Node& node = graph_.nodes[i];
    const std::string way = chosen(node);
    const bool holder = way.starts_with("P:"), member = holder || way.starts_with("M:");
    for (std::size_t k = 0; k < node.operands.size() && !member; ++k)
      if (count(way, kOperandLetters[k]) > 1) bind(node.operands[k]);
    std::string text;
    if (member) {
      const std::string name = names_.fresh(draw_, member_words(node.name));
      members_.push_back("self." + name + " = " + fill(node, way.substr(2), true));
      text = "self." + name + "(" + operand(node, '@', 0);
      for (std::size_t k = 1; k < node.operands.size() && !holder; ++k) text += ", " + operand(node, '@', k);
      text += ")";
      if (holder) hold(node, name);
    } else {
      text = fill(node, way, false);
    }
    const std::size_t value = graph_.inputs.size() + i;
    texts_[value] = text;
    if (style_.commented && draw_.chance(0.5)) body_.push_back("# " + comment_words(node.words));
    const bool last = i + 1 == graph_.nodes.size();
    if (uses_[value] > 1 || text.size() > 70 || (last ? draw_.chance(0.5) : !draw_.chance(style_.inline_chance)))
      bind(static_cast<int>(value));
  }

  // Gives a value a name in forward, unless it has one.
  void bind(int value) {
    std::string& text = texts_[static_cast<std::size_t>(value)];
    if (is_name(text)) return;
    std::string name;
    // Reuses a name whose value is no longer needed.
    if (style_.again && value >= static_cast<int>(graph_.inputs.size())) {
      const Node& node = *graph_.node(value);
      const std::string& before = texts_[static_cast<std::size_t>(node.operands[0])];
      if (uses_[static_cast<std::size_t>(node.operands[0])] == 1 && is_name(before) &&
          before.find('.') == std::string::npos)
        name = before;
    }
    if (name.empty())
      name = names_.fresh(draw_, style_.odd_names && draw_.chance(0.3) ? odd_words(draw_) : local_words());
    body_.push_back(name + " = " + text);
    text = name;
  }

  std::string file() {
    FileParts parts{.function = function_, .style = style_, .delivery = delivery_, .members = members_, .body = body_};
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Input& input = graph_.inputs[i];
      if (input.parameter) continue;
      parts.parameters.push_back(surface_.names[i]);
      std::vector<std::string> shape;
      for (const std::string& one : input.shape) shape.push_back(extent(one, false));
      const std::string& type = input.dtype.empty() ? graph_.dtype : input.dtype;
      parts.inputs.push_back(input_text(draw_, input.draw, shape, type,
                                        input.index_below.empty() ? "" : extent(input.index_below, false)));
    }
    for (const int output : graph_.outputs) parts.results.push_back(texts_[static_cast<std::size_t>(output)]);
    for (const Node& node : graph_.nodes) parts.steps.push_back(comment_words(node.words));
    return file_text(draw_, parts);
  }

  const Graph& graph_;
  Draw draw_;
  bool full_;
  bool function_;
  Style style_;
  Names names_;
  Delivery delivery_;
  Surface surface_;
  std::vector<std::string> texts_, members_, body_;
  std::vector<int> uses_;
  std::map<int, std::string> shared_;
  std::map<std::string, std::string> sizes_;
};

}  // namespace

Surface write_surface(const Graph& graph, Philox& random) {
  const auto without_digits = [](std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    return text;
  };
  for (;;) {
    Philox again = random;  // the same draws, other sizes
    Surface surface = Writer(graph, random, /*full=*/true).write();
    surface.small = Writer(graph, again, /*full=*/false).write().text;
    // A line may have been long enough for another layout with the longer numbers only.
    if (without_digits(surface.text) == without_digits(surface.small)) return surface;
  }
}

}  // namespace kg::dataset::cot::modules
