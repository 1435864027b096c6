#include "dataset/cot/modules/essence.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "dataset/cot/modules/described.h"
#include "dataset/cot/modules/file_parts.h"
#include "dataset/cot/modules/texts.h"

namespace kg::dataset::cot::modules {
namespace {

std::vector<std::string> input_names(const Graph& graph, Draw& draw) {
  const std::size_t count = graph.inputs.size();
  std::vector<std::string> names;
  const bool alike = std::all_of(graph.inputs.begin(), graph.inputs.end(), [](const Input& one) {
    static const std::set<std::string> plain = {"x", "y", "w"};
    return plain.contains(one.role);
  });
  if (alike && count > 1 && draw.chance(0.6)) {
    const std::string front = draw.any({"x", "x", "input", "input_", "tensor", "src", "data"});
    const bool from_zero = draw.chance(0.2);
    for (std::size_t i = 0; i < count; ++i) names.push_back(front + std::to_string(i + (from_zero ? 0 : 1)));
    return names;
  }
  const int habit = static_cast<int>(draw.below(5));
  const std::string tail = draw.chance(0.1) ? draw.any({"_gm", "GM", "_in", "_tensor"}) : "";
  std::set<std::string> taken;
  for (const Input& input : graph.inputs) {
    std::string name = habit == 0   ? input.role
                       : habit == 1 ? draw.of(odd_words(draw))
                                    : draw.of(input_words(input.role));
    name += tail;
    while (name == "e" || !taken.insert(name).second) name += "2";  // e is a number in formulas
    names.push_back(name);
  }
  return names;
}

void name_outputs(Graph& graph, const std::vector<std::string>& inputs, Draw& draw) {
  std::set<std::string> taken(inputs.begin(), inputs.end());
  const std::string single = draw.any({"y", "y", "out", "out", "z", "output", "outputs", "result", "dst", "res", "o"});
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const bool said = i < graph.out_roles.size();
    std::string name = said                       ? draw.of(input_words(graph.out_roles[i]))
                       : graph.outputs.size() < 2 ? single
                                                  : single + std::to_string(i + (single.size() > 1 ? 0 : 1));
    while (!taken.insert(name).second) name += "_out";
    graph.out_names.push_back(name);
  }
}

// Some results are written where an input lies, states of optimisers often. The last outputs are: prompts list them
// last.
bool write_in_place(Graph& graph, const std::vector<std::string>& inputs, Draw& draw) {
  if (!draw.chance(graph.inputs[0].role == "param" ? 0.6 : 0.08)) return false;
  std::set<int> free;
  for (int i = 0; i < static_cast<int>(graph.inputs.size()); ++i) {
    const Input& input = graph.inputs[static_cast<std::size_t>(i)];
    if (!input.parameter && !input.outside && input.dtype.empty()) free.insert(i);
  }
  bool any = false;
  for (std::size_t i = graph.outputs.size(); i-- > 0;) {
    const auto fits = [&](int input) {
      return free.contains(input) && graph.out_dtype(i) == graph.dtype &&
             graph.inputs[static_cast<std::size_t>(input)].shape == graph.out_shapes[i];
    };
    const Node* const node = graph.node(graph.outputs[i]);
    int place = node != nullptr && fits(node->operands[0]) ? node->operands[0] : -1;
    for (const int input : free)
      if (place < 0 && fits(input)) place = input;
    if (place < 0) break;
    free.erase(place);
    graph.out_names[i] = inputs[static_cast<std::size_t>(place)];
    any = true;
    if (draw.chance(0.15)) break;
  }
  return any;
}

// What is in place has a name before and one after.
void tell_apart(const Graph& graph, const std::vector<std::string>& inputs, Symbols& symbols, Draw& draw) {
  const std::string after = draw.any({"_{out}", "_{new}", "'", "_t"});
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    if (!is_in_place(graph, i, inputs)) continue;
    if (graph.outputs.size() == 1 && draw.chance(0.6)) {
      symbols.outputs[i] = draw.any({"y", "out", "z"});
      while (std::find(symbols.inputs.begin(), symbols.inputs.end(), symbols.outputs[i]) != symbols.inputs.end())
        symbols.outputs[i] += "'";
      continue;
    }
    const auto at =
        static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), graph.out_name(i)) - inputs.begin());
    std::string& before = symbols.inputs[at];
    const std::string base = before.find('_') == std::string::npos ? before : "{" + before + "}";
    symbols.outputs[i] = base + after;
    if (after == "_t") before = base + "_{t-1}";
  }
}

bool is_of_elements(const Graph& graph) { return graph.nest.starts_with("flat") || graph.nest == "compared"; }

// Constants that the task lists as attributes; their names take the numbers' place in formulas.
std::string attributes(const Graph& graph, const std::vector<ScalarInput>& scalars, Symbols& symbols,
                       const std::set<std::string>& names, Draw& draw) {
  std::string text;
  static const std::map<std::string, std::vector<std::string>> words = {{"eps", {"epsilon", "eps"}},
                                                                        {"slope", {"negative_slope", "alpha"}},
                                                                        {"beta", {"beta", "beta1", "momentum"}},
                                                                        {"rate", {"lr"}},
                                                                        {"decay", {"weight_decay"}},
                                                                        {"power", {"exponent", "p"}},
                                                                        {"low", {"min_val", "min"}},
                                                                        {"high", {"max_val", "max"}},
                                                                        {"unit", {"weight", "ratio"}}};
  std::set<std::string> taken = names;
  const auto add = [&](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  };
  const bool given = draw.chance(0.5);
  for (std::size_t i = 0; given && i < graph.constants.size(); ++i) {
    const Constant& one = graph.constants[i];
    const bool given_as_tensor =
        std::any_of(scalars.begin(), scalars.end(), [i](const ScalarInput& scalar) { return scalar.constant == i; });
    if (given_as_tensor || one.text.starts_with("-")) continue;
    const auto found = words.find(one.role);
    const std::string name =
        found != words.end() ? draw.of(found->second) : draw.any({"alpha", "scale", "factor", "t1", "threshold"});
    if (!taken.insert(name).second) continue;
    add(name, one.text);
    symbols.constants[i] = symbol_of(name, draw);
  }
  const auto along =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.axes.size() == 1; });
  if (along != graph.nodes.end() && draw.chance(0.3))
    add(draw.any({"axis", "dim", "reduce_dim"}),
        std::to_string(along->axes[0] - (along->axes[0] + 1 == along->rank && draw.chance(0.7) ? along->rank : 0)));
  if (draw.chance(0.06))
    add(draw.any({"mode", "format", "approximate", "version"}), draw.any({"0", "1", "none", "ND"}));
  return text.empty() ? "" : "\nAttributes " + text;
}

}  // namespace

std::string elements_text(const std::vector<std::string>& symbols, Draw& draw) {
  const std::string end = draw.any({"", "\\\\", ","}), dots = draw.any({"...", "\\ldots", "\\dots"});
  const bool braced = draw.chance(0.5);
  const auto element = [&](const std::string& name) { return braced ? "{" + name + "}" : name; };
  std::string text;
  for (const std::string& one : symbols)
    text += "\n" + one + " = [" + element(one + "_0") + ", " + element(one + "_1") + ", " + dots + " " +
            element(one + "_{n-1}") + "]" + end;
  return text;
}

std::string all_elements(Draw& draw) {
  return draw.any({" (i = 0, 1, ..., n - 1)", " (i=0,1,...n-1)", " \\quad (i=0, 1, ..., n-1)", ""});
}

std::string symbol_of(const std::string& name, Draw& draw) {
  static const std::set<std::string> greek = {"alpha", "beta", "gamma", "epsilon", "eta", "theta", "tau", "lambda"};
  if (greek.contains(name) && draw.chance(0.6)) return "\\" + name;
  if (name == "eps" && draw.chance(0.3)) return "\\epsilon";
  const std::size_t digits = name.find_first_of("0123456789");
  const bool numbered = digits != std::string::npos && digits > 0 && digits + 1 == name.size();
  if (numbered && name[digits - 1] != '_' && draw.chance(0.4))
    return name.substr(0, digits) + "_" + name.substr(digits);
  if (name.size() > 1 && draw.chance(0.25)) return draw.any({"\\text{", "\\mathrm{"}) + name + "}";
  std::string text;
  const bool escaped = draw.chance(0.5);
  for (const char c : name) text += c == '_' && escaped ? "\\_" : std::string(1, c);
  return text;
}

std::string title_of(const Graph& graph, const std::string& front, Draw& draw) {
  std::string words;
  bool upper = true;
  if (graph.nest == "rows_norm" && draw.chance(0.6)) {
    const bool joined = graph.nodes[0].operands.size() > 1,
               centred = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                     [](const Node& node) { return node.name == "mean"; });
    return front + (joined ? draw.any({"Add", "Add", "Residual", ""}) : "") + (centred ? "LayerNorm" : "RmsNorm") +
           draw.any({"", "", "V2", "V3", "Custom", "Out"});
  }
  for (const Node& node : graph.nodes) {
    if (words.size() > 24) break;
    for (const char c : node.name) {
      if (c == '_' || c == '-')
        upper = true;
      else
        words += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c, upper = false;
    }
    upper = true;
  }
  const bool says = draw.chance(graph.nodes.size() == 1 ? 0.8 : 0.4);
  return front + (says ? words : draw.any({"Op", "Fused", "Custom", "Operator", "Update"}));
}

std::optional<Essence> essence_form(const Graph& graph, Philox& random) {
  Draw draw(random);
  Essence made{
      .graph = graph, .names = input_names(graph, draw), .scalars = {}, .prompt = "", .program = "", .answer = ""};
  name_outputs(made.graph, made.names, draw);
  const bool in_place = write_in_place(made.graph, made.names, draw);
  Graph said = made.graph;  // with the names of scalars in place of numbers
  std::set<std::string> names(made.names.begin(), made.names.end());
  names.insert(made.graph.out_names.begin(), made.graph.out_names.end());
  made.program = program_text(made.graph, graph.program, made.names);
  const int scalars = !is_of_elements(graph) || !draw.chance(0.4) ? 0 : draw.chance(0.6) ? 1 : 2;
  for (int i = 0; i < scalars; ++i) {
    const auto scalar = draw_scalar_input(said, {names.begin(), names.end()}, /*may_be_each=*/false, draw);
    if (!scalar) break;
    names.insert(scalar->name);
    said.constants[scalar->constant].text = scalar->name;
    made.program = with_scalar_input(made.program, *scalar, 1);
    if (made.program.empty()) return std::nullopt;
    made.scalars.push_back(*scalar);
  }
  Symbols symbols = symbols_of(said, {});
  for (const std::string& name : made.names)
    symbols.inputs.push_back(graph.inputs.size() == 1 && draw.chance(0.3) ? draw.any({"x", "X"})
                                                                          : symbol_of(name, draw));
  for (const ScalarInput& scalar : made.scalars) {
    std::string& constant = symbols.constants[scalar.constant];
    constant = symbol_of(constant, draw);
  }
  for (std::string& output : symbols.outputs) output = symbol_of(output, draw);
  if (in_place) tell_apart(made.graph, made.names, symbols, draw);
  const std::string listed = attributes(said, made.scalars, symbols, names, draw);
  std::string elements, tail;
  const bool flat = is_of_elements(graph) && graph.outputs.size() == 1 && !in_place;
  if (flat && draw.chance(0.2)) {
    std::vector<std::string*> all = {&symbols.outputs[0]};
    for (std::string& one : symbols.inputs) all.push_back(&one);
    std::vector<std::string> whole;
    for (std::string* one : all) {
      if (one->find('_') != std::string::npos) *one = "{" + *one + "}";
      whole.push_back(*one);
      *one += "_i";
    }
    elements = elements_text(whole, draw);
    tail = all_elements(draw);
  }
  if (!formulas_say_all(graph) && draw.chance(0.75)) return std::nullopt;  // words are the rarer form
  const auto text = described(said, symbols, draw);
  if (!text) return std::nullopt;
  std::string given;
  for (const ScalarInput& scalar : made.scalars)
    given += (given.empty() ? "" : "; ") + scalar.name + ": " + scalar.type + "[1]";
  made.prompt = head("DSL") + tensors_text(made.graph, made.names, given) + listed +
                (draw.chance(0.85)
                     ? "\n" + title_of(graph, draw.chance(0.15) ? draw.any({"Fused", "Custom", "Simple"}) : "", draw)
                     : "") +
                elements + "\n" + *text + tail;
  made.answer = reading_line(said, made.names, /*with_steps=*/true) + "\n```dsl\n" + made.program + "\n```";
  return made;
}

}  // namespace kg::dataset::cot::modules
