#include "dsl/check_cube.h"

#include <algorithm>
#include <utility>

#include "dsl/check_expression.h"
#include "dsl/check_linear.h"
#include "dsl/check_loop.h"
#include "dsl/check_region.h"
#include "dsl/check_statement.h"
#include "dsl/check_store.h"
#include "dsl/element.h"
#include "dsl/parser.h"
#include "dsl/types.h"

namespace kg::dsl {
namespace {

bool is_matrix_type(proto::DType dtype) {
  return dtype == proto::FLOAT16 || dtype == proto::BFLOAT16 || dtype == proto::FLOAT32;
}

std::string shape_text(const Length& rows, const Length& columns) {
  return "[" + length_text(rows) + ", " + length_text(columns) + "]";
}

bool is_cube_work(const Statement& statement) {
  return statement.kind == Statement::Kind::kMatrix || statement.kind == Statement::Kind::kProduct ||
         statement.kind == Statement::Kind::kGemm;
}

// Which dimension of the product each range cuts: l0c names rows and columns, and other ranges of l1 are summed over.
void find_roles(Checking& in, const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    if (statement.kind == Statement::Kind::kProduct && statement.extents.size() == 2)
      for (const std::size_t i : {0u, 1u})
        if (statement.extents[i]->kind == Expr::Kind::kName)
          in.cube.roles[statement.extents[i]->text] = i == 0 ? 'm' : 'n';
    find_roles(in, statement.body);
  }
  for (const Statement& statement : body)
    if (statement.kind == Statement::Kind::kMatrix)
      for (const Index& index : statement.value->indices)
        if (index.at && !index.slice && index.at->kind == Expr::Kind::kName) in.cube.roles.emplace(index.at->text, 'k');
}

void check_matrix(Checking& in, Statement& statement) {
  Expr& load = *statement.value;
  const std::string text = "l1 " + statement.name;
  require_new(in, statement.name, statement.line, text, "a matrix");
  if (load.kind != Expr::Kind::kLoad || load.pad || load.native)
    throw Refusal(statement.line, text, "a matrix is loaded from GM unchanged, as in l1 p = load a[m, k]");
  const int tensor = parameter_of(in.seen, load.text);
  if (tensor < 0) refuse(load, "there is no input " + load.text);
  const Parameter& from = in.checked.program.parameters[static_cast<std::size_t>(tensor)];
  if (from.output) refuse(load, load.text + " is an output; load reads inputs");
  if (!is_matrix_type(from.dtype))
    refuse(load, "the cube cores multiply half, bfloat16 and float here, not " + dtype_name(from.dtype));
  statement.region = matrix_region(in.seen, tensor, load.indices, statement.line, text_of(load));
  statement.type = {.kind = Type::Kind::kMatrix,
                    .dtype = from.dtype,
                    .length = statement.region.length,
                    .rows = statement.region.rows};
  GemmLoop& loop = in.checked.gemm_loops.back();
  loop.bytes = std::max(loop.bytes, element_bytes(from.dtype));
  in.cube.panels.erase(statement.name);
  in.seen.scope.add(statement.name, {.type = statement.type, .line = statement.line});
}

// An extent of l0c: a tile range, or a constant.
Length extent_of(Checking& in, Expr& expr, const std::string& text) {
  const Type type = check_expression(in.seen, expr);
  if (type.kind == Type::Kind::kRange) return type.length;
  if (type.kind != Type::Kind::kInt)
    throw Refusal(expr.line, text, "rows and columns are tile ranges or whole numbers, not " + type_text(type));
  return length_of(in.seen, linear(in.seen, expr), expr.line, text);
}

void check_sums(Checking& in, Statement& statement) {
  const std::string text = "l0c " + statement.name;
  require_new(in, statement.name, statement.line, text, "a matrix of sums");
  if (statement.type.dtype != proto::FLOAT32) throw Refusal(statement.line, text, "the cube cores sum in float");
  if (statement.extents.size() != 2) throw Refusal(statement.line, text, "a matrix has rows and columns");
  const Length rows = extent_of(in, *statement.extents[0], text), columns = extent_of(in, *statement.extents[1], text);
  statement.type = {.kind = Type::Kind::kMatrix, .length = columns, .rows = rows, .product = true};
  Expr& begin = *statement.value;
  if (begin.kind == Expr::Kind::kLoad) {
    const int tensor = parameter_of(in.seen, begin.text);
    const Type type = check_expression(in.seen, begin);
    if (in.checked.program.parameters[static_cast<std::size_t>(tensor)].dtype != proto::FLOAT32 || !type.is_tile() ||
        type.length != columns || begin.pad)
      refuse(begin, "sums begin with 0, or with a row of float as long as theirs: " + length_text(columns));
  } else if (begin.kind != Expr::Kind::kNumber || begin.number != 0) {
    refuse(begin, "sums begin with 0, or with a row of float, as in l0c c: float[m, n] = load bias[n]");
  }
  in.cube.products[statement.name] = {.depth = in.seen.scope.depth()};
  in.seen.scope.add(statement.name, {.type = statement.type, .line = statement.line});
}

// p, or transpose(p).
Type operand_type(Checking& in, Expr& expr) {
  const bool turned = expr.kind == Expr::Kind::kCall && expr.text == "transpose" && expr.args.size() == 1;
  Expr& name = turned ? *expr.args[0] : expr;
  if (name.kind != Expr::Kind::kName) refuse(expr, "gemm takes matrices in L1, as in gemm(p, transpose(q))");
  Type type = check_expression(in.seen, name);
  if (type.kind != Type::Kind::kMatrix || type.product)
    refuse(expr, "gemm takes matrices in L1, not " + type_text(type) + "; load it with l1");
  if (turned) std::swap(type.rows, type.length);
  expr.type = type;
  return type;
}

void check_gemm(Checking& in, Statement& statement) {
  const std::string text = statement.name + " += " + text_of(*statement.value);
  const auto fail = [&](const std::string& rule) { throw Refusal(statement.line, text, rule); };
  Variable* sums = in.seen.scope.find(statement.name);
  if (sums == nullptr || !sums->type.product)
    fail("gemm is added to sums in L0C; begin with l0c " + statement.name + ": float[m, n] = 0");
  if (statement.value->args.size() != 2) fail("gemm takes two matrices");
  const Type a = operand_type(in, *statement.value->args[0]), b = operand_type(in, *statement.value->args[1]),
             c = sums->type;
  if (a.dtype != b.dtype)
    fail("the matrices are " + dtype_name(a.dtype) + " and " + dtype_name(b.dtype) + "; the cube takes one type");
  if (a.length != b.rows || a.rows != c.rows || b.length != c.length)
    fail(shape_text(a.rows, a.length) + " times " + shape_text(b.rows, b.length) + " does not give " +
         shape_text(c.rows, c.length) + "; the first has the rows, the second the columns, of the sums");
  for (const std::size_t i : {0u, 1u}) {
    const Expr& each = *statement.value->args[i];
    const bool turned = each.kind == Expr::Kind::kCall;
    const bool panels = a.dtype == proto::FLOAT32 && turned == (i == 0);
    const std::string& name = turned ? each.args[0]->text : each.text;
    if (const auto [known, is_new] = in.cube.panels.emplace(name, panels); !is_new && known->second != panels)
      fail(name + " of float is in L1 in one order of its elements only; load it once for each order");
  }
  CubeLoop::Product& product = in.cube.products[statement.name];
  if (product.stored) fail(statement.name + " was stored already; its last gemm must come before its first store");
  product.summed = true;
}

}  // namespace

bool has_cube_work(const std::vector<Statement>& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& statement) {
    return is_cube_work(statement) || has_cube_work(statement.body) || has_cube_work(statement.otherwise);
  });
}

void check_cube_loop(Checking& in, Statement& statement) {
  statement.cube = true;
  in.checked.gemm_loops.emplace_back();
  in.cube.roles.clear();
  in.cube.products.clear();
  find_roles(in, statement.body);
  in.seen.scope.hide(in.seen.scope.depth());
  in.cube.on = true;
  in.seen.scope.open();
  add_constant(in, "num_programs", in.checked.groups);
  in.seen.scope.add("program_id",
                    {.type = {.kind = Type::Kind::kInt}, .fixed = true, .bounds = Bounds{0, in.checked.groups - 1}});
  const bool top = std::exchange(in.seen.top_level, false);
  std::vector<Variable> variables;
  for (LoopItem& item : statement.items) {
    variables.push_back(loop_variable(in, item, statement));
    if (!item.tiles) in.checked.gemm_loops.back().outer *= variables.back().bounds->count();
  }
  check_body(in, statement, variables);
  in.seen.top_level = top;
  in.cube.on = false;
  in.seen.scope.close();
  in.seen.scope.hide(0);
}

void check_cube_statement(Checking& in, Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::kFor:
      return check_loop(in, statement);
    case Statement::Kind::kStore:
      return check_store(in, statement);
    case Statement::Kind::kMatrix:
      return check_matrix(in, statement);
    case Statement::Kind::kProduct:
      return check_sums(in, statement);
    case Statement::Kind::kGemm:
      return check_gemm(in, statement);
    case Statement::Kind::kAssign:
      if (statement.op.empty() && check_expression(in.seen, *statement.value).kind == Type::Kind::kInt &&
          statement.value->kind != Expr::Kind::kLoad)
        return check_assignment(in, statement);
      break;
    default:
      break;
  }
  throw Refusal(statement.line, statement.name.empty() ? "statement" : statement.name,
                "a loop with gemm runs on the cube cores, which know l1, l0c, gemm, store, for and whole numbers; put "
                "the rest into a loop of its own, after a scratch tensor and a barrier");
}

void check_store_sums(Checking& in, Statement& statement, const Parameter& to, const std::string& text) {
  const auto fail = [&](const std::string& rule) { throw Refusal(statement.line, text, rule); };
  if (!statement.op.empty()) fail("store writes with =, after the value is complete");
  Expr& value = *statement.value;
  const bool relu = value.kind == Expr::Kind::kCall && value.text == "relu" && value.args.size() == 1;
  Expr& name = relu ? *value.args[0] : value;
  if (name.kind != Expr::Kind::kName)
    fail("the cube cores store sums, or relu of sums; compute the rest on the vector cores, after a scratch tensor");
  const Type type = check_expression(in.seen, name);
  if (!type.product) fail("a loop with gemm stores sums in L0C, not " + type_text(type));
  value.type = type;
  if (!is_matrix_type(to.dtype)) fail("sums are stored to float, half or bfloat16, not " + dtype_name(to.dtype));
  CubeLoop::Product& product = in.cube.products[name.text];
  if (!product.summed) fail(name.text + " has no gemm before this store");
  if (product.depth != in.seen.scope.depth())
    fail(name.text + " must be stored in the block that declares it, after the loop that sums it up");
  product.stored = true;
  const int tensor = parameter_of(in.seen, to.name);
  statement.region = matrix_region(in.seen, tensor, statement.indices, statement.line, text);
  if (statement.region.rows != type.rows || statement.region.length != type.length)
    fail("the place is " + shape_text(statement.region.rows, statement.region.length) + ", the value " +
         shape_text(type.rows, type.length));
}

}  // namespace kg::dsl
