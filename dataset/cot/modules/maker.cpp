#include "dataset/cot/modules/maker.h"

#include <cmath>
#include <cstdio>

#include "base/check.h"
#include "dataset/cot/modules/surface.h"

namespace kg::dataset::cot::modules {
namespace {

// One to three significant digits, as people write them.
std::string spelled(Draw& draw, double low, double high, bool sign) {
  const double exponent = draw.uniform(std::log10(low), std::log10(high));
  const double value = std::pow(10.0, exponent);
  const int digits = draw.chance(0.5) ? 1 : draw.chance(0.6) ? 2 : 3;
  char text[32];
  std::snprintf(text, sizeof(text), "%.*e", digits - 1, value);
  const double rounded = std::stod(text);
  if (rounded < 1e-3 || draw.chance(0.03)) {
    std::string made = text;  // 1.2e-05 -> 1.2e-5
    const std::size_t e = made.find('e');
    std::string power = made.substr(e + 1);
    const bool minus = power[0] == '-';
    power = power.substr(1);
    while (power.size() > 1 && power[0] == '0') power.erase(0, 1);
    if (minus && rounded < 0.1) return (sign ? "-" : "") + made.substr(0, e) + "e-" + power;
  }
  std::snprintf(text, sizeof(text), "%.10g", rounded);
  std::string made = text;
  if (made.find('.') == std::string::npos && made.find('e') == std::string::npos && draw.chance(0.5)) made += ".0";
  return (sign ? "-" : "") + made;
}

}  // namespace

const Word& word_named(std::string_view name) {
  for (const std::span<const Word> words : {math_words(), activation_words(), joining_words()})
    for (const Word& word : words)
      if (name == word.name) return word;
  KG_CHECK(false);
  return math_words()[0];
}

Maker::Maker(Draw& drawn, const char* nest, const char* stratum) : draw(drawn) {
  graph.nest = nest;
  graph.stratum = stratum;
  if (draw.chance(0.18)) graph.dtype = draw.chance(0.7) ? "half" : "bfloat16";
}

void Maker::extent(const std::string& letter, std::int64_t full, std::int64_t small) {
  graph.extents.push_back({letter, full, std::min(small, full)});
}

std::int64_t Maker::size(std::initializer_list<std::int64_t> round, std::int64_t least, std::int64_t most) {
  if (draw.chance(0.7)) return *(round.begin() + draw.below(round.size()));
  return least + static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(most - least + 1)));
}

int Maker::input(const std::string& role, std::vector<std::string> shape, const std::string& program_shape,
                 const std::string& at, const std::string& kind) {
  KG_CHECK(graph.nodes.empty());
  Input made;
  made.role = role;
  made.shape = std::move(shape);
  made.program_shape = program_shape;
  made.at = at;
  made.draw = kind;
  if (kind == "mask") made.dtype = "bool";
  if (kind == "index") made.dtype = "int64";
  graph.inputs.push_back(std::move(made));
  const int value = static_cast<int>(graph.inputs.size()) - 1;
  known_[value] = {.positive = kind == "positive" || kind == "unit" || kind == "prob",
                   .bounded = true,
                   .exact = true,
                   .unit = kind == "unit"};
  return value;
}

int Maker::constant(char kind) {
  switch (kind) {
    case 'e':
      return fixed(draw.chance(0.7) ? draw.any({"1e-5", "1e-6", "1e-8", "1e-12", "1e-3", "1e-4", "1e-7", "1e-10"})
                                    : spelled(draw, 1e-10, 1e-3, false),
                   "eps");
    case 's':
      return fixed(spelled(draw, 0.001, 0.9, false), "slope");
    case 'p':
      return fixed(spelled(draw, 0.1, 10, false), "positive");
    case 'q':
      return fixed(
          draw.chance(0.5) ? draw.any({"1.5", "2.5", "0.75", "0.25", "1.2", "3.5"}) : spelled(draw, 0.2, 3, false),
          "power");
    case 'b':
      return fixed(draw.any({"0.9", "0.99", "0.999", "0.95", "0.8", "0.5", "0.98", "0.85", "0.75", "0.6", "0.995"}),
                   "beta");
    case 'l':
      return fixed(spelled(draw, 1e-5, 0.5, false), "rate");
    case 'd':
      return fixed(spelled(draw, 1e-4, 0.1, false), "decay");
    case 't':
      return fixed(draw.chance(0.15) ? "0" : spelled(draw, 0.05, 2, draw.chance(0.4)), "bound");
    case 'g':
      return fixed(spelled(draw, 0.1, 3, true), "low");
    case 'h':
      return fixed(spelled(draw, 0.2, 6, false), "high");
    case 'u':
      return fixed(spelled(draw, 0.05, 0.95, false), "unit");
    case 'm':
      return fixed(spelled(draw, 0.1, 2, false), "margin");
    default:
      return fixed(spelled(draw, 0.01, 30, draw.chance(0.2)), "scale");
  }
}

int Maker::fixed(const std::string& text, const std::string& role) {
  graph.constants.push_back({text, role});
  return static_cast<int>(graph.constants.size()) - 1;
}

int Maker::step(Node node) {
  graph.nodes.push_back(std::move(node));
  return graph.value_count() - 1;
}

int Maker::step(const Word& word, std::vector<int> operands) {
  Node node;
  node.name = word.name;
  node.torch = spellings(word);
  node.dsl = word.dsl;
  node.words = word.words;
  node.formula = word.formula;
  for (const char* kind = word.constants; *kind != '\0'; ++kind) node.constants.push_back(constant(*kind));
  const Known first = known_[operands[0]];
  bool exact = (word.traits & kExact) != 0;
  for (const int operand : operands) exact = exact && known_[operand].exact;
  node.operands = std::move(operands);
  const int value = step(std::move(node));
  known_[value] = {.positive = (word.traits & kGivesPositive) != 0,
                   .bounded = (word.traits & kGivesBounded) != 0,
                   .exact = exact,
                   .number = first.number};
  return value;
}

const Word& Maker::draw_word(std::span<const Word> words, const Known& of) {
  for (;;) {
    const Word& word = words[draw.below(words.size())];
    if ((word.traits & kCommon) == 0 && draw.chance(0.45)) continue;
    if ((word.traits & kWantsPositive) != 0 && !of.positive) continue;
    if ((word.traits & kWantsUnit) != 0 && !of.unit) continue;
    if ((word.traits & kGrows) != 0 && !of.bounded) continue;
    if ((word.traits & kJumps) != 0 && !of.exact) continue;
    return word;
  }
}

int Maker::chain(int value, int steps, std::vector<int> others) {
  for (int i = 0; i < steps || !others.empty(); ++i) {
    // Every input is used: those that are left come as second operands, mostly late.
    if (!others.empty() && (steps - i <= static_cast<int>(others.size()) || draw.chance(0.5))) {
      const Word& word = draw_word(joining_words(), {.exact = known_[value].exact && known_[others[0]].exact});
      if (word.arity == 3 && others.size() < 2) {
        --i;
        continue;
      }
      std::vector<int> operands = {value, others.front()};
      others.erase(others.begin());
      if (word.arity == 3) operands.push_back(others.front()), others.erase(others.begin());
      value = step(word, operands);
      continue;
    }
    const Word& word = draw_word(draw.chance(0.5) ? activation_words() : math_words(), known_[value]);
    const Node* before = graph.node(value);
    if (before != nullptr && before->name == word.name) {
      --i;
      continue;
    }
    value = step(word, {value});
  }
  return value;
}

void Maker::output(int value, std::vector<std::string> shape, const std::string& program_shape) {
  graph.outputs.push_back(value);
  graph.out_shapes.push_back(std::move(shape));
  graph.out_program_shapes.push_back(program_shape);
}

void Maker::line(int depth, const std::string& text) {
  graph.program.push_back(std::string(static_cast<std::size_t>(2 * depth), ' ') + text);
}

std::string Maker::local() { return "%" + std::to_string(locals_++) + "%"; }

std::string Maker::of(int value) {
  const auto found = graph.value_names.find(value);
  KG_CHECK(found != graph.value_names.end());
  return found->second;
}

std::string Maker::load(int value) {
  return "load {" + std::to_string(value) + "}[" + graph.inputs[static_cast<std::size_t>(value)].at + "]";
}

void Maker::loads(int depth, const std::vector<int>& inputs) {
  for (const int value : inputs) {
    name(value, "{" + std::to_string(value) + "}_");
    line(depth, of(value) + " = " + load(value));
  }
}

std::string Maker::filled_dsl(const std::string& form, const std::vector<int>& operands,
                              const std::vector<int>& constants, int depth) {
  std::map<char, std::string> temporaries;
  std::string rest = form;
  const auto text_of = [&](char, char letter) -> std::string {
    if (letter >= '0' && letter <= '9') return temporaries.at(letter);
    if (const std::size_t at = kOperandLetters.find(letter); at != std::string_view::npos) return of(operands.at(at));
    return graph.constants[static_cast<std::size_t>(constants.at(static_cast<std::size_t>(letter - 'a')))].text;
  };
  for (std::size_t end; (end = rest.find("; ")) != std::string::npos; rest = rest.substr(end + 2)) {
    const std::string statement = rest.substr(0, end);
    const std::size_t equals = statement.find(" = ");
    const std::string value = filled(statement.substr(equals + 3), text_of);
    temporaries[statement[1]] = local();
    line(depth, temporaries[statement[1]] + " = " + value);
  }
  return filled(rest, text_of);
}

std::string Maker::expression(int value, int depth) {
  const Node node = *graph.node(value);
  return filled_dsl(node.dsl, node.operands, node.constants, depth);
}

void Maker::bind(int value, int depth) {
  const std::string text = expression(value, depth);
  name(value, local());
  line(depth, of(value) + " = " + text);
}

void Maker::bind_range(int first, int end, int depth) {
  for (int value = first; value < end; ++value) bind(value, depth);
}

void Maker::store(int output, const std::string& at, int value, int depth) {
  const std::string text = graph.value_names.contains(value) ? of(value) : expression(value, depth);
  line(depth, "store {z" + std::to_string(output) + "}[" + at + "] = " + text);
}

}  // namespace kg::dataset::cot::modules
