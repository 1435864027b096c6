#include "dsl/check_region.h"

#include <optional>

#include "dsl/check_expression.h"
#include "dsl/check_linear.h"
#include "dsl/element.h"
#include "dsl/types.h"

namespace kg::dsl {
namespace {

// The part of its dimension that one index selects.
struct Span {
  Linear start;
  Length length{.constant = 1};
  std::optional<Bounds> first, last;  // bounds of its first element, and of the element after its last
  bool vector = false;                // a tile range or slice
  bool outside = false;
};

Span span(Visible& seen, Index& index, std::int64_t extent, bool has_pad, int line, const std::string& text) {
  const auto fail = [&](const std::string& rule) { throw Refusal(line, text, rule); };
  Span made;
  if (index.step) fail("a step is for tiles in UB: load the whole piece, then slice the tile");
  if (index.slice && !index.at && !index.to) {
    // The length of a flattened tile depends on all of its parts.
    made.length.constant = extent;
  } else if (index.slice) {
    check_slice(seen, index, extent, made.start, made.length, line, text);
  } else {
    const Type type = check_expression(seen, *index.at);
    if (type.kind != Type::Kind::kInt && type.kind != Type::Kind::kRange)
      fail("an index is a whole number, a tile range or a slice, not " + type_text(type));
    made.start = linear(seen, *index.at);
    if (type.kind == Type::Kind::kRange) made.length = type.length;
  }
  Linear stop = made.start;
  stop.constant += made.length.constant;
  if (made.length.factor != 0) stop.terms["len " + made.length.range] += made.length.factor;
  made.first = bounds(seen, made.start);
  made.last = bounds(seen, stop);
  made.outside = (made.first && made.first->low < 0) || (made.last && made.last->high > extent);
  made.vector = index.slice || made.length.factor != 0 || (index.at && index.at->type.kind == Type::Kind::kRange);
  if (made.outside && !(has_pad && made.vector))
    fail("the index goes from " + std::to_string(made.first ? made.first->low : 0) + " to " +
         (made.last ? std::to_string(made.last->high - 1) : "beyond the end") + ", the dimension from 0 to " +
         std::to_string(extent - 1) +
         (made.vector ? "; shorten it, or load with 'pad VALUE'"
                      : "; shorten the loop: range(max(first, 0), min(last, extent))"));
  return made;
}

std::vector<std::int64_t> extents_of(const Parameter& parameter, std::size_t indices, int line,
                                     const std::string& text) {
  if (indices > parameter.shape.size())
    throw Refusal(line, text,
                  std::to_string(indices) + " indices are given, " + parameter.name + " has " +
                      std::to_string(parameter.shape.size()) + " dimensions");
  std::vector<std::int64_t> extents(parameter.shape.begin(),
                                    parameter.shape.begin() + static_cast<std::ptrdiff_t>(indices));
  for (std::size_t d = indices; d < parameter.shape.size(); ++d) extents.back() *= parameter.shape[d];
  return extents;
}

}  // namespace

void check_slice(Visible& seen, Index& index, std::int64_t extent, Linear& start, Length& length, int line,
                 const std::string& text) {
  int ranges = 0;
  for (const ExprPtr& end : {index.at, index.to}) {
    if (!end) continue;
    const Type type = check_expression(seen, *end);
    if (type.kind != Type::Kind::kInt && type.kind != Type::Kind::kRange)
      throw Refusal(line, text, "the ends of a slice are whole numbers, or tile ranges");
    ranges += type.kind == Type::Kind::kRange ? 1 : 0;
  }
  if (ranges == 1)
    throw Refusal(line, text,
                  "a slice goes from a number to a number, or from one tile range to another, as in t - 1:t + 1");
  if (index.at) start = linear(seen, *index.at);
  Linear stop{.constant = extent};
  if (index.to) stop = linear(seen, *index.to);
  // From the first element of the one range to the last of the other.
  if (ranges == 2) stop.add(linear_of(index.to->type.length), 1);
  length = length_of(seen, stop.add(start, -1), line, text);
}

Region matrix_region(Visible& seen, int tensor, std::vector<Index>& indices, int line, const std::string& text) {
  const Parameter& parameter = seen.parameters[static_cast<std::size_t>(tensor)];
  const auto fail = [&](const std::string& rule) { throw Refusal(line, text, rule); };
  const std::vector<std::int64_t> extents = extents_of(parameter, indices.size(), line, text);
  if (indices.size() < 2) fail("a matrix has rows and columns: its last two indices are tile ranges or slices");
  Region region{.tensor = tensor, .pitch = extents.back()};
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0; stride *= extents[d]) {
    const Span part = span(seen, indices[d], extents[d], /*has_pad=*/false, line, text);
    const bool of_matrix = d + 2 >= indices.size();
    if (part.vector != of_matrix)
      fail(of_matrix ? "the last two indices of a matrix are tile ranges or slices"
                     : "every index before a matrix's rows and columns must be a whole number");
    if (d + 1 == indices.size()) region.length = part.length;
    if (d + 2 == indices.size()) region.rows = part.length;
    region.offset.add(part.start, stride);
  }
  return region;
}

Region region_of(Visible& seen, int tensor, std::vector<Index>& indices, bool has_pad, int line,
                 const std::string& text) {
  const Parameter& parameter = seen.parameters[static_cast<std::size_t>(tensor)];
  const auto fail = [&](const std::string& rule) { throw Refusal(line, text, rule); };
  // The last index runs over all dimensions that are left, as one.
  const std::vector<std::int64_t> extents = extents_of(parameter, indices.size(), line, text);
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t d = extents.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * extents[d];

  Region region{.tensor = tensor, .element = true};
  for (std::size_t d = 0; d < indices.size(); ++d) {
    Index& index = indices[d];
    const bool all = index.slice && !index.at && !index.to;
    if (!region.element && !all)
      fail("every index after a range or slice must be ':', so that the elements are contiguous");
    const Span part = span(seen, index, extents[d], has_pad, line, text);
    const auto& [start, length, first, last, vector, outside] = part;
    if (vector && region.element) {
      region.element = false;
      region.vector = d;
      region.length = {
          .constant = length.constant * strides[d], .factor = length.factor * strides[d], .range = length.range};
      region.padded = has_pad && (outside || !first || !last);
      const std::int64_t most = 32 / element_bytes(parameter.dtype);
      if (region.padded && (!first || !last))
        fail("the reach of a padded load must be known at compile time: give its loops constant ends");
      if (region.padded && (-first->low > most || last->high - extents[d] > most))
        fail("a padded load reaches at most 32 bytes outside, " + std::to_string(most) + " elements; this one from " +
             std::to_string(first->low) + " to " + std::to_string(last->high - 1));
      region.start = start;
      region.extent = extents[d];
    }
    region.offset.add(start, strides[d]);
  }
  if (has_pad && region.element) fail("pad is for tiles; a single element must lie inside");
  if (region.padded && region.vector + 1 != indices.size()) fail("only the last index may reach outside the tensor");
  if (!region.element && region.length.factor == 0 && region.length.constant > seen.longest_tile)
    fail("a tile has at most 65536 elements, this one " + std::to_string(region.length.constant) +
         "; cut it with tiles(...)");
  return region;
}

}  // namespace kg::dsl
