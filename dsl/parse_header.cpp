#include "dsl/parse_header.h"

#include "dsl/parse_expression.h"
#include "dsl/parser.h"
#include "dsl/types.h"
#include "dsl/within.h"

namespace kg::dsl {
namespace {

constexpr const char* kParameterRule = "a parameter is NAME: TYPE[extents], as in x: half[R, C]";

class HeaderParser {
 public:
  HeaderParser(TokenReader& tokens, Program& program) : tokens_(tokens), program_(program) {}

  void parameters(bool output) {
    do {
      const int line = tokens_.line();
      const Construct place(tokens_.prospect(), output ? "O" : "I");
      const std::string name = tokens_.expect_name(kParameterRule, output ? NameUse::kAny : NameUse::kTensor);
      note_parameter(name, output);
      if (output && written_in_place(name)) continue;
      Parameter parameter{.name = name, .line = line, .output = output};
      tokens_.expect_sign(":", kParameterRule);
      typed(parameter);
      if (output) program_.outputs.push_back(name);
      program_.parameters.push_back(std::move(parameter));
    } while (tokens_.accept_sign(","));
  }

 private:
  // In a beginning: a tensor that the body may load, or has to store.
  void note_parameter(const std::string& name, bool output) {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return;
    (output ? prospect->outputs : prospect->inputs).insert(name);
    if (output) prospect->unstored.insert(name);
  }

  // TYPE[extents], and what follows it.
  void typed(Parameter& parameter) {
    parameter.dtype = parse_type(
        tokens_, "the type of a parameter is float, half, bfloat16, int8, uint8, int16, int32, int64, double or bool");
    tokens_.expect_sign("[", "a type is followed by its extents, as in half[R, C]");
    if (Prospect* const prospect = tokens_.prospect(); prospect != nullptr && !is_whole(parameter.dtype))
      prospect->reals.insert(parameter.name);
    Construct part(tokens_.prospect(), "E");
    const bool any = tokens_.accept_sign("..");
    if (any) part.becomes("A");
    if (Prospect* const prospect = tokens_.prospect()) prospect->in_header = true;
    if (!any) do {
        parameter.extents.push_back(parse_expression(tokens_));
      } while (tokens_.accept_sign(","));
    tokens_.expect_sign("]", "the extents end with ]");
    part.becomes("");
    if (Prospect* const prospect = tokens_.prospect()) prospect->in_header = false;
    parameter.list = tokens_.accept_sign("*");
    parameter.optional = !parameter.list && !any && tokens_.accept_sign("?");
    if (any && !parameter.list && tokens_.prospect() != nullptr) tokens_.refuse("[..] is followed by *");
    if (any && !parameter.list)
      throw Refusal(parameter.line, parameter.name, "[..] is for lists of tensors, as in x: half[..]*");
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
    typed(again);
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
};

}  // namespace

void parse_header(TokenReader& tokens, Program& program) {
  const Construct head(tokens.prospect(), "h");
  if (!tokens.accept_word("kernel")) tokens.refuse("a program begins with: kernel NAME(inputs) -> outputs:");
  program.name = tokens.expect_name("a kernel has a name", NameUse::kKernel);
  HeaderParser header(tokens, program);
  tokens.expect_sign("(", "the inputs are written in parentheses after the kernel's name");
  if (!tokens.at_sign(")")) header.parameters(/*output=*/false);
  tokens.expect_sign(")", "the list of inputs ends with )");
  tokens.expect_sign("->", "the outputs follow the inputs, as in -> z: float[N]");
  const bool bracketed = tokens.accept_sign("(");
  const Construct brackets(tokens.prospect(), bracketed ? "(" : "");
  header.parameters(/*output=*/true);
  if (bracketed) tokens.expect_sign(")", "the list of outputs ends with )");
}

proto::DType parse_type(TokenReader& tokens, const char* rule) {
  for (const char* name : {"float", "half", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "double", "bool"})
    if (tokens.accept_word(name)) return dtype_of(name);
  if (!tokens.at(Token::Kind::kName) || dtype_of(tokens.peek().text) == proto::DTYPE_UNSPECIFIED) tokens.refuse(rule);
  return dtype_of(tokens.take().text);
}

}  // namespace kg::dsl
