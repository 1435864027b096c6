#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kg::policy::jinja {

using Json = nlohmann::ordered_json;  // keys keep their order, as a Python dictionary's do

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Argument {
  std::string name;  // "" if given by position
  ExpressionPtr value;
};

struct Expression {
  enum Kind {
    kLiteral,     // literal
    kName,        // name
    kList,        // parts
    kDictionary,  // parts: key, value, key, value, ...
    kUnary,       // name: not, -; parts[0]
    kBinary,      // name: the operator; parts[0], parts[1]
    kCondition,   // parts: value, condition, other value (null if absent)
    kAttribute,   // parts[0], name
    kIndex,       // parts[0][parts[1]]
    kSlice,       // parts[0][parts[1]:parts[2]:parts[3]], null where absent
    kCall,        // parts[0](arguments)
    kFilter,      // parts[0] | name(arguments)
    kTest,        // parts[0] is name(arguments)
  };
  Kind kind;
  std::string name;
  Json literal;
  std::vector<ExpressionPtr> parts;
  std::vector<Argument> arguments;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum Kind {
    kText,    // text
    kOutput,  // value
    kSet,     // targets (a name, several, or name and attribute) = value, or = what the body writes
    kIf,      // branches; the last may have no condition
    kFor,     // targets in value, only where `condition`; body; otherwise
    kMacro,   // text: its name; parameters; body
    kBreak,
    kContinue,
  };
  Kind kind;
  std::string text;
  ExpressionPtr value, condition;
  std::vector<std::string> targets;
  std::string attribute;  // attribute of targets[0]
  std::vector<Argument> parameters;
  std::vector<std::pair<ExpressionPtr, Block>> branches;
  Block body, otherwise;
};

// Reads a template like Hugging Face's environment (trim_blocks and lstrip_blocks on). Throws Error with the line,
// naming what is unsupported or malformed.
Block parse(const std::string& text);

}  // namespace kg::policy::jinja
