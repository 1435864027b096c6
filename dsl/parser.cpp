#include "dsl/parser.h"

#include <algorithm>

#include "dsl/expand_functions.h"
#include "dsl/parse_expression.h"
#include "dsl/parse_header.h"
#include "dsl/types.h"
#include "dsl/whole.h"
#include "dsl/within.h"

namespace kg::dsl {
namespace {

constexpr int kDeepestBlock = 12;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens, Prospect* prospect = nullptr) : tokens_(std::move(tokens), prospect) {}

  Program run() {
    parse_header(tokens_, program_);
    tokens_.accept_sign(":");
    end_line();
    begin_body();
    const bool indented = tokens_.at(Token::Kind::kIndent);
    if (indented) tokens_.take();
    // A body has a statement.
    while (program_.body.empty() || (!tokens_.at(Token::Kind::kEnd) && !tokens_.at(Token::Kind::kDedent))) {
      if (tokens_.peek().kind == Token::Kind::kEnd || tokens_.peek().kind == Token::Kind::kDedent) break;
      program_.body.push_back(statement());
    }
    if (indented && tokens_.at(Token::Kind::kDedent)) tokens_.take();
    if (!tokens_.at(Token::Kind::kEnd)) tokens_.refuse("a program is one kernel; nothing follows its body");
    if (program_.body.empty()) tokens_.refuse("a kernel has at least one statement");
    return std::move(program_);
  }

  // In a beginning: one statement, in a body that is there already.
  void run_statement(int depth) {
    depth_ = depth;
    first_ = false;
    const auto& words = tokens_.prospect()->words;
    for (const char* word : words) first_ |= std::string_view(word) == "launch";
    tokens_.prospect()->forget_questions();
    statement();
  }

 private:
  // A beginning's names from here on are those of the body.
  void begin_body() {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return;
    for (const char* name : {"num_programs", "program_id"}) prospect->add(name, Type::Kind::kInt, /*fixed=*/true);
    prospect->scope.open();
  }

  // In a beginning: `name` is visible from here on.
  void declare(const std::string& name, Type::Kind kind, bool fixed, bool product = false) {
    if (Prospect* const prospect = tokens_.prospect()) prospect->add(name, kind, fixed, product);
  }
  void note_position(const LoopItem& item) {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return;
    prospect->positions.erase(item.name);
    if (!item.list.empty()) prospect->positions.insert(item.name);
  }
  // A variable that is set: once its value is not a whole number, it never is.
  void set(const std::string& name, const Expr& value) {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return;
    const bool whole = may_be_whole(*prospect, value);
    prospect->add(name, whole ? Type::Kind::kNone : Type::Kind::kFloat, /*fixed=*/false);
    if (Variable* const found = prospect->scope.find(name); !whole && found->type.kind == Type::Kind::kNone)
      found->type.kind = Type::Kind::kFloat;
  }
  void declare_tensor(const Statement& made) {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return;
    prospect->inputs.insert(made.name);
    prospect->outputs.insert(made.name);
    if (!is_whole(made.type.dtype)) prospect->reals.insert(made.name);
    prospect->ranks[made.name] = static_cast<int>(made.extents.size());
  }
  Construct construct(const char* mark) { return {tokens_.prospect(), mark}; }

  void end_line() {
    if (tokens_.at(Token::Kind::kEnd)) return;
    if (!tokens_.at(Token::Kind::kNewline)) tokens_.refuse("the statement ends here; write one statement on each line");
    tokens_.take();
  }

  // `items`: of a loop, whose names the block sees. `written_out`: kWrittenOutBlock.
  std::vector<Statement> block(const std::vector<LoopItem>& items, bool written_out) {
    const Construct inside(tokens_.prospect(), std::string(1, written_out ? kWrittenOutBlock : kBlock));
    tokens_.accept_sign(":");
    end_line();
    if (!tokens_.at(Token::Kind::kIndent))
      tokens_.refuse("the lines of a loop or condition must be indented further than its head");
    if (++depth_ > kDeepestBlock) tokens_.refuse("blocks are at most 12 deep");
    tokens_.take();
    if (Prospect* const prospect = tokens_.prospect()) prospect->scope.open();
    for (const LoopItem& item : items) note_position(item);
    for (const LoopItem& item : items)
      declare(item.name, item.tiles ? Type::Kind::kRange : Type::Kind::kInt, /*fixed=*/true);
    std::vector<Statement> body{statement()};
    while (!tokens_.at(Token::Kind::kDedent) && !tokens_.at(Token::Kind::kEnd)) body.push_back(statement());
    if (tokens_.at(Token::Kind::kDedent)) tokens_.take();
    if (Prospect* const prospect = tokens_.prospect()) prospect->scope.close();
    --depth_;
    return body;
  }

  bool can_cut() const { return tokens_.prospect() == nullptr || tokens_.prospect()->may_cut(); }
  bool has_lists() const {
    const Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return true;
    return std::any_of(prospect->inputs.begin(), prospect->inputs.end(),
                       [&](const std::string& name) { return prospect->allows(NameUse::kList, name); });
  }
  // A condition that lowering decides.
  static bool is_given(const Expr& condition) {
    if (condition.kind == Expr::Kind::kCall) return condition.text == "given";
    return !condition.args.empty() && std::all_of(condition.args.begin(), condition.args.end(),
                                                  [](const ExprPtr& part) { return is_given(*part); });
  }

  // In a beginning, a statement that the checker would refuse for its place does not count.
  bool may_stand_here(bool right) const { return tokens_.prospect() == nullptr || right; }

  Statement statement() {
    Statement made;
    made.line = tokens_.line();
    if (tokens_.peek().kind == Token::Kind::kIndent)
      tokens_.refuse("only the lines of a loop or condition are indented further");
    if (may_stand_here(depth_ < kDeepestBlock)) {
      if (tokens_.accept_word("for")) return loop(std::move(made));
      if (tokens_.accept_word("if")) return condition(std::move(made));
    }
    if (tokens_.accept_word("store")) {
      const Construct inside = construct("s");
      made.kind = Statement::Kind::kStore;
      made.name = tokens_.expect_name("store takes a tensor with indices, as in store z[t] = a", NameUse::kStored);
      made.indices = parse_indices(tokens_, made.name);
      assigned_operator(made);
      if (Prospect* const prospect = tokens_.prospect()) prospect->unstored.erase(made.name);
    } else if (tokens_.accept_word("ub")) {
      buffer(made);
    } else if (declares("scratch")) {
      scratch(made);
    } else if (declares("l1")) {
      made.kind = Statement::Kind::kMatrix;
      made.name = tokens_.expect_name("a matrix is l1 NAME = load ..., as in l1 p = load a[m, k]", NameUse::kNew);
      tokens_.expect_sign("=", "a matrix is l1 NAME = load ..., as in l1 p = load a[m, k]");
      made.value = value();
      declare(made.name, Type::Kind::kMatrix, /*fixed=*/true);
    } else if (declares("l0c")) {
      product(made);
    } else if (may_stand_here(depth_ == 0) && tokens_.accept_word("barrier")) {
      made.kind = Statement::Kind::kBarrier;
    } else if (tokens_.accept_word("tile")) {
      made.kind = Statement::Kind::kTileSize;
      made.name = tokens_.expect_name("a tile size has a name, as in tile T or tile T = 2048", NameUse::kNew);
      if (tokens_.accept_sign("=")) made.value = parse_whole(tokens_);
      declare(made.name, Type::Kind::kInt, /*fixed=*/true);
    } else if (may_stand_here(depth_ == 0 && program_.body.empty() && first_) && tokens_.accept_word("launch")) {
      made.kind = Statement::Kind::kLaunch;
      made.value = parse_whole(tokens_);
    } else {
      made.name = tokens_.expect_name(
          "a statement is an assignment, store, ub, l1, l0c, scratch, for, if, tile, launch or barrier",
          NameUse::kTarget);
      if (tokens_.is_sign("[")) tokens_.refuse("a tensor is written with: store " + made.name + "[...] = value");
      if (tokens_.is_sign(",")) tokens_.refuse("one variable is assigned at a time");
      assigned_operator(made);
      const bool gemm = made.value->kind == Expr::Kind::kCall && made.value->text == "gemm";
      if (gemm && made.op == "+") made.kind = Statement::Kind::kGemm;
      set(made.name, *made.value);
    }
    end_line();
    return made;
  }

  // = or += and its like, and the value.
  void assigned_operator(Statement& made) {
    // A variable that the beginning has not set cannot be added to.
    const Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr || prospect->scope.find(made.name) != nullptr)
      for (const char* op : {"+=", "-=", "*=", "/="})
        if (tokens_.accept_sign(op)) made.op = std::string(1, op[0]);
    if (made.op.empty()) tokens_.expect_sign("=", "an assignment is NAME = value");
    if (tokens_.prospect() != nullptr) tokens_.prospect()->takes_gemm = made.op == "+" && takes_product(made.name);
    made.value = value();
  }

  // Behind =, to the end of the line.
  ExprPtr value() {
    const Construct inside = construct("=");
    return parse_expression(tokens_);
  }

  // In a beginning: `name` is a product, and there is a matrix to multiply.
  bool takes_product(const std::string& name) const {
    const Scope& scope = tokens_.prospect()->scope;
    const Variable* const sums = scope.find(name);
    bool matrix = false;
    for (const std::string& other : scope.names())
      if (const Variable* found = scope.find(other); found != nullptr)
        matrix |= found->type.kind == Type::Kind::kMatrix && !found->type.product;
    return matrix && sums != nullptr && sums->type.product;
  }

  // The word at the begin of a declaration, which a name follows: it may be a variable's name elsewhere.
  bool declares(const char* word) {
    if (!tokens_.at_word(word) || !tokens_.name_follows(NameUse::kNew)) return false;
    tokens_.take();
    return true;
  }

  void extents(Statement& made, const char* rule) {
    tokens_.expect_sign("[", rule);
    const Construct inside = construct("e");
    const Within indices(tokens_.prospect(), &Prospect::indices, 1);
    do {
      made.extents.push_back(parse_whole(tokens_));
    } while (tokens_.accept_sign(","));
    tokens_.expect_sign("]", rule);
  }

  void scratch(Statement& made) {
    const Construct inside = construct("x");
    constexpr const char* kRule = "a scratch tensor is scratch NAME: TYPE[extents], as in scratch s: float[M, N]";
    made.kind = Statement::Kind::kScratch;
    made.name = tokens_.expect_name(kRule, NameUse::kTensor);
    tokens_.expect_sign(":", kRule);
    made.type.dtype = parse_type(tokens_, kRule);
    extents(made, kRule);
    declare_tensor(made);
  }

  void product(Statement& made) {
    const Construct inside = construct("c");
    constexpr const char* kRule = "sums are l0c NAME: float[rows, columns] = 0, as in l0c c: float[m, n] = 0";
    made.kind = Statement::Kind::kProduct;
    made.name = tokens_.expect_name(kRule, NameUse::kNew);
    tokens_.expect_sign(":", kRule);
    made.type.dtype = parse_type(tokens_, kRule);
    extents(made, kRule);
    tokens_.expect_sign("=", kRule);
    made.value = value();
    declare(made.name, Type::Kind::kMatrix, /*fixed=*/false, /*product=*/true);
  }

  void buffer(Statement& made) {
    const Construct declared = construct("d");
    made.kind = Statement::Kind::kBuffer;
    made.name = tokens_.expect_name("a buffer is ub NAME: TYPE[length], as in ub acc: float[C] = 0", NameUse::kNew);
    tokens_.expect_sign(":", "a buffer is ub NAME: TYPE[length], as in ub acc: float[C] = 0");
    made.type.kind = Type::Kind::kTile;
    made.type.dtype = parse_type(tokens_, "the type of a buffer is float, half, int32 or int16");
    tokens_.expect_sign("[", "a buffer has one length, as in float[C]");
    {
      const Construct inside = construct("u");
      made.extent = parse_whole(tokens_);
      tokens_.expect_sign("]", "a buffer has one length, as in float[C]");
    }
    if (tokens_.accept_sign("=")) made.value = value();
    declare(made.name, is_real(made.type.dtype) ? Type::Kind::kFloat : Type::Kind::kTile, /*fixed=*/false);
  }

  Statement loop(Statement made) {
    made.kind = Statement::Kind::kFor;
    Construct head = construct("l");
    std::vector<std::string> names;
    do {
      names.push_back(tokens_.expect_name("a loop is for NAME in cores(...), tiles(...), range(...) or tensors(...)",
                                          NameUse::kNew));
    } while (may_stand_here(can_cut()) && tokens_.accept_sign(","));
    if (!tokens_.accept_word("in"))
      tokens_.refuse("a loop is for NAME in cores(...), tiles(...), range(...) or tensors(...)");
    const bool counts = tokens_.prospect() != nullptr;  // a beginning has as many ranges as names
    if (may_stand_here(can_cut()) && tokens_.accept_word("cores")) {
      head.becomes("lc");
      cores(made, names.size());
    } else if ((!counts || names.size() == 1) && tokens_.at_word("tiles")) {
      LoopItem item;
      tiles(item);
      made.items.push_back(std::move(item));
    } else if ((!counts || names.size() == 1) && has_lists() && tokens_.accept_word("tensors")) {
      LoopItem item;
      head.becomes("lt");
      tokens_.expect_sign("(", "tensors takes the name of a list, as in for i in tensors(x)");
      item.list = tokens_.expect_name("tensors takes the name of a list, as in for i in tensors(x)", NameUse::kList);
      tokens_.expect_sign(")", "the call of tensors ends with )");
      made.items.push_back(std::move(item));
    } else if ((!counts || names.size() == 1) && tokens_.accept_word("range")) {
      LoopItem item;
      Construct part = construct("R");
      tokens_.expect_sign("(", "range takes an end, or a start and an end");
      item.hi = parse_whole(tokens_);
      if (tokens_.accept_sign(",")) {
        part.becomes("r");
        item.lo = item.hi;
        item.hi = parse_whole(tokens_);
      }
      tokens_.expect_sign(")", "the call of range ends with )");
      made.items.push_back(std::move(item));
    } else {
      tokens_.refuse("a loop runs over cores(...), tiles(...), range(...) or tensors(...)");
    }
    if (names.size() != made.items.size())
      throw Refusal(made.line, "for",
                    std::to_string(names.size()) + " names for " + std::to_string(made.items.size()) +
                        " ranges; give one name for each");
    for (std::size_t i = 0; i < names.size(); ++i) made.items[i].name = names[i];
    head.becomes("");
    made.body = block(made.items, /*written_out=*/!made.items[0].list.empty());
    return made;
  }

  // The ranges of a loop of `names` names.
  void cores(Statement& made, std::size_t names) {
    const bool counts = tokens_.prospect() != nullptr;
    made.parallel = true;
    tokens_.expect_sign("(", "cores takes the length to cut over the cores, as in cores(R) or cores(tiles(N))");
    Construct left = construct("");
    do {
      if (counts) left.becomes("F" + std::to_string(names - made.items.size()));
      LoopItem item;
      if (tokens_.at_word("tiles"))
        tiles(item);
      else
        item.hi = parse_whole(tokens_);
      made.items.push_back(std::move(item));
    } while ((!counts || made.items.size() < names) && tokens_.accept_sign(","));
    if (counts && made.items.size() < names) tokens_.expect_sign(",", "a range for each name");
    tokens_.expect_sign(")", "the call of cores ends with )");
  }

  void tiles(LoopItem& item) {
    tokens_.take();
    item.tiles = true;
    Construct part = construct("T");
    tokens_.expect_sign("(", "tiles takes a length, or a length and a tile size");
    item.hi = parse_whole(tokens_);
    if (tokens_.accept_sign(",")) {
      part.becomes("t");
      item.tile = parse_whole(tokens_);
    }
    tokens_.expect_sign(")", "the call of tiles ends with )");
  }

  Statement condition(Statement made) {
    made.kind = Statement::Kind::kIf;
    {
      const Construct inside = construct("i");
      made.value = parse_expression(tokens_);
    }
    const bool written_out = is_given(*made.value);
    made.body = block({}, written_out);
    if (may_stand_here(depth_ + 1 < kDeepestBlock) && tokens_.at_word("elif")) {
      Statement nested;
      nested.line = tokens_.line();
      tokens_.take();
      if (++depth_ > kDeepestBlock) tokens_.refuse("blocks are at most 12 deep");
      made.otherwise.push_back(condition(std::move(nested)));
      --depth_;
    } else if (tokens_.accept_word("else")) {
      made.otherwise = block({}, written_out);
    }
    return made;
  }

  TokenReader tokens_;
  Program program_;
  int depth_ = 0;
  bool first_ = true;  // the body has no statement yet, as far as that is known
};

}  // namespace

void foresee_statement(std::vector<Token> tokens, Prospect& prospect, int depth) {
  try {
    Parser(std::move(tokens), &prospect).run_statement(depth);
  } catch (const AtCut&) {
    return;
  }
}

void foresee(std::vector<Token> tokens, Prospect& prospect) {
  try {
    Parser(std::move(tokens), &prospect).run();
  } catch (const AtCut&) {
    return;
  }
}

Program parse(std::string_view source) {
  Program program = Parser(tokenise(source)).run();
  expand_functions(program);
  return program;
}

}  // namespace kg::dsl
