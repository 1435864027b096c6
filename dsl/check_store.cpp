#include "dsl/checker.h"
#include "dsl/parser.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kMostScratch = std::int64_t{1} << 28;

std::string text_dtype(proto::DType dtype) {
  const std::string text = type_text({.kind = Type::Kind::kTile, .dtype = dtype, .length = {.constant = 1}});
  return text.substr(0, text.find('['));
}

// The conversion that a store makes exists.
bool storable(proto::DType tile, proto::DType tensor) {
  if (tile == proto::INT32) return tensor == proto::INT32 || tensor == proto::INT64;
  if (tile == proto::INT16) return tensor == proto::INT16;
  return tensor != proto::INT32 && tensor != proto::INT64 && tensor != proto::INT16;
}

}  // namespace

void Checker::scratch(Statement& statement) {
  const std::string text = "scratch " + statement.name;
  if (!expressions_.top_level)
    throw Refusal(statement.line, text, "a scratch tensor is declared outside of loops and conditions");
  require_new(statement.name, statement.line, text, "a scratch tensor");
  Parameter made{.name = statement.name,
                 .dtype = statement.type.dtype,
                 .extents = statement.extents,
                 .line = statement.line,
                 .scratch = true};
  std::int64_t elements = 1;
  for (const ExprPtr& extent : statement.extents) {
    made.shape.push_back(expressions_.constant(*extent, "an extent of a scratch tensor"));
    if (made.shape.back() < 1 || made.shape.back() > kMostScratch || (elements *= made.shape.back()) > kMostScratch)
      throw Refusal(statement.line, text, "an extent is at least 1 and a scratch tensor at most 2^28 elements");
  }
  checked_.program.parameters.push_back(std::move(made));
}

// Between barriers a core does not see what another one stores to scratch.
void Checker::note_store(const Parameter& to, int line, const std::string& text) {
  stored_.insert(to.name);
  if (!to.scratch) return;
  stored_here_.insert(to.name);
  if (loaded_here_.contains(to.name))
    throw Refusal(line, text, to.name + " is loaded since the last barrier; put 'barrier' between load and store");
}

void Checker::note_loads(const Statement& statement) {
  if (statement.value) note_loads(*statement.value);
}

void Checker::note_loads(const Expr& expr) {
  for (const ExprPtr& arg : expr.args) note_loads(*arg);
  if (expr.kind != Expr::Kind::kLoad) return;
  const int tensor = expressions_.parameter(expr.text);
  if (tensor < 0 || !checked_.program.parameters[static_cast<std::size_t>(tensor)].scratch) return;
  loaded_here_.insert(expr.text);
  if (!stored_.contains(expr.text)) refuse(expr, "nothing is stored to " + expr.text + " before");
  if (stored_here_.contains(expr.text))
    refuse(expr, expr.text + " is stored since the last barrier; put 'barrier' between store and load");
}

void Checker::store(Statement& statement) {
  const std::string text = "store " + statement.name + text_of(statement.indices);
  const int tensor = expressions_.parameter(statement.name);
  if (tensor < 0) throw Refusal(statement.line, text, "there is no output " + statement.name);
  const Parameter& to = checked_.program.parameters[static_cast<std::size_t>(tensor)];
  if (!to.output && !to.scratch)
    throw Refusal(statement.line, text, statement.name + " is an input; store writes outputs");
  note_store(to, statement.line, text);
  if (on_cube_) return store_product(statement, to, text);
  statement.region = expressions_.region(tensor, statement.indices, /*has_pad=*/false, statement.line, text);
  const Type type = expressions_.check(*statement.value);
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

}  // namespace kg::dsl
