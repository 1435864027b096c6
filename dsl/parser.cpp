#include "dsl/parser.h"

#include <unordered_map>

#include "dsl/expand_functions.h"
#include "dsl/parse_expression.h"

namespace kg::dsl {
namespace {

constexpr int kDeepestBlock = 12;

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(tokenise(source)) {}

  Program run() {
    if (!tokens_.accept_word("kernel")) tokens_.refuse("a program begins with: kernel NAME(inputs) -> outputs:");
    program_.name = tokens_.expect_name("a kernel has a name");
    tokens_.expect_sign("(", "the inputs stand in parentheses after the kernel's name");
    if (!tokens_.at_sign(")")) parameters(/*output=*/false);
    tokens_.expect_sign(")", "the list of inputs ends with )");
    tokens_.expect_sign("->", "the outputs follow the inputs, as in -> z: float[N]");
    const bool bracketed = tokens_.accept_sign("(");
    parameters(/*output=*/true);
    if (bracketed) tokens_.expect_sign(")", "the list of outputs ends with )");
    tokens_.accept_sign(":");
    end_line();
    const bool indented = tokens_.at(Token::Kind::kIndent);
    if (indented) tokens_.take();
    while (!tokens_.at(Token::Kind::kEnd) && !tokens_.at(Token::Kind::kDedent)) program_.body.push_back(statement());
    if (tokens_.at(Token::Kind::kDedent)) tokens_.take();
    if (!tokens_.at(Token::Kind::kEnd)) tokens_.refuse("a program is one kernel; nothing follows its body");
    if (program_.body.empty()) tokens_.refuse("a kernel has at least one statement");
    return std::move(program_);
  }

 private:
  void parameters(bool output) {
    do {
      Parameter parameter;
      parameter.line = tokens_.line();
      parameter.output = output;
      parameter.name = tokens_.expect_name("a parameter is NAME: TYPE[extents], as in x: half[R, C]");
      tokens_.expect_sign(":", "a parameter is NAME: TYPE[extents], as in x: half[R, C]");
      parameter.dtype =
          type("the type of a parameter is float, half, bfloat16, int8, uint8, int16, int32, int64 or bool");
      tokens_.expect_sign("[", "a type is followed by its extents, as in half[R, C]");
      do {
        parameter.extents.push_back(parse_expression(tokens_));
      } while (tokens_.accept_sign(","));
      tokens_.expect_sign("]", "the extents end with ]");
      program_.parameters.push_back(std::move(parameter));
    } while (tokens_.accept_sign(","));
  }

  proto::DType type(const char* rule) {
    if (!tokens_.at(Token::Kind::kName) || dtype_of(tokens_.peek().text) == proto::DTYPE_UNSPECIFIED)
      tokens_.refuse(rule);
    return dtype_of(tokens_.take().text);
  }

  void end_line() {
    if (tokens_.at(Token::Kind::kEnd)) return;
    if (!tokens_.at(Token::Kind::kNewline)) tokens_.refuse("the statement ends here; one statement stands on a line");
    tokens_.take();
  }

  std::vector<Statement> block() {
    tokens_.accept_sign(":");
    end_line();
    if (!tokens_.at(Token::Kind::kIndent))
      tokens_.refuse("the lines of a loop or condition are further in than its head");
    if (++depth_ > kDeepestBlock) tokens_.refuse("blocks are at most 12 deep");
    tokens_.take();
    std::vector<Statement> body;
    while (!tokens_.at(Token::Kind::kDedent) && !tokens_.at(Token::Kind::kEnd)) body.push_back(statement());
    if (tokens_.at(Token::Kind::kDedent)) tokens_.take();
    --depth_;
    return body;
  }

  Statement statement() {
    Statement made;
    made.line = tokens_.line();
    if (tokens_.at(Token::Kind::kIndent)) tokens_.refuse("only the lines of a loop or condition are further in");
    if (tokens_.accept_word("for")) return loop(std::move(made));
    if (tokens_.accept_word("if")) return condition(std::move(made));
    if (tokens_.accept_word("store")) {
      made.kind = Statement::Kind::kStore;
      made.name = tokens_.expect_name("store takes a tensor with indices, as in store z[t] = a");
      made.indices = parse_indices(tokens_);
      assigned_operator(made);
    } else if (tokens_.accept_word("ub")) {
      buffer(made);
    } else if (declares("scratch")) {
      scratch(made);
    } else if (declares("l1")) {
      made.kind = Statement::Kind::kMatrix;
      made.name = tokens_.expect_name("a matrix is l1 NAME = load ..., as in l1 p = load a[m, k]");
      tokens_.expect_sign("=", "a matrix is l1 NAME = load ..., as in l1 p = load a[m, k]");
      made.value = parse_expression(tokens_);
    } else if (declares("l0c")) {
      product(made);
    } else if (tokens_.accept_word("barrier")) {
      made.kind = Statement::Kind::kBarrier;
    } else if (tokens_.accept_word("tile")) {
      made.kind = Statement::Kind::kTileSize;
      made.name = tokens_.expect_name("a tile size has a name, as in tile T or tile T = 2048");
      if (tokens_.accept_sign("=")) made.value = parse_expression(tokens_);
    } else if (tokens_.accept_word("launch")) {
      made.kind = Statement::Kind::kLaunch;
      made.value = parse_expression(tokens_);
    } else {
      made.name = tokens_.expect_name(
          "a statement is an assignment, store, ub, l1, l0c, scratch, for, if, tile, launch or barrier");
      if (tokens_.at_sign("[")) tokens_.refuse("a tensor is written with: store " + made.name + "[...] = value");
      if (tokens_.accept_sign(",")) tokens_.refuse("one variable is assigned at a time");
      assigned_operator(made);
      const bool gemm = made.value->kind == Expr::Kind::kCall && made.value->text == "gemm";
      if (gemm && made.op == "+") made.kind = Statement::Kind::kGemm;
    }
    end_line();
    return made;
  }

  // = or += and its like, and the value.
  void assigned_operator(Statement& made) {
    for (const char* op : {"+=", "-=", "*=", "/="})
      if (tokens_.accept_sign(op)) made.op = std::string(1, op[0]);
    if (made.op.empty()) tokens_.expect_sign("=", "an assignment is NAME = value");
    made.value = parse_expression(tokens_);
  }

  // The word at the begin of a declaration, which a name follows: it may be a variable's name elsewhere.
  bool declares(const char* word) {
    if (!tokens_.at_word(word) || tokens_.peek(1).kind != Token::Kind::kName) return false;
    tokens_.take();
    return true;
  }

  void extents(Statement& made, const char* rule) {
    tokens_.expect_sign("[", rule);
    do {
      made.extents.push_back(parse_expression(tokens_));
    } while (tokens_.accept_sign(","));
    tokens_.expect_sign("]", rule);
  }

  void scratch(Statement& made) {
    constexpr const char* kRule = "a scratch tensor is scratch NAME: TYPE[extents], as in scratch s: float[M, N]";
    made.kind = Statement::Kind::kScratch;
    made.name = tokens_.expect_name(kRule);
    tokens_.expect_sign(":", kRule);
    made.type.dtype = type(kRule);
    extents(made, kRule);
  }

  void product(Statement& made) {
    constexpr const char* kRule = "sums are l0c NAME: float[rows, columns] = 0, as in l0c c: float[m, n] = 0";
    made.kind = Statement::Kind::kProduct;
    made.name = tokens_.expect_name(kRule);
    tokens_.expect_sign(":", kRule);
    made.type.dtype = type(kRule);
    extents(made, kRule);
    tokens_.expect_sign("=", kRule);
    made.value = parse_expression(tokens_);
  }

  void buffer(Statement& made) {
    made.kind = Statement::Kind::kBuffer;
    made.name = tokens_.expect_name("a buffer is ub NAME: TYPE[length], as in ub acc: float[C] = 0");
    tokens_.expect_sign(":", "a buffer is ub NAME: TYPE[length], as in ub acc: float[C] = 0");
    made.type.kind = Type::Kind::kTile;
    made.type.dtype = type("the type of a buffer is float, half, int32 or int16");
    tokens_.expect_sign("[", "a buffer has one length, as in float[C]");
    made.extent = parse_expression(tokens_);
    tokens_.expect_sign("]", "a buffer has one length, as in float[C]");
    if (tokens_.accept_sign("=")) made.value = parse_expression(tokens_);
  }

  Statement loop(Statement made) {
    made.kind = Statement::Kind::kFor;
    std::vector<std::string> names;
    do {
      names.push_back(tokens_.expect_name("a loop is for NAME in cores(...), tiles(...) or range(...)"));
    } while (tokens_.accept_sign(","));
    if (!tokens_.accept_word("in")) tokens_.refuse("a loop is for NAME in cores(...), tiles(...) or range(...)");
    if (tokens_.accept_word("cores")) {
      made.parallel = true;
      tokens_.expect_sign("(", "cores takes what is cut over the cores, as in cores(R) or cores(tiles(N))");
      do {
        LoopItem item;
        if (tokens_.at_word("tiles"))
          tiles(item);
        else
          item.hi = parse_expression(tokens_);
        made.items.push_back(std::move(item));
      } while (tokens_.accept_sign(","));
      tokens_.expect_sign(")", "the call of cores ends with )");
    } else if (tokens_.at_word("tiles")) {
      LoopItem item;
      tiles(item);
      made.items.push_back(std::move(item));
    } else if (tokens_.accept_word("range")) {
      LoopItem item;
      tokens_.expect_sign("(", "range takes an end, or a begin and an end");
      item.hi = parse_expression(tokens_);
      if (tokens_.accept_sign(",")) {
        item.lo = item.hi;
        item.hi = parse_expression(tokens_);
      }
      tokens_.expect_sign(")", "the call of range ends with )");
      made.items.push_back(std::move(item));
    } else {
      tokens_.refuse("a loop runs over cores(...), tiles(...) or range(...)");
    }
    if (names.size() != made.items.size())
      throw Refusal(made.line, "for",
                    std::to_string(names.size()) + " names for " + std::to_string(made.items.size()) +
                        " ranges; give one name for each");
    for (std::size_t i = 0; i < names.size(); ++i) made.items[i].name = names[i];
    made.body = block();
    return made;
  }

  void tiles(LoopItem& item) {
    tokens_.take();
    item.tiles = true;
    tokens_.expect_sign("(", "tiles takes a length, or a length and a tile size");
    item.hi = parse_expression(tokens_);
    if (tokens_.accept_sign(",")) item.tile = parse_expression(tokens_);
    tokens_.expect_sign(")", "the call of tiles ends with )");
  }

  Statement condition(Statement made) {
    made.kind = Statement::Kind::kIf;
    made.value = parse_expression(tokens_);
    made.body = block();
    if (tokens_.at_word("elif")) {
      Statement nested;
      nested.line = tokens_.line();
      tokens_.take();
      if (++depth_ > kDeepestBlock) tokens_.refuse("blocks are at most 12 deep");
      made.otherwise.push_back(condition(std::move(nested)));
      --depth_;
    } else if (tokens_.accept_word("else")) {
      made.otherwise = block();
    }
    return made;
  }

  TokenReader tokens_;
  Program program_;
  int depth_ = 0;
};

}  // namespace

Program parse(std::string_view source) {
  Program program = Parser(source).run();
  expand_functions(program);
  return program;
}

proto::DType dtype_of(const std::string& name) {
  static const std::unordered_map<std::string, proto::DType> names = {
      {"float", proto::FLOAT32},     {"float32", proto::FLOAT32},     {"f32", proto::FLOAT32},
      {"half", proto::FLOAT16},      {"float16", proto::FLOAT16},     {"f16", proto::FLOAT16},
      {"bfloat16", proto::BFLOAT16}, {"bfloat16_t", proto::BFLOAT16}, {"bf16", proto::BFLOAT16},
      {"int8", proto::INT8},         {"uint8", proto::UINT8},         {"int16", proto::INT16},
      {"int32", proto::INT32},       {"int64", proto::INT64},         {"bool", proto::BOOL}};
  const auto found = names.find(name);
  return found == names.end() ? proto::DTYPE_UNSPECIFIED : found->second;
}

std::string dtype_name(proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT32:
      return "float";
    case proto::FLOAT16:
      return "half";
    case proto::BFLOAT16:
      return "bfloat16";
    case proto::INT8:
      return "int8";
    case proto::UINT8:
      return "uint8";
    case proto::INT16:
      return "int16";
    case proto::INT32:
      return "int32";
    case proto::INT64:
      return "int64";
    case proto::BOOL:
      return "bool";
    default:
      return "an unknown type";
  }
}

}  // namespace kg::dsl
