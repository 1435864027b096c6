#include "dsl/constant.h"
#include "dsl/flatten_call.h"
#include "dsl/flatten_scalar.h"
#include "dsl/flatten_vector.h"
#include "dsl/functions.h"

// Elementwise functions are defined by nested calls in their row (functions.h), such as
// "Div(x, Adds(Exp(Muls(x, -1)), 1))". Each call becomes one instruction.
namespace kg::dsl {
namespace {

struct Operands {
  const Type& type;
  int source;
  const std::vector<std::string>& scalars;  // for a and b
  int line;
};

// "Muls(x, -1)": Muls and its arguments, which may be calls again.
struct CallText {
  std::string name;
  std::vector<std::string> arguments;
};

CallText cut(const std::string& text) {
  const std::size_t open = text.find('(');
  CallText call{.name = text.substr(0, open), .arguments = {""}};
  int depth = 0;
  for (std::size_t at = open + 1; at + 1 < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0 && text[at] == ',')
      call.arguments.emplace_back();
    else if (text[at] != ' ')
      call.arguments.back() += text[at];
  }
  return call;
}

// The last argument of these is a number; every other argument is a tile.
bool ends_in_number(const std::string& call) {
  return call == "Adds" || call == "Muls" || call == "Maxs" || call == "Mins" || call == "LeakyRelu";
}

// The tile of a part of the text: x, a number that fills a tile, or a call.
int flattened(Flattening& flat, const Operands& given, const std::string& text, int into) {
  const auto number = [&](const std::string& argument) {
    const std::string& value = argument == "a" ? given.scalars[0] : argument == "b" ? given.scalars[1] : argument;
    return in_type(value, given.type.dtype);
  };
  if (text == "x") return given.source;
  if (text.find('(') == std::string::npos) return filled(flat, given.type, number(text), given.line, into);
  CallText call = cut(text);
  std::vector<std::string> scalars;
  int scratch = -1;
  if (ends_in_number(call.name)) {
    scalars = {number(call.arguments.back())};
    call.arguments.pop_back();
  } else if (call.arguments.back() == "scratch") {
    // The library needs room for its own intermediate values.
    scratch = flat.new_tile("", proto::FLOAT32, {.constant = 4 * align_up(longest(flat, given.type.length), 64)},
                            Tile::Home::kWork);
    call.arguments.pop_back();
  }
  // From last to first: a constant before a long expression then occupies UB only late.
  std::vector<int> sources(call.arguments.size());
  for (std::size_t i = sources.size(); i-- > 0;) sources[i] = flattened(flat, given, call.arguments[i], -1);
  const int result =
      operation(flat, call.name, given.type, sources, scalars, given.line, into, /*in_place=*/scratch < 0);
  if (scratch >= 0) flat.steps->back().scratch = {scratch};
  return result;
}

int rounded_to_bfloat16(Flattening& flat, const Type& type, int source, int line, int into) {
  const int narrow = convert(flat, source, type, proto::BFLOAT16, line, -1);
  return convert(flat, narrow, type, proto::FLOAT32, line, into);
}

}  // namespace

int elementwise(Flattening& flat, const Function& function, const Type& type, int source,
                const std::vector<std::string>& scalars, int line, int into) {
  if (function.calls.empty()) return rounded_to_bfloat16(flat, type, source, line, into);
  return flattened(flat, {.type = type, .source = source, .scalars = scalars, .line = line}, function.calls, into);
}

}  // namespace kg::dsl
