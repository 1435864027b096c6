#include "dataset/cot/modules/pass_domain.h"

#include <set>
#include <vector>

namespace kg::dataset::cot::modules {
namespace {

void join(std::string& text, const std::string& part, const char* between = ", ") {
  if (!part.empty()) text += (text.empty() ? "" : between) + part;
}

PassDomain over_all(const Shape& whole) {
  PassDomain domain{.reduced_shape = "1", .reduced_at = "0", .kept_shape = "1", .kept_at = "0"};
  std::string elements;
  for (std::size_t i = 0; i < whole.size(); ++i) join(domain.full_shape, extent_letter(i)), join(elements, extent_letter(i), " * ");
  domain.loop = "for t in cores(tiles(" + elements + ")):";
  domain.elements = whole.size() > 1 ? "(" + elements + ")" : elements;
  domain.full_at = "t";
  return domain;
}

PassDomain over_axis(const Shape& whole, std::size_t axis) {
  PassDomain domain{.total = false, .axis = axis, .elements = extent_letter(axis)};
  std::string names, cuts, inner, places;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    join(domain.full_shape, extent_letter(i));
    join(domain.kept_shape, i == axis ? "1" : extent_letter(i));
    if (i != axis) join(domain.reduced_shape, extent_letter(i));
    if (i < axis) join(names, "i" + std::to_string(i)), join(cuts, extent_letter(i));
    if (i > axis) join(inner, extent_letter(i), " * ");
  }
  places = names;
  join(names, "t"), join(cuts, "tiles(" + inner + ")");
  domain.outer = "for " + names + " in cores(" + cuts + "):";
  domain.loop = "for d in range(" + extent_letter(axis) + "):";
  domain.full_at = domain.kept_at = domain.reduced_at = places;
  join(domain.full_at, "d, t"), join(domain.kept_at, "0, t"), join(domain.reduced_at, "t");
  return domain;
}

}  // namespace

std::string extent_letter(std::size_t axis) { return std::string(1, static_cast<char>('A' + axis)); }

std::optional<PassDomain> pass_domain(const TracedPrompt& prompt) {
  std::set<std::vector<std::int64_t>> found;
  static const std::set<std::string> losses = {"mse_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy"};
  for (const TracedLine& line : prompt.lines) {
    auto axes = reduced_axes(line);
    if (losses.contains(line.op)) axes = std::vector<std::int64_t>{};
    if (!axes) continue;
    const auto of = prompt.shapes.find(line.given[0]);
    if (of == prompt.shapes.end() || count_of(of->second) != count_of(prompt.whole)) return std::nullopt;
    if (axes->size() == of->second.size()) axes->clear();
    if (!axes->empty() && of->second != prompt.whole) return std::nullopt;
    found.insert(*axes);
  }
  if (found.size() != 1) return std::nullopt;
  if (found.begin()->empty()) return over_all(prompt.whole);
  if (found.begin()->size() != 1) return std::nullopt;
  const auto axis = static_cast<std::size_t>(found.begin()->front());
  if (axis + 1 >= prompt.whole.size()) return std::nullopt;
  return over_axis(prompt.whole, axis);
}

}  // namespace kg::dataset::cot::modules
