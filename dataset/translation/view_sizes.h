#pragma once

#include <cstdint>
#include <vector>

#include "dataset/translation/graph.h"

namespace kg::dataset::translation {

// What the axes of views are by the sizes of what they are of: equal ones stay, others are products and parts of them.
// Axes that one view splits are put together again by a later one.
class ViewSizes {
 public:
  explicit ViewSizes(Sizes& sizes) : sizes_(sizes) {}

  // Of a tensor with these sizes in another shape. Throws Unknown.
  std::vector<SizeId> sizes_of(const std::vector<SizeId>& dims, const Shape& shape);

 private:
  struct Split {
    std::vector<SizeId> of, into;
  };
  std::vector<SizeId> rejoined(std::vector<SizeId> sizes) const;
  std::vector<SizeId> heads(const std::vector<SizeId>& from, const std::vector<std::int64_t>& to);
  std::vector<SizeId> split(const std::vector<SizeId>& from, const std::vector<std::int64_t>& to);

  Sizes& sizes_;
  std::vector<Split> splits_;
};

}  // namespace kg::dataset::translation
