#include "dsl/flatten.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {

std::string Flattener::extent_text(const Parameter& parameter, std::size_t first, std::size_t last) const {
  std::string text;
  for (std::size_t d = first; d < last; ++d) {
    const Expr& extent = *parameter.extents[d];
    const std::string each =
        extent.kind == Expr::Kind::kName ? cpp_name(extent.text) : std::to_string(parameter.shape[d]);
    text += (text.empty() ? "" : " * ") + each;
  }
  return text;
}

std::string Flattener::offset_text(const Region& region, const std::vector<Index>& indices) {
  const Parameter& parameter = form_.tensor(region.tensor);
  Text sum{"", 100};
  for (std::size_t d = 0; d < indices.size(); ++d) {
    // What stands behind this index: the extents up to the next one, which the last index takes together.
    if (!sum.text.empty()) {
      const std::size_t last = d + 1 == indices.size() ? parameter.shape.size() : d + 1;
      sum = {wrapped(sum, 6) + " * " +
                 (last - d > 1 ? "(" + extent_text(parameter, d, last) + ")" : extent_text(parameter, d, last)),
             6};
    }
    if (!indices[d].at) continue;
    const Text index = scalar(*indices[d].at);
    if (index.text == "0") continue;
    sum = sum.text.empty() ? index : Text{sum.text + " + " + wrapped(index, 5), 5};
  }
  return sum.text.empty() ? "0" : sum.text;
}

Copy Flattener::copy_of(const Region& region, const std::vector<Index>& indices) {
  Copy copy;
  copy.tensor = region.tensor;
  copy.offset = offset_text(region, indices);
  copy.place = region.offset;
  copy.count = length_text(region.length);
  copy.offset_unit = unit_of(region.offset);
  copy.count_unit = region.element ? 1 : unit_of(region.length);
  if (region.element) copy.count = "1";
  copy.padded = region.padded;
  if (region.padded) {
    copy.start = indices[region.vector].at ? scalar(*indices[region.vector].at).text : "0";
    copy.extent = std::to_string(region.extent);
  }
  return copy;
}

int Flattener::load(const Expr& expr, int into) {
  const Parameter& from = form_.tensor(expr.region.tensor);
  Copy copy = copy_of(expr.region, expr.indices);
  if (copy.padded) copy.pad = expr.pad ? scalar(*expr.pad).text : "0";
  const int in = new_tile(cpp_name(from.name) + "In", from.dtype, expr.region.length, Tile::Home::kIn);
  copy.tile = in;
  Step& made = step(Step::Kind::kCopyIn, expr.line);
  made.result = in;
  made.elements = form_.tile(in).capacity;
  made.copy = copy;
  return convert(in, expr.type, expr.type.dtype, expr.line, into);
}

}  // namespace kg::dsl
