#include "dsl/flatten_copy.h"

#include "dsl/flatten_scalar.h"
#include "dsl/flatten_vector.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {

std::string extent_text(const Parameter& parameter, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t d = first; d < last; ++d) {
    const Expr& extent = *parameter.extents[d];
    const std::string each =
        extent.kind == Expr::Kind::kName ? cpp_name(extent.text) : std::to_string(parameter.shape[d]);
    text += (text.empty() ? "" : " * ") + each;
  }
  return text;
}

std::string offset_text(Flattening& flat, const Region& region, const std::vector<Index>& indices) {
  const Parameter& parameter = flat.form.tensor(region.tensor);
  Text sum{""};
  for (std::size_t d = 0; d < indices.size(); ++d) {
    // The extents after this index up to the next one; the last index covers all of them together.
    if (!sum.text.empty()) {
      const std::size_t last = d + 1 == indices.size() ? parameter.shape.size() : d + 1;
      sum = {wrapped(sum, kProduct) + " * " +
                 (last - d > 1 ? "(" + extent_text(parameter, d, last) + ")" : extent_text(parameter, d, last)),
             kProduct};
    }
    if (!indices[d].at) continue;
    const Text index = scalar_of(flat, *indices[d].at);
    if (index.text == "0") continue;
    sum = sum.text.empty() ? index : Text{sum.text + " + " + wrapped(index, kSum), kSum};
  }
  return sum.text.empty() ? "0" : sum.text;
}

Copy copy_of(Flattening& flat, const Region& region, const std::vector<Index>& indices) {
  Copy copy;
  copy.tensor = region.tensor;
  copy.offset = offset_text(flat, region, indices);
  copy.place = region.offset;
  copy.count = length_text(flat, region.length);
  copy.offset_unit = unit_of(flat, region.offset);
  copy.count_unit = region.element ? 1 : unit_of(flat, region.length);
  if (region.element) copy.count = "1";
  copy.padded = region.padded;
  if (region.padded) {
    copy.start = indices[region.vector].at ? scalar_of(flat, *indices[region.vector].at).text : "0";
    copy.extent = std::to_string(region.extent);
  }
  return copy;
}

int load_tile(Flattening& flat, const Expr& expr, int into) {
  const Parameter& from = flat.form.tensor(expr.region.tensor);
  Copy copy = copy_of(flat, expr.region, expr.indices);
  if (copy.padded) copy.pad = expr.pad ? scalar_of(flat, *expr.pad).text : "0";
  const int in = flat.new_tile(cpp_name(from.name) + "In", from.dtype, expr.region.length, Tile::Home::kIn);
  copy.tile = in;
  Step& made = flat.step(Step::Kind::kCopyIn, expr.line);
  made.result = in;
  made.elements = flat.form.tile(in).capacity;
  made.copy = copy;
  return convert(flat, in, expr.type, expr.type.dtype, expr.line, into);
}

}  // namespace kg::dsl
