#include "dataset/translation/block.h"

#include <algorithm>

namespace kg::dataset::translation {

void Block::close(Block& inner) {
  const auto found = std::find_if(opened_.begin(), opened_.end(), [&](const auto& one) { return one.get() == &inner; });
  items_.emplace_back(std::shared_ptr<Block>(std::move(*found)));
  opened_.erase(found);
}

void close_inside(const std::vector<Block*>& blocks) {
  for (std::size_t i = blocks.size() - 1; i > 0; --i) blocks[i - 1]->close(*blocks[i]);
}

std::string Block::text(int indent) const {
  std::string made;
  const std::string space(static_cast<std::size_t>(2 * indent), ' ');
  if (!head_.empty()) made += space.substr(0, space.size() - 2) + head_ + "\n";
  for (const auto& item : items_) {
    if (const auto* line = std::get_if<std::string>(&item))
      made += space + *line + "\n";
    else
      made += std::get<std::shared_ptr<Block>>(item)->text(indent + 1);
  }
  return made;
}

}  // namespace kg::dataset::translation
