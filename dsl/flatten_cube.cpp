#include "dsl/flatten_cube.h"

#include "dsl/flatten_copy.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {
namespace {

int matrix_tile(Flattening& flat, const std::string& name, const Type& type, Tile::Home home) {
  const int made = flat.new_tile(cpp_name(name), type.dtype, type.length, home);
  flat.form.tile(made).rows = longest(flat, type.rows);
  flat.form.tile(made).named = true;
  flat.scopes.back()[name] = {.tile = made};
  return made;
}

constexpr std::int64_t kMostPitch = 65535;  // srcDValue of Nd2NzParams has 16 bits

Copy matrix_of(Flattening& flat, const Region& region, const std::vector<Index>& indices) {
  Copy copy = copy_of(flat, region, indices);
  copy.rows = length_text(flat, region.rows);
  const Parameter& parameter = flat.form.tensor(region.tensor);
  copy.pitch = extent_text(parameter, indices.size() - 1, parameter.shape.size());
  return copy;
}

}  // namespace

void flatten_matrix(Flattening& flat, const Statement& statement) {
  Copy copy = matrix_of(flat, statement.region, statement.value->indices);
  copy.row_by_row = statement.region.pitch > kMostPitch;
  const int into = matrix_tile(flat, statement.name, statement.type, Tile::Home::kL1);
  copy.tile = into;
  Step& made = flat.step(Step::Kind::kCopyIn, statement.line);
  made.result = into;
  made.copy = copy;
}

void flatten_sums(Flattening& flat, const Statement& statement) {
  std::vector<int> sources;
  if (statement.value->kind == Expr::Kind::kLoad) {
    const Expr& from = *statement.value;
    Copy copy = copy_of(flat, from.region, from.indices);
    copy.rows = std::to_string(1);
    copy.pitch = copy.count;
    copy.tile = flat.new_tile(cpp_name(statement.name) + "Bias", proto::FLOAT32, from.region.length, Tile::Home::kBias);
    flat.form.tile(copy.tile).rows = 1;
    Step& fetch = flat.step(Step::Kind::kCopyIn, statement.line);
    fetch.result = copy.tile;
    fetch.copy = copy;
    sources = {copy.tile};
  }
  const int sums = matrix_tile(flat, statement.name, statement.type, Tile::Home::kL0c);
  for (const char* part : {"Table", "Begins"}) flat.used_names[flat.form.tile(sums).name + part] = 1;
  Step& begin = flat.step(Step::Kind::kSums, statement.line);
  begin.result = sums;
  begin.sources = sources;
  begin.n = length_text(flat, statement.type.length);
}

void flatten_gemm(Flattening& flat, const Statement& statement) {
  Step made;
  made.kind = Step::Kind::kGemm;
  made.line = statement.line;
  made.result = flat.name(statement.name).tile;
  for (const std::size_t i : {0u, 1u}) {
    const Expr& operand = *statement.value->args[i];
    made.turned[i] = operand.kind == Expr::Kind::kCall;
    made.sources.push_back(flat.name(made.turned[i] ? operand.args[0]->text : operand.text).tile);
  }
  flat.form.tile(made.sources[1]).right = true;
  const Type &a = statement.value->args[0]->type, &b = statement.value->args[1]->type;
  made.m = length_text(flat, a.rows);
  made.n = length_text(flat, b.length);
  made.k = length_text(flat, a.length);
  made.most_k = longest(flat, a.length);
  // Elements of four bytes are transposed in squares of 16 x 16, which want the rows in panels of 16.
  if (a.dtype == proto::FLOAT32)
    for (Step& each : flat.form.cube)
      if (each.kind == Step::Kind::kCopyIn &&
          ((made.turned[0] && each.result == made.sources[0]) || (!made.turned[1] && each.result == made.sources[1])))
        each.copy.panels = true;
  flat.form.cube.push_back(std::move(made));
}

void store_sums(Flattening& flat, const Statement& statement) {
  const Expr& value = *statement.value;
  const bool relu = value.kind == Expr::Kind::kCall;
  Copy copy = matrix_of(flat, statement.region, statement.indices);
  copy.tile = flat.name(relu ? value.args[0]->text : value.text).tile;
  copy.relu = relu;
  Step& made = flat.step(Step::Kind::kCopyOut, statement.line);
  made.sources = {copy.tile};
  made.copy = copy;
}

}  // namespace kg::dsl
