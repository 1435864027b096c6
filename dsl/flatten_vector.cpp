#include "dsl/flatten_vector.h"

#include <algorithm>
#include <set>

#include "dsl/constant.h"

namespace kg::dsl {
namespace {

// Calls of the high-level library, which want room for intermediate values.
bool is_library(const std::string& op) {
  static const std::set<std::string> kCalls = {"Erf", "Sin", "Cos", "Floor", "Ceil", "Round", "Trunc"};
  return kCalls.contains(op);
}

}  // namespace

int result_tile(Flattening& flat, const Type& type, int into) {
  if (into >= 0) return into;
  if (type.kind != Type::Kind::kMask) return flat.new_tile("", type.dtype, type.length, Tile::Home::kWork);
  // One bit per element; comparisons write whole repeats.
  const std::int64_t bytes = align_up(longest(flat, type.length), 256) / 8;
  return flat.new_tile("", proto::UINT8, {.constant = bytes}, Tile::Home::kWork);
}

int operation(Flattening& flat, const std::string& op, const Type& type, std::vector<int> sources,
              std::vector<std::string> scalars, int line, int into, bool in_place) {
  // An instruction that reads in another order than it writes cannot overwrite its source.
  const bool crosses = op == "Gather" || is_library(op);
  const auto is_into = [&](int source) { return flat.form.root(source) == into; };
  if (crosses && into >= 0 && std::any_of(sources.begin(), sources.end(), is_into)) {
    const int apart = operation(flat, op, type, std::move(sources), std::move(scalars), line, -1, in_place);
    return operation(flat, "Copy", type, {apart}, {}, line, into, /*in_place=*/false);
  }
  const int result = result_tile(flat, type, into);
  Step& each = flat.step(Step::Kind::kVector, line);
  each.op = op;
  each.result = result;
  each.sources = std::move(sources);
  each.scalars = std::move(scalars);
  each.count = length_text(flat, type.length);
  each.elements = longest(flat, type.length);
  each.in_place = in_place;
  return result;
}

int filled(Flattening& flat, const Type& type, const std::string& value, int line, int into) {
  return operation(flat, "Duplicate", type, {}, {value}, line, into);
}

int convert(Flattening& flat, int source, const Type& type, proto::DType to, int line, int into) {
  const proto::DType from = flat.form.tile(source).dtype;
  const auto cast = [&](int tile, proto::DType target, const char* mode, int where) {
    Type result = type;
    result.dtype = target;
    return operation(flat, "Cast", result, {tile}, {mode}, line, where, /*in_place=*/false);
  };
  if (from == to) {
    Type same = type;
    same.dtype = to;
    return into < 0 || into == source ? source
                                      : operation(flat, "Copy", same, {source}, {}, line, into, /*in_place=*/false);
  }
  const bool small = to == proto::INT8 || to == proto::UINT8 || to == proto::BOOL;
  const bool from_small = from == proto::INT8 || from == proto::UINT8 || from == proto::BOOL;
  if (small)
    return cast(from == proto::FLOAT16 ? source : cast(source, proto::FLOAT16, "CAST_RINT", -1), to, "CAST_RINT", into);
  if (from_small) {
    const int middle = cast(source, proto::FLOAT16, "CAST_NONE", to == proto::FLOAT16 ? into : -1);
    return to == proto::FLOAT16 ? middle : convert(flat, middle, type, to, line, into);
  }
  if (from == proto::FLOAT16 && to == proto::BFLOAT16)
    return cast(cast(source, proto::FLOAT32, "CAST_NONE", -1), to, "CAST_RINT", into);
  if (from == proto::INT16 && to == proto::INT32)
    return cast(cast(source, proto::FLOAT32, "CAST_NONE", -1), to, "CAST_RINT", into);
  if ((from == proto::INT32 || from == proto::INT16) && to == proto::FLOAT16)
    return cast(cast(source, proto::FLOAT32, "CAST_NONE", -1), to, "CAST_RINT", into);
  const bool to_whole = to == proto::INT32 || to == proto::INT16 || to == proto::INT64;
  const bool from_whole = from == proto::INT32 || from == proto::INT16 || from == proto::INT64;
  const bool narrows = to == proto::FLOAT16 || to == proto::BFLOAT16 || (from == proto::INT32 && to == proto::FLOAT32);
  const char* mode = to_whole && !from_whole ? "CAST_TRUNC" : narrows ? "CAST_RINT" : "CAST_NONE";
  return cast(source, to, mode, into);
}

}  // namespace kg::dsl
