#include <set>

#include "policy/text/jinja_lexer.h"
#include "policy/text/jinja_syntax.h"

namespace kg::policy::jinja {
namespace {

ExpressionPtr make(Expression::Kind kind, std::string name = "", Json literal = nullptr) {
  auto e = std::make_unique<Expression>();
  e->kind = kind;
  e->name = std::move(name);
  e->literal = std::move(literal);
  return e;
}

template <typename... Parts>
ExpressionPtr make_of(Expression::Kind kind, std::string name, Parts... parts) {
  ExpressionPtr e = make(kind, std::move(name));
  (e->parts.push_back(std::move(parts)), ...);
  return e;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : tokens_(tokenise(text)) {}

  Block run() {
    Block block = parse_block({});
    if (peek().kind != Token::kEndOfTemplate) fail("the template continues after its end", peek().line);
    return block;
  }

 private:
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token take() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  bool is(Token::Kind kind, const std::string& text) const { return peek().kind == kind && peek().text == text; }
  bool accept(const std::string& sign) {
    if (!is(Token::kSign, sign)) return false;
    take();
    return true;
  }
  bool accept_word(const std::string& word) {
    if (!is(Token::kName, word)) return false;
    take();
    return true;
  }
  void expect(const std::string& sign) {
    if (!accept(sign)) fail("\"" + sign + "\" was expected, \"" + peek().text + "\" is there", peek().line);
  }
  std::string name() {
    if (peek().kind != Token::kName) fail("a name was expected, \"" + peek().text + "\" is there", peek().line);
    return take().text;
  }
  void end_of_tag() {
    if (peek().kind != Token::kEnd) fail("the tag should end before \"" + peek().text + "\"", peek().line);
    take();
  }

  // Statements up to one of the words of `ends`, which is left for the caller (its block begin is taken).
  Block parse_block(const std::set<std::string>& ends) {
    Block block;
    while (peek().kind != Token::kEndOfTemplate) {
      if (peek().kind == Token::kText) {
        Statement text{.kind = Statement::kText};
        text.text = take().text;
        block.push_back(std::move(text));
      } else if (peek().kind == Token::kOutputBegin) {
        take();
        Statement output{.kind = Statement::kOutput};
        output.value = expression();
        end_of_tag();
        block.push_back(std::move(output));
      } else {
        take();  // the begin of a block
        if (ends.count(peek().text) != 0) return block;
        parse_statement(block);
      }
    }
    for (const std::string& end : ends)
      if (end.starts_with("end")) fail("\"" + end + "\" is missing", peek().line);
    return block;
  }

  void finish(const std::string& word) {
    if (!accept_word(word)) fail("\"" + word + "\" was expected, \"" + peek().text + "\" is there", peek().line);
    end_of_tag();
  }

  void parse_statement(Block& block) {
    const int line = peek().line;
    const std::string word = name();
    if (word == "generation") {  // marks the assistant's text for masks; writes it unchanged
      end_of_tag();
      for (Statement& inner : parse_block({"endgeneration"})) block.push_back(std::move(inner));
      finish("endgeneration");
      return;
    }
    Statement statement;
    if (word == "set") {
      statement = parse_set();
    } else if (word == "if") {
      statement = parse_if();
    } else if (word == "for") {
      statement = parse_for();
    } else if (word == "macro") {
      statement = parse_macro();
    } else if (word == "break" || word == "continue") {
      statement.kind = word == "break" ? Statement::kBreak : Statement::kContinue;
      end_of_tag();
    } else {
      fail("the statement \"" + word + "\" is not supported", line);
    }
    block.push_back(std::move(statement));
  }

  std::vector<std::string> target_names() {
    std::vector<std::string> names;
    const bool bracketed = accept("(");
    do names.push_back(name());
    while (accept(","));
    if (bracketed) expect(")");
    return names;
  }

  Statement parse_set() {
    Statement set{.kind = Statement::kSet};
    set.targets = target_names();
    if (accept(".")) set.attribute = name();
    if (accept("=")) {
      set.value = tuple();
      end_of_tag();
    } else {
      end_of_tag();
      set.body = parse_block({"endset"});
      finish("endset");
    }
    return set;
  }

  Statement parse_if() {
    Statement statement{.kind = Statement::kIf};
    ExpressionPtr condition = expression();
    while (true) {
      end_of_tag();
      Block body = parse_block({"elif", "else", "endif"});
      statement.branches.emplace_back(std::move(condition), std::move(body));
      if (accept_word("elif")) {
        condition = expression();
      } else if (accept_word("else")) {
        condition = nullptr;
      } else {
        finish("endif");
        return statement;
      }
    }
  }

  Statement parse_for() {
    Statement loop{.kind = Statement::kFor};
    loop.targets = target_names();
    if (!accept_word("in")) fail("\"in\" was expected", peek().line);
    loop.value = disjunction();
    if (accept_word("if")) loop.condition = expression();
    if (is(Token::kName, "recursive")) fail("a recursive loop is not supported", peek().line);
    end_of_tag();
    loop.body = parse_block({"else", "endfor"});
    if (accept_word("else")) {
      end_of_tag();
      loop.otherwise = parse_block({"endfor"});
    }
    finish("endfor");
    return loop;
  }

  Statement parse_macro() {
    Statement macro{.kind = Statement::kMacro};
    macro.text = name();
    expect("(");
    while (!accept(")")) {
      Argument parameter{.name = name(), .value = nullptr};
      if (accept("=")) parameter.value = expression();
      macro.parameters.push_back(std::move(parameter));
      if (!is(Token::kSign, ")")) expect(",");
    }
    end_of_tag();
    macro.body = parse_block({"endmacro"});
    finish("endmacro");
    return macro;
  }

  ExpressionPtr tuple() {
    ExpressionPtr first = expression();
    if (!is(Token::kSign, ",")) return first;
    ExpressionPtr list = make_of(Expression::kList, "", std::move(first));
    while (accept(",")) list->parts.push_back(expression());
    return list;
  }

  ExpressionPtr expression() {
    ExpressionPtr value = disjunction();
    while (accept_word("if")) {
      ExpressionPtr condition = disjunction();
      ExpressionPtr other = accept_word("else") ? expression() : nullptr;
      value = make_of(Expression::kCondition, "", std::move(value), std::move(condition), std::move(other));
    }
    return value;
  }
  ExpressionPtr disjunction() {
    ExpressionPtr left = conjunction();
    while (accept_word("or")) left = make_of(Expression::kBinary, "or", std::move(left), conjunction());
    return left;
  }
  ExpressionPtr conjunction() {
    ExpressionPtr left = negation();
    while (accept_word("and")) left = make_of(Expression::kBinary, "and", std::move(left), negation());
    return left;
  }
  ExpressionPtr negation() {
    if (accept_word("not")) return make_of(Expression::kUnary, "not", negation());
    return comparison();
  }
  ExpressionPtr comparison() {
    ExpressionPtr left = sum();
    while (true) {
      const Token next = peek();
      const std::set<std::string> signs{"==", "!=", "<", ">", "<=", ">="};
      if (next.kind == Token::kSign && signs.count(next.text) != 0) {
        take();
        left = make_of(Expression::kBinary, next.text, std::move(left), sum());
      } else if (accept_word("in")) {
        left = make_of(Expression::kBinary, "in", std::move(left), sum());
      } else if (is(Token::kName, "not") && peek(1).kind == Token::kName && peek(1).text == "in") {
        take();
        take();
        left = make_of(Expression::kUnary, "not", make_of(Expression::kBinary, "in", std::move(left), sum()));
      } else {
        return left;
      }
    }
  }
  ExpressionPtr binary(const std::set<std::string>& signs, ExpressionPtr (Parser::*operand)()) {
    ExpressionPtr left = (this->*operand)();
    while (peek().kind == Token::kSign && signs.count(peek().text) != 0) {
      const std::string sign = take().text;
      left = make_of(Expression::kBinary, sign, std::move(left), (this->*operand)());
    }
    return left;
  }
  ExpressionPtr sum() { return binary({"+", "-"}, &Parser::joined); }
  ExpressionPtr joined() { return binary({"~"}, &Parser::product); }
  ExpressionPtr product() { return binary({"*", "/", "//", "%"}, &Parser::signed_value); }

  ExpressionPtr signed_value() {
    if (accept("-")) return make_of(Expression::kUnary, "-", signed_value());
    if (accept("+")) return signed_value();
    ExpressionPtr value = primary();
    while (true) {
      if (accept("|")) {
        ExpressionPtr filter = make_of(Expression::kFilter, name(), std::move(value));
        if (accept("(")) filter->arguments = call_arguments();
        value = followed(std::move(filter));
      } else if (accept_word("is")) {
        const bool negated = accept_word("not");
        ExpressionPtr test = make_of(Expression::kTest, name(), std::move(value));
        if (accept("(")) test->arguments = call_arguments();
        value = negated ? make_of(Expression::kUnary, "not", std::move(test)) : std::move(test);
      } else {
        return value;
      }
    }
  }

  std::vector<Argument> call_arguments() {
    std::vector<Argument> arguments;
    while (!accept(")")) {
      Argument argument;
      if (peek().kind == Token::kName && peek(1).kind == Token::kSign && peek(1).text == "=") {
        argument.name = name();
        take();
      }
      argument.value = expression();
      arguments.push_back(std::move(argument));
      if (!is(Token::kSign, ")")) expect(",");
    }
    return arguments;
  }

  ExpressionPtr primary() {
    const Token token = take();
    ExpressionPtr value;
    if (token.kind == Token::kString) {
      std::string text = token.text;
      while (peek().kind == Token::kString) text += take().text;
      value = make(Expression::kLiteral, "", text);
    } else if (token.kind == Token::kNumber) {
      const bool whole = token.text.find_first_of(".eE") == std::string::npos;
      value = make(Expression::kLiteral, "", whole ? Json(std::stoll(token.text)) : Json(std::stod(token.text)));
    } else if (token.kind == Token::kName) {
      const std::string& n = token.text;
      if (n == "true" || n == "True" || n == "false" || n == "False")
        value = make(Expression::kLiteral, "", n == "true" || n == "True");
      else if (n == "none" || n == "None")
        value = make(Expression::kLiteral);
      else
        value = make(Expression::kName, n);
    } else if (token.text == "(") {
      if (accept(")")) {
        value = make(Expression::kList);
      } else {
        value = tuple();
        expect(")");
      }
    } else if (token.text == "[") {
      value = make(Expression::kList);
      while (!accept("]")) {
        value->parts.push_back(expression());
        if (!is(Token::kSign, "]")) expect(",");
      }
    } else if (token.text == "{") {
      value = make(Expression::kDictionary);
      while (!accept("}")) {
        value->parts.push_back(expression());
        expect(":");
        value->parts.push_back(expression());
        if (!is(Token::kSign, "}")) expect(",");
      }
    } else {
      fail("\"" + token.text + "\" begins no value", token.line);
    }
    return followed(std::move(value));
  }

  // Attributes, indices, slices and calls after a value.
  ExpressionPtr followed(ExpressionPtr value) {
    while (true) {
      if (accept(".")) {
        value = make_of(Expression::kAttribute, name(), std::move(value));
      } else if (accept("(")) {
        value = make_of(Expression::kCall, "", std::move(value));
        value->arguments = call_arguments();
      } else if (accept("[")) {
        ExpressionPtr bounds[3];
        int colons = 0;
        while (!accept("]")) {
          if (accept(":")) {
            if (++colons > 2) fail("a slice has too many bounds", peek().line);
          } else {
            bounds[colons] = expression();
          }
        }
        if (colons == 0 && bounds[0] == nullptr) fail("an index is missing", peek().line);
        value = colons == 0 ? make_of(Expression::kIndex, "", std::move(value), std::move(bounds[0]))
                            : make_of(Expression::kSlice, "", std::move(value), std::move(bounds[0]),
                                      std::move(bounds[1]), std::move(bounds[2]));
      } else {
        return value;
      }
    }
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

Block parse(const std::string& text) {
  const bool line_break_at_end = !text.empty() && text.back() == '\n';
  return Parser(line_break_at_end ? text.substr(0, text.size() - 1) : text).run();
}

}  // namespace kg::policy::jinja
