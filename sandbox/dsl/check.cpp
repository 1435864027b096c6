#include "sandbox/dsl/check.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sandbox/dsl/check_expression.h"
#include "sandbox/dsl/constant.h"
#include "sandbox/dsl/copy_program.h"
#include "sandbox/dsl/parser.h"

namespace kg::sandbox::dsl {
namespace {

constexpr int kMostCores = 48;
constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;

// A variable begun with a whole number that later takes a number: the check begins again with it as a number.
struct Widen {
  std::string name;
};

class Checker {
 public:
  Checker(Checked& checked, const std::set<std::string>& numbers)
      : checked_(checked), numbers_(numbers), expressions_(checked.program.parameters, scope_) {}

  void run() {
    for (const auto& [name, value] : checked_.extents)
      scope_.add(name, {.type = {.kind = Type::Kind::kInt}, .fixed = true, .linear = Linear{.constant = value}});
    constant_name("num_programs", checked_.cores);
    scope_.add("program_id",
               {.type = {.kind = Type::Kind::kInt}, .fixed = true, .bounds = Bounds{0, checked_.cores - 1}});
    std::set<std::string> seen;
    for (const Parameter& parameter : checked_.program.parameters)
      if (!seen.insert(parameter.name).second || scope_.find(parameter.name) != nullptr)
        throw Refusal(parameter.line, parameter.name, "a parameter has a name of its own");
    count_assignments(checked_.program.body);
    scope_.open();
    block(checked_.program.body);
    scope_.close();
    bool stores = false;
    for (const Parameter& parameter : checked_.program.parameters)
      if (parameter.output && stored_.contains(parameter.name))
        stores = true;
      else if (parameter.output)
        throw Refusal(parameter.line, parameter.name, "this output is never stored to");
    if (!stores) throw Refusal(1, "kernel " + checked_.program.name, "a kernel stores to its outputs");
  }

 private:
  void constant_name(const std::string& name, std::int64_t value) {
    scope_.add(name, {.type = {.kind = Type::Kind::kInt}, .fixed = true, .linear = Linear{.constant = value}});
  }

  void count_assignments(const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      if (statement.kind == Statement::Kind::kAssign) ++assignments_[statement.name];
      count_assignments(statement.body);
      count_assignments(statement.otherwise);
    }
  }

  void block(std::vector<Statement>& body) {
    for (Statement& statement : body) check(statement);
  }

  void inner(std::vector<Statement>& body) {
    const bool top = std::exchange(expressions_.top_level, false);
    scope_.open();
    block(body);
    scope_.close();
    expressions_.top_level = top;
  }

  void check(Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::kAssign:
        return assign(statement);
      case Statement::Kind::kStore:
        return store(statement);
      case Statement::Kind::kFor:
        return loop(statement);
      case Statement::Kind::kIf:
        if (expressions_.check(*statement.value).kind != Type::Kind::kBool)
          refuse(*statement.value, "if takes a comparison of numbers; where(mask, a, b) chooses between tiles");
        inner(statement.body);
        inner(statement.otherwise);
        return;
      case Statement::Kind::kBuffer:
        return buffer(statement);
      case Statement::Kind::kTileSize:
        return tile_size(statement);
      case Statement::Kind::kLaunch:
        return launch(statement);
      case Statement::Kind::kBarrier:
        if (!expressions_.top_level)
          throw Refusal(statement.line, "barrier",
                        "every core must reach a barrier once, so it stands outside of loops and conditions");
        return;
    }
  }

  void require_free(const std::string& name, int line) {
    if (expressions_.parameter(name) >= 0)
      throw Refusal(line, name, name + " is a tensor in global memory; write it with store, or use another name");
    if (const Variable* found = scope_.find(name); found != nullptr && found->fixed)
      throw Refusal(line, name, name + " is an extent or a loop's variable and cannot be set");
  }

  void assign(Statement& statement) {
    require_free(statement.name, statement.line);
    if (!statement.op.empty()) {
      if (scope_.find(statement.name) == nullptr)
        throw Refusal(statement.line, statement.name + " " + statement.op + "= ...",
                      statement.name + " is not set before; begin with " + statement.name + " = 0.0 or a buffer");
      statement.value = operated(statement);
    }
    Type type = expressions_.check(*statement.value);
    if (type.kind == Type::Kind::kRange) refuse(*statement.value, "a tile range cannot be kept in a variable");
    if (type.kind == Type::Kind::kInt && numbers_.contains(statement.name)) type.kind = Type::Kind::kFloat;
    Variable* found = scope_.find(statement.name);
    if (found == nullptr) {
      Variable made{.type = type, .line = statement.line};
      if (type.kind == Type::Kind::kInt && assignments_[statement.name] == 1)
        made.linear = expressions_.linear(*statement.value);
      scope_.add(statement.name, made);
      statement.first = true;
    } else if (found->type.kind == Type::Kind::kInt && type.kind == Type::Kind::kFloat) {
      throw Widen{statement.name};
    } else if (!fits(found->type, type)) {
      throw Refusal(statement.line, statement.name + " = " + text_of(*statement.value),
                    statement.name + " is " + type_text(found->type) + " since line " + std::to_string(found->line) +
                        " and cannot become " + type_text(type));
    } else {
      type = found->type;
    }
    statement.type = type;
  }

  static bool fits(const Type& variable, const Type& value) {
    if (variable.kind == Type::Kind::kFloat && value.kind == Type::Kind::kInt) return true;
    if (variable.kind == Type::Kind::kTile && value.is_scalar()) return true;  // fills it
    return variable.kind == value.kind && variable.length == value.length &&
           (variable.kind != Type::Kind::kTile || variable.dtype == value.dtype);
  }

  // a op value, for a op= value.
  static ExprPtr operated(const Statement& statement) {
    auto name = std::make_shared<Expr>();
    name->kind = Expr::Kind::kName;
    name->line = statement.line;
    name->text = statement.name;
    auto made = std::make_shared<Expr>();
    made->kind = Expr::Kind::kBinary;
    made->line = statement.line;
    made->text = statement.op;
    made->args = {name, statement.value};
    return made;
  }

  void store(Statement& statement) {
    const std::string text = "store " + statement.name + text_of(statement.indices);
    const int tensor = expressions_.parameter(statement.name);
    if (tensor < 0) throw Refusal(statement.line, text, "there is no output " + statement.name);
    const Parameter& to = checked_.program.parameters[static_cast<std::size_t>(tensor)];
    if (!to.output) throw Refusal(statement.line, text, statement.name + " is an input; store writes outputs");
    statement.region = expressions_.region(tensor, statement.indices, /*has_pad=*/false, statement.line, text);
    const Type type = expressions_.check(*statement.value);
    stored_.insert(statement.name);
    if (statement.op == "+" && to.dtype != proto::FLOAT32)
      throw Refusal(statement.line, text, "store += adds to outputs of float only");
    if (!statement.op.empty()) throw Refusal(statement.line, text, "store writes with =, after the value is complete");
    const bool fills = to.dtype == proto::FLOAT32 || to.dtype == proto::FLOAT16 || to.dtype == proto::BFLOAT16 ||
                       to.dtype == proto::INT32 || to.dtype == proto::INT16;
    if (type.is_scalar() && !fills)
      throw Refusal(
          statement.line, text,
          "a number is stored to float, half, bfloat16, int32 or int16; this output is " + dtype_name(to.dtype));
    if (type.kind == Type::Kind::kFloat && (to.dtype == proto::INT32 || to.dtype == proto::INT16))
      throw Refusal(statement.line, text, "the value is no whole number; convert it with int(...)");
    if (type.is_scalar()) return;
    if (!type.is_tile())
      throw Refusal(statement.line, text,
                    "a tile or a number is stored, not " + type_text(type) +
                        (type.kind == Type::Kind::kMask ? "; make one with where(mask, 1.0, 0.0)" : ""));
    if (statement.region.element)
      throw Refusal(statement.line, text,
                    "one element is named and " + type_text(type) + " is stored; store a number, or name a slice");
    if (type.length != statement.region.length)
      throw Refusal(statement.line, text,
                    "the place has " +
                        type_text({.kind = Type::Kind::kTile, .dtype = to.dtype, .length = statement.region.length}) +
                        ", the value is " + type_text(type));
    if (!storable(type.dtype, to.dtype))
      throw Refusal(statement.line, text,
                    "a tile of " + text_dtype(type.dtype) + " cannot be stored to " + text_dtype(to.dtype) +
                        "; convert it, as in " +
                        (type.dtype == proto::INT32 || type.dtype == proto::INT16 ? "float" : "int32") + "(...)");
  }

  static std::string text_dtype(proto::DType dtype) {
    const std::string text = type_text({.kind = Type::Kind::kTile, .dtype = dtype, .length = {.constant = 1}});
    return text.substr(0, text.find('['));
  }

  static bool storable(proto::DType tile, proto::DType tensor) {
    if (tile == proto::INT32) return tensor == proto::INT32 || tensor == proto::INT64;
    if (tile == proto::INT16) return tensor == proto::INT16;
    return tensor != proto::INT32 && tensor != proto::INT64 && tensor != proto::INT16;
  }

  void loop(Statement& statement) {
    const std::string text = "for " + statement.items[0].name;
    if (statement.parallel && !expressions_.top_level)
      throw Refusal(
          statement.line, text,
          "cores(...) cuts the work of the whole kernel, so such a loop stands in no other loop or condition");
    std::vector<Variable> variables;
    for (LoopItem& item : statement.items) variables.push_back(loop_variable(item, statement));
    const bool top = std::exchange(expressions_.top_level, false);
    scope_.open();
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const std::string& name = statement.items[i].name;
      require_free(name, statement.line);
      if (scope_.find(name) != nullptr)
        throw Refusal(statement.line, text, name + " is set already; a loop's variable has a name of its own");
      scope_.add(name, variables[i]);
    }
    block(statement.body);
    scope_.close();
    expressions_.top_level = top;
  }

  Variable loop_variable(LoopItem& item, const Statement& statement) {
    const std::string text = "for " + item.name;
    Variable made{.line = statement.line, .fixed = true};
    if (expressions_.check(*item.hi).kind != Type::Kind::kInt) refuse(*item.hi, "the end of a loop is a whole number");
    const Linear high = expressions_.linear(*item.hi);
    if (!item.tiles) {
      made.type.kind = Type::Kind::kInt;
      Linear low;
      if (item.lo) {
        if (expressions_.check(*item.lo).kind != Type::Kind::kInt)
          refuse(*item.lo, "the begin of a loop is a whole number");
        low = expressions_.linear(*item.lo);
      }
      if (high.is_constant() && low.is_constant())
        made.bounds = Bounds{low.constant, std::max(low.constant, high.constant - 1)};
      if (statement.parallel && (!high.is_constant() || high.constant < 1))
        refuse(*item.hi, "what is cut over the cores is a constant of at least 1");
      item.total = high.constant;
      return made;
    }
    made.type.kind = Type::Kind::kRange;
    if (!high.is_constant() || high.constant < 1 || high.constant > kMostIndex)
      refuse(*item.hi, "tiles cuts a constant length of at least 1");
    item.total = high.constant;
    std::int64_t size = checked_.tile;
    if (item.tile)
      size = expressions_.constant(*item.tile, "a tile size");
    else
      checked_.free_tile = true;
    if (size < 1 || size > 65536)
      throw Refusal(statement.line, text, "a tile has 1 to 65536 elements, not " + std::to_string(size));
    size = std::min(size, high.constant);
    made.tile = size;
    made.bounds = Bounds{0, high.constant};
    if (high.constant % size == 0)
      made.type.length = {.constant = size};
    else
      made.type.length = {.factor = 1, .range = item.name};
    item.tile = std::make_shared<Expr>(Expr{
        .kind = Expr::Kind::kNumber, .line = statement.line, .number = static_cast<double>(size), .integer = true});
    item.tile->type.kind = Type::Kind::kInt;
    return made;
  }

  void buffer(Statement& statement) {
    const std::string text = "ub " + statement.name;
    require_free(statement.name, statement.line);
    if (scope_.find(statement.name) != nullptr)
      throw Refusal(statement.line, text, statement.name + " is set already; a buffer has a name of its own");
    const proto::DType dtype = statement.type.dtype;
    if (dtype != proto::FLOAT32 && dtype != proto::FLOAT16 && dtype != proto::INT32 && dtype != proto::INT16)
      throw Refusal(statement.line, text,
                    "the type of a buffer is float, half, int32 or int16; the vector unit computes in no other");
    const std::int64_t length = expressions_.constant(*statement.extent, "a buffer's length");
    if (length < 1 || length > 65536)
      throw Refusal(statement.line, text, "a buffer has 1 to 65536 elements, not " + std::to_string(length));
    statement.type.length = {.constant = length};
    if (!statement.value)
      throw Refusal(statement.line, text,
                    "a buffer begins with a value, as in ub " + statement.name + ": float[C] = 0");
    const Type value = expressions_.check(*statement.value);
    if (!fits(statement.type, value))
      throw Refusal(statement.line, text,
                    "the buffer is " + type_text(statement.type) + ", its first value " + type_text(value));
    scope_.add(statement.name, {.type = statement.type, .line = statement.line});
  }

  void tile_size(Statement& statement) {
    const std::string text = "tile " + statement.name;
    if (!expressions_.top_level)
      throw Refusal(statement.line, text, "a tile size is named outside of loops and conditions");
    require_free(statement.name, statement.line);
    std::int64_t size = checked_.tile;
    if (statement.value)
      size = expressions_.constant(*statement.value, "a tile size");
    else
      checked_.free_tile = true;
    if (size < 1 || size > 65536)
      throw Refusal(statement.line, text, "a tile has 1 to 65536 elements, not " + std::to_string(size));
    constant_name(statement.name, size);
    checked_.extents[statement.name] = size;
  }

  void launch(Statement& statement) {
    if (!expressions_.top_level || &statement != &checked_.program.body.front())
      throw Refusal(statement.line, "launch", "launch is the first statement of a kernel");
    const std::int64_t cores = expressions_.constant(*statement.value, "the number of cores");
    if (cores < 1 || cores > kMostCores)
      throw Refusal(statement.line, "launch", "a kernel runs on 1 to 48 cores, not " + std::to_string(cores));
    checked_.cores = static_cast<int>(std::min<std::int64_t>(cores, checked_.cores));
    constant_name("num_programs", checked_.cores);
  }

  Checked& checked_;
  const std::set<std::string>& numbers_;
  Scope scope_;
  ExpressionChecker expressions_;
  std::map<std::string, int> assignments_;
  std::set<std::string> stored_;
};

}  // namespace

Checked check(const Program& program, const Bindings& bindings, std::int64_t tile) {
  std::set<std::string> numbers;
  for (;;) {
    Checked checked;
    checked.program = program;
    checked.program.body = copied(program.body);
    checked.extents = bind(checked.program, bindings);
    checked.cores = checked.launched = std::min(std::max(bindings.cores, 1), kMostCores);
    checked.tile = tile;
    try {
      Checker(checked, numbers).run();
      return checked;
    } catch (const Widen& widen) {
      numbers.insert(widen.name);
    }
  }
}

}  // namespace kg::sandbox::dsl
