#include "dataset/translation/view_sizes.h"

#include <algorithm>

namespace kg::dataset::translation {

std::vector<SizeId> ViewSizes::rejoined(std::vector<SizeId> sizes) const {
  for (auto split = splits_.rbegin(); split != splits_.rend(); ++split) {
    const auto found = std::search(sizes.begin(), sizes.end(), split->into.begin(), split->into.end(),
                                   [&](SizeId one, SizeId other) { return sizes_.are_equal(one, other); });
    if (found == sizes.end()) continue;
    const auto at = sizes.erase(found, found + static_cast<std::ptrdiff_t>(split->into.size()));
    sizes.insert(at, split->of.begin(), split->of.end());
  }
  return sizes;
}

// Of the last axis of two, `from`, a part for each of some heads, of which the axis in front of it has as many more:
// (batch, width) as (batch * heads, width / heads). Empty: the view is another.
std::vector<SizeId> ViewSizes::heads(const std::vector<SizeId>& from, const std::vector<std::int64_t>& to) {
  if (from.size() != 2 || to.size() != 2) return {};
  const std::int64_t batch = sizes_.number(from[0]), width = sizes_.number(from[1]);
  if (to[0] % batch != 0 || width % to[1] != 0 || to[0] <= batch) return {};
  const SizeId count = sizes_.literal(to[0] / batch);
  const SizeId part = sizes_.derived(to[1], "{" + std::to_string(from[1]) + "} // {" + std::to_string(count) + "}");
  splits_.push_back({.of = {from[1]}, .into = {count, part}});
  return {sizes_.product({from[0], count}), part};
}

// The elements of some axes as several others. The first axis that is not written as a small number follows from the
// others.
std::vector<SizeId> ViewSizes::split(const std::vector<SizeId>& from, const std::vector<std::int64_t>& to) {
  if (std::vector<SizeId> found = heads(from, to); !found.empty()) return found;
  const std::size_t open = static_cast<std::size_t>(std::max_element(to.begin(), to.end()) - to.begin());
  std::int64_t others = 1;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (i != open) others *= to[i];
  // An axis is a known one only where as many elements come behind it.
  const auto behind = [&](std::size_t i) {
    std::int64_t count = 1;
    for (std::size_t j = i + 1; j < to.size(); ++j) count *= to[j];
    return count;
  };
  std::vector<SizeId> into;
  for (std::size_t i = 0; i < to.size(); ++i) {
    SizeId size = -1;
    std::int64_t count = 1;
    for (auto one = from.rbegin(); one != from.rend(); count *= sizes_.number(*one), ++one)
      if (sizes_.number(*one) == to[i] && count == behind(i)) size = *one;
    if (size < 0)
      size = i == open
                 ? sizes_.derived(to[i], "{" + std::to_string(sizes_.product(from)) + "} // " + std::to_string(others))
                 : sizes_.literal(to[i]);
    into.push_back(size);
  }
  splits_.push_back({.of = from, .into = into});
  return into;
}

std::vector<SizeId> ViewSizes::sizes_of(const std::vector<SizeId>& dims, const Shape& shape) {
  std::vector<SizeId> own, made;
  for (const SizeId size : dims)
    for (const SizeId factor : sizes_.factors(size)) own.push_back(factor);
  own = rejoined(std::move(own));
  std::size_t next = 0;
  for (std::size_t out = 0; out < shape.size();) {
    // A group of axes of both that has the same elements.
    std::vector<SizeId> from;
    std::vector<std::int64_t> to = {shape[out++]};
    std::int64_t have = 1, need = to[0];
    if (need == 1) {
      made.push_back(sizes_.literal(1));
      continue;
    }
    while (have != need) {
      if (have < need) {
        want(next < own.size(), "a view of other elements");
        if (sizes_.number(own[next]) != 1) from.push_back(own[next]);
        have *= sizes_.number(own[next++]);
      } else {
        want(out < shape.size(), "a view of other elements");
        need *= shape[out], to.push_back(shape[out++]);
      }
    }
    const std::vector<SizeId> group = to.size() == 1 ? std::vector<SizeId>{sizes_.product(from)} : split(from, to);
    made.insert(made.end(), group.begin(), group.end());
  }
  return made;
}

}  // namespace kg::dataset::translation
