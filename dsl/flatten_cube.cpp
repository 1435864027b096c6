#include "dsl/constant.h"
#include "dsl/flatten.h"
#include "dsl/scalar_text.h"

// Statements of the cube cores.
namespace kg::dsl {

int Flattener::matrix_tile(const std::string& name, const Type& type, Tile::Home home) {
  const int made = new_tile(cpp_name(name), type.dtype, type.length, home);
  form_.tile(made).rows = longest(type.rows);
  form_.tile(made).named = true;
  scopes_.back()[name] = {.tile = made};
  return made;
}

Copy Flattener::matrix_of(const Region& region, const std::vector<Index>& indices) {
  Copy copy = copy_of(region, indices);
  copy.rows = length_text(region.rows);
  const Parameter& parameter = form_.tensor(region.tensor);
  copy.pitch = extent_text(parameter, indices.size() - 1, parameter.shape.size());
  return copy;
}

void Flattener::matrix(const Statement& statement) {
  Copy copy = matrix_of(statement.region, statement.value->indices);
  const int into = matrix_tile(statement.name, statement.type, Tile::Home::kL1);
  copy.tile = into;
  Step& made = step(Step::Kind::kCopyIn, statement.line);
  made.result = into;
  made.copy = copy;
}

void Flattener::product(const Statement& statement) {
  std::vector<int> sources;
  if (statement.value->kind == Expr::Kind::kLoad) {
    const Expr& from = *statement.value;
    Copy copy = copy_of(from.region, from.indices);
    copy.rows = "1";
    copy.pitch = copy.count;
    copy.tile = new_tile(cpp_name(statement.name) + "Bias", proto::FLOAT32, from.region.length, Tile::Home::kBias);
    form_.tile(copy.tile).rows = 1;
    Step& fetch = step(Step::Kind::kCopyIn, statement.line);
    fetch.result = copy.tile;
    fetch.copy = copy;
    sources = {copy.tile};
  }
  const int sums = matrix_tile(statement.name, statement.type, Tile::Home::kL0c);
  for (const char* part : {"Table", "Begins"}) used_names_[form_.tile(sums).name + part] = 1;
  Step& begin = step(Step::Kind::kSums, statement.line);
  begin.result = sums;
  begin.sources = sources;
  begin.n = length_text(statement.type.length);
}

void Flattener::gemm(const Statement& statement) {
  Step made;
  made.kind = Step::Kind::kGemm;
  made.line = statement.line;
  made.result = name(statement.name).tile;
  for (const std::size_t i : {0u, 1u}) {
    const Expr& operand = *statement.value->args[i];
    made.turned[i] = operand.kind == Expr::Kind::kCall;
    made.sources.push_back(name(made.turned[i] ? operand.args[0]->text : operand.text).tile);
  }
  form_.tile(made.sources[1]).right = true;
  const Type &a = statement.value->args[0]->type, &b = statement.value->args[1]->type;
  made.m = length_text(a.rows);
  made.n = length_text(b.length);
  made.k = length_text(a.length);
  made.most_k = longest(a.length);
  // Elements of four bytes are transposed in squares of 16 x 16, which want the rows in panels of 16.
  if (a.dtype == proto::FLOAT32)
    for (Step& each : form_.cube)
      if (each.kind == Step::Kind::kCopyIn &&
          ((made.turned[0] && each.result == made.sources[0]) || (!made.turned[1] && each.result == made.sources[1])))
        each.copy.panels = true;
  form_.cube.push_back(std::move(made));
}

void Flattener::store_product(const Statement& statement) {
  const Expr& value = *statement.value;
  const bool relu = value.kind == Expr::Kind::kCall;
  Copy copy = matrix_of(statement.region, statement.indices);
  copy.tile = name(relu ? value.args[0]->text : value.text).tile;
  copy.relu = relu;
  Step& made = step(Step::Kind::kCopyOut, statement.line);
  made.sources = {copy.tile};
  made.copy = copy;
}

}  // namespace kg::dsl
