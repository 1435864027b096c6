#pragma once

#include <set>
#include <string>
#include <vector>

#include "dataset/translation/sizes.h"

namespace kg::dataset::translation {

// A program's position on one axis of a tensor, or on its last axes taken together: a number, a tile of a loop over
// tiles, or a whole row.
struct Entry {
  enum class Kind { kNumber, kTiles, kRow };
  Kind kind = Kind::kNumber;
  std::string text = "0";   // text of a number; for a range the place of its first element, empty: 0
  std::string loop = {};    // loop over tiles
  std::string length = {};  // length of a range
  int axes = 1;
  bool whole = true;  // a row that covers the axes completely

  bool is_range() const { return kind != Kind::kNumber; }
};
using Index = std::vector<Entry>;

// A tensor that cannot be walked over in this way.
struct Unfit {};

std::string plus(const std::string& text, const std::string& other);
std::string plus(const std::string& text, std::int64_t number);
std::string times(const std::string& text, const std::string& factor);
std::string in_brackets(const std::string& text);

std::string text_of(const Index& index);  // its text in the brackets of a load or store
const Entry* range_of(const Index& index);
std::set<std::string> words_of(const Index& index);

// The place of a tensor with axes `own` that broadcasts to `all`. Throws Unfit.
Index aligned(const Index& index, const std::vector<SizeId>& all, const std::vector<SizeId>& own, const Sizes& sizes);
// The place in `own` of an element of its view `view`. Throws Unfit.
Index through_view(const Index& index, const std::vector<SizeId>& view, const std::vector<SizeId>& own,
                   const Sizes& sizes);
// After a range, all later axes are taken together: drops them if each has one element. False: some are longer.
bool drop_single_axes(Index& index, const std::vector<SizeId>& dims, const Sizes& sizes);
// The entry of each axis; Unfit if `axis` is taken together with others.
std::size_t entry_at(const Index& index, int axis);

}  // namespace kg::dataset::translation
