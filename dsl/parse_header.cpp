#include "dsl/parse_header.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "dsl/expected_header.h"
#include "dsl/parse_expression.h"
#include "dsl/parser.h"
#include "dsl/types.h"
#include "dsl/within.h"

namespace kg::dsl {
namespace {

constexpr const char* kParameterRule = "a parameter is NAME: TYPE[extents], as in x: half[R, C]";

constexpr const char* kTypeRule =
    "the type of a parameter is float, half, bfloat16, int8, uint8, int16, int32, int64, double or bool";
constexpr const char* kExtentRule = "an extent is a name or a number that fits the task's tensor";

class HeaderParser {
 public:
  HeaderParser(TokenReader& tokens, Program& program) : tokens_(tokens), program_(program) {
    if (const Prospect* const prospect = tokens.prospect(); prospect != nullptr && prospect->expected != nullptr)
      expected_.emplace(*prospect->expected);
  }

  void parameters(bool output) {
    do {
      const int line = tokens_.line();
      const Construct place(tokens_.prospect(), output ? "O" : "I");
      const ExpectedParameter* wanted = nullptr;
      const std::string name = expected_
                                   ? expected_name(output, wanted)
                                   : tokens_.expect_name(kParameterRule, output ? NameUse::kAny : NameUse::kTensor);
      note_parameter(name, output);
      if (output && written_in_place(name)) continue;
      Parameter parameter{.name = name, .line = line, .output = output};
      tokens_.expect_sign(":", kParameterRule);
      typed(parameter, wanted);
      if (output) program_.outputs.push_back(name);
      program_.parameters.push_back(std::move(parameter));
    } while (another(output));
  }

  bool may_be_none(bool output) const { return !expected_ || expected_->is_complete(output); }

 private:
  // In a beginning: a tensor that the body may load, or has to store.
  void note_parameter(const std::string& name, bool output) {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return;
    (output ? prospect->outputs : prospect->inputs).insert(name);
    if (output) prospect->unstored.insert(name);
  }

  bool another(bool output) {
    if (!expected_) return tokens_.accept_sign(",");
    if (!expected_->next(output).empty() && tokens_.accept_sign(",")) return true;
    if (!expected_->is_complete(output)) tokens_.refuse(kParameterRule);
    return false;
  }

  // The name of a parameter that the task expects here.
  std::string expected_name(bool output, const ExpectedParameter*& wanted) {
    const bool any_name = output || tokens_.prospect()->expected->by_order;
    for (const ExpectedParameter* one : expected_->next(output)) {
      wanted = one;
      std::vector<std::string> names;
      if (const std::string input = expected_->name_of_input(one->in_place_of); !input.empty()) names.push_back(input);
      if (!one->in_place) names.push_back(any_name ? "" : one->name);
      for (const std::string& name : names) {
        const bool any = name.empty();
        if (!any && !tokens_.accept_task_word(name)) continue;
        const std::string given = any ? tokens_.expect_name(kParameterRule, NameUse::kTensor) : name;
        if (any && output && !tokens_.prospect()->expected->may_call(*one, given))
          throw Refusal(tokens_.line(), given, "this is the name of another of the task's tensors");
        expected_->begin(*one, given, output);
        return given;
      }
    }
    tokens_.refuse(kParameterRule);
  }

  void typed(Parameter& parameter, const ExpectedParameter* wanted) {
    declared(parameter, wanted);
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return;
    if (parameter.list) prospect->lists.insert(parameter.name);
    if (parameter.optional) prospect->optional.insert(parameter.name);
    const int extents = std::max(1, static_cast<int>(parameter.extents.size()));
    prospect->ranks[parameter.name] = extents + (parameter.list ? 1 : 0);
  }

  void declared(Parameter& parameter, const ExpectedParameter* wanted) {
    if (wanted == nullptr || wanted->type.empty())
      parameter.dtype = parse_type(tokens_, kTypeRule);
    else if (tokens_.accept_task_word(wanted->type))
      parameter.dtype = dtype_of(wanted->type);
    else
      tokens_.refuse(kTypeRule);
    tokens_.expect_sign("[", "a type is followed by its extents, as in half[R, C]");
    if (Prospect* const prospect = tokens_.prospect(); prospect != nullptr && !is_whole(parameter.dtype))
      prospect->reals.insert(parameter.name);
    Construct part(tokens_.prospect(), "E");
    const bool any = (wanted == nullptr || wanted->list) && tokens_.accept_sign("..");
    if (any) part.becomes("A");
    if (!any && wanted != nullptr && wanted->list && !wanted->alike)
      tokens_.refuse("the tensors of this list have different shapes: [..]");
    if (Prospect* const prospect = tokens_.prospect()) prospect->in_extents = true;
    if (!any) extents(parameter, wanted);
    tokens_.expect_sign("]", "the extents end with ]");
    part.becomes("");
    if (Prospect* const prospect = tokens_.prospect()) prospect->in_extents = false;
    if (wanted != nullptr) return marked(parameter, *wanted);
    parameter.list = tokens_.accept_sign("*");
    parameter.optional = !parameter.list && !any && tokens_.accept_sign("?");
    if (any && !parameter.list && tokens_.prospect() != nullptr) tokens_.refuse("[..] is followed by *");
    if (any && !parameter.list)
      throw Refusal(parameter.line, parameter.name, "[..] is for lists of tensors, as in x: half[..]*");
  }

  void marked(Parameter& parameter, const ExpectedParameter& wanted) {
    expected_->end();
    parameter.list = wanted.list;
    parameter.optional = wanted.must_be_optional;
    if (wanted.list) tokens_.expect_sign("*", "this parameter is a list");
    if (wanted.must_be_optional) tokens_.expect_sign("?", "the task may omit this parameter");
  }

  void extents(Parameter& parameter, const ExpectedParameter* wanted) {
    do {
      parameter.extents.push_back(wanted == nullptr ? parse_expression(tokens_) : expected_extent());
    } while (wanted == nullptr ? tokens_.accept_sign(",") : another_extent(parameter));
  }

  // A number with which the extents fit the task's tensors, or a name; where a new one would not fit, a known one that
  // does. No expression: what it may become could not be told.
  ExprPtr expected_extent() {
    Prospect& prospect = *tokens_.prospect();
    const Token token = tokens_.peek();
    auto made = std::make_shared<Expr>();
    made->line = tokens_.line();
    made->text = token.text;
    if (token.kind == Token::Kind::kCut || token.kind == Token::Kind::kNumber) {
      const std::vector<std::string> numbers = expected_->numbers();
      const bool right = std::find(numbers.begin(), numbers.end(), token.text) != numbers.end();
      if (token.kind == Token::Kind::kNumber && !right) tokens_.refuse(kExtentRule);
      if (!numbers.empty() && tokens_.at(Token::Kind::kNumber)) {
        made->number = std::strtod(token.text.c_str(), nullptr);
        made->integer = true;
        tokens_.take();
        return made;
      }
      prospect.numbers = numbers;
    }
    made->kind = Expr::Kind::kName;
    if (!expected_->may_be_new()) {
      for (const std::string& name : expected_->known_names())
        if (tokens_.accept_task_word(name)) return made;
      tokens_.refuse(kExtentRule);
    }
    tokens_.expect_name(kExtentRule, NameUse::kExtent);
    prospect.add(made->text, Type::Kind::kInt, /*fixed=*/true);
    return made;
  }

  bool another_extent(const Parameter& parameter) {
    expected_->add_extent(parameter.extents.back());
    if (expected_->may_continue() && tokens_.accept_sign(",")) return true;
    if (expected_->may_end()) return false;
    if (tokens_.peek().kind != Token::Kind::kCut || tokens_.prospect()->signs.empty())
      throw Refusal(parameter.line, parameter.name, "the task's tensor has other extents");
    throw AtCut();
  }

  // An output with the name of an input is that input, written in place; its type may be left out.
  bool written_in_place(const std::string& name) {
    Parameter* input = nullptr;
    for (Parameter& each : program_.parameters)
      if (each.name == name && !each.output) input = &each;
    if (input == nullptr) return false;
    input->output = input->in_place = true;
    program_.outputs.push_back(name);
    // In a beginning, which could not continue after another type, it is always left out.
    const bool typed_again =
        tokens_.prospect() == nullptr && tokens_.at_sign(":") && tokens_.peek(1).kind == Token::Kind::kName;
    if (!typed_again) return true;
    tokens_.take();
    Parameter again{.name = name, .line = tokens_.line()};
    typed(again, nullptr);
    const auto text = [](const Parameter& parameter) {
      std::string extents;
      for (const ExprPtr& extent : parameter.extents) extents += text_of(*extent) + ", ";
      return extents;
    };
    if (again.dtype != input->dtype || again.list != input->list || text(again) != text(*input))
      throw Refusal(again.line, name, name + " is an input that is written in place; it keeps its type and extents");
    return true;
  }

  TokenReader& tokens_;
  Program& program_;
  std::optional<HeaderReading> expected_;  // of the task, if the beginning is one of its programs
};

}  // namespace

void parse_header(TokenReader& tokens, Program& program) {
  const Construct head(tokens.prospect(), "h");
  if (!tokens.accept_word("kernel")) tokens.refuse("a program begins with: kernel NAME(inputs) -> outputs:");
  program.name = tokens.expect_name("a kernel has a name", NameUse::kKernel);
  HeaderParser header(tokens, program);
  tokens.expect_sign("(", "the inputs are written in parentheses after the kernel's name");
  if (!header.may_be_none(/*output=*/false) || !tokens.at_sign(")")) header.parameters(/*output=*/false);
  tokens.expect_sign(")", "the list of inputs ends with )");
  tokens.expect_sign("->", "the outputs follow the inputs, as in -> z: float[N]");
  const bool bracketed = tokens.accept_sign("(");
  const Construct brackets(tokens.prospect(), bracketed ? "(" : "");
  header.parameters(/*output=*/true);
  if (bracketed) tokens.expect_sign(")", "the list of outputs ends with )");
  if (Prospect* const prospect = tokens.prospect()) prospect->in_head = false;
}

proto::DType parse_type(TokenReader& tokens, const char* rule) {
  for (const char* name : {"float", "half", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "double", "bool"})
    if (tokens.accept_word(name)) return dtype_of(name);
  if (!tokens.at(Token::Kind::kName) || dtype_of(tokens.peek().text) == proto::DTYPE_UNSPECIFIED) tokens.refuse(rule);
  return dtype_of(tokens.take().text);
}

}  // namespace kg::dsl
