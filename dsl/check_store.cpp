#include "dsl/check_store.h"

#include "dsl/check_cube.h"
#include "dsl/check_expression.h"
#include "dsl/check_linear.h"
#include "dsl/check_region.h"
#include "dsl/parser.h"
#include "dsl/types.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kMostScratch = std::int64_t{1} << 32;

std::string text_dtype(proto::DType dtype) {
  const std::string text = type_text({.kind = Type::Kind::kTile, .dtype = dtype, .length = {.constant = 1}});
  return text.substr(0, text.find('['));
}

// Whole numbers to which only whole numbers can be stored; float is rounded to the smaller types.
bool is_wide_whole(proto::DType dtype) {
  return dtype == proto::INT16 || dtype == proto::INT32 || dtype == proto::INT64;
}

// The conversion that a store makes exists.
bool storable(proto::DType tile, proto::DType tensor) {
  if (tile == proto::INT32) return tensor == proto::INT32 || tensor == proto::INT64;
  if (tile == proto::INT16) return tensor == proto::INT16;
  return !is_wide_whole(tensor);
}

// Between barriers a core does not see what another one stores to scratch.
void note_store(Checking& in, const Parameter& to, int line, const std::string& text) {
  in.stored.insert(to.name);
  if (!to.scratch) return;
  in.stored_here.insert(to.name);
  if (in.loaded_here.contains(to.name))
    throw Refusal(line, text, to.name + " is loaded since the last barrier; put 'barrier' between load and store");
}

void note_loads(Checking& in, const Expr& expr) {
  for (const ExprPtr& arg : expr.args) note_loads(in, *arg);
  if (expr.kind != Expr::Kind::kLoad) return;
  const int tensor = parameter_of(in.seen, expr.text);
  if (tensor < 0 || !in.checked.program.parameters[static_cast<std::size_t>(tensor)].scratch) return;
  in.loaded_here.insert(expr.text);
  if (!in.stored.contains(expr.text)) refuse(expr, "nothing was stored to " + expr.text + " before");
  if (in.stored_here.contains(expr.text))
    refuse(expr, expr.text + " is stored since the last barrier; put 'barrier' between store and load");
}

}  // namespace

void note_loads(Checking& in, const Statement& statement) {
  if (statement.value) note_loads(in, *statement.value);
}

void pass_barrier(Checking& in) {
  in.stored_here.clear();
  in.loaded_here.clear();
}

void check_scratch(Checking& in, Statement& statement) {
  const std::string text = "scratch " + statement.name;
  if (!in.seen.top_level)
    throw Refusal(statement.line, text, "a scratch tensor is declared outside of loops and conditions");
  require_new(in, statement.name, statement.line, text, "a scratch tensor");
  Parameter made{.name = statement.name,
                 .dtype = statement.type.dtype,
                 .extents = statement.extents,
                 .line = statement.line,
                 .scratch = true};
  std::int64_t elements = 1;
  for (const ExprPtr& extent : statement.extents) {
    made.shape.push_back(constant_value(in.seen, *extent, "an extent of a scratch tensor"));
    if (made.shape.back() < 1 || made.shape.back() > kMostScratch || (elements *= made.shape.back()) > kMostScratch)
      throw Refusal(statement.line, text, "an extent is at least 1 and a scratch tensor at most 2^32 elements");
  }
  in.checked.program.parameters.push_back(std::move(made));
}

void check_store(Checking& in, Statement& statement) {
  const std::string text = "store " + statement.name + text_of(statement.indices);
  const int tensor = parameter_of(in.seen, statement.name);
  if (tensor < 0) throw Refusal(statement.line, text, "there is no output " + statement.name);
  const Parameter& to = in.checked.program.parameters[static_cast<std::size_t>(tensor)];
  if (!to.output && !to.scratch)
    throw Refusal(statement.line, text, statement.name + " is an input; store writes outputs");
  if (to.dtype == proto::FLOAT64)
    throw Refusal(statement.line, text,
                  "the vector unit has no double; a kernel can only read it, one number at a time");
  note_store(in, to, statement.line, text);
  if (in.cube.on) return check_store_sums(in, statement, to, text);
  statement.region = region_of(in.seen, tensor, statement.indices, /*has_pad=*/false, statement.line, text);
  const Type type = check_expression(in.seen, *statement.value);
  if (statement.op == "+" && to.dtype != proto::FLOAT32)
    throw Refusal(statement.line, text, "store += adds to outputs of float only");
  if (!statement.op.empty()) throw Refusal(statement.line, text, "store writes with =, after the value is complete");
  if (type.kind == Type::Kind::kFloat && is_wide_whole(to.dtype))
    throw Refusal(statement.line, text, "the value is not a whole number; convert it with int(...)");
  if (type.is_scalar()) return;
  if (!type.is_tile())
    throw Refusal(statement.line, text,
                  "a tile or a number is stored, not " + type_text(type) +
                      (type.kind == Type::Kind::kMask ? "; make one with where(mask, 1.0, 0.0)" : ""));
  if (statement.region.element)
    throw Refusal(statement.line, text,
                  "the place is one element and " + type_text(type) + " is stored; store a number, or name a slice");
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
