#include "dsl/join_queues.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kg::dsl {
namespace {

// No tile of one queue lives while one of the other does.
bool live_apart(const Form& form, std::size_t a, std::size_t b) {
  for (const Tile& one : form.tiles)
    for (const Tile& other : form.tiles)
      if (one.queue == static_cast<int>(a) && other.queue == static_cast<int>(b) && one.first <= other.last &&
          other.first <= one.last)
        return false;
  return true;
}

}  // namespace

std::vector<std::size_t> owners_of_queues(const Form& form, Tile::Home home) {
  std::vector<std::size_t> owners;
  for (std::size_t t = 0; t < form.tiles.size(); ++t)
    if (form.tiles[t].home == home && form.tiles[t].queue == static_cast<int>(t)) owners.push_back(t);
  return owners;
}

bool join_queues(Form& form, Tile::Home home,
                 const std::function<bool(const std::vector<std::size_t>& owners)>& too_many) {
  std::vector<std::size_t> owners = owners_of_queues(form, home);
  while (too_many(owners)) {
    std::pair<std::size_t, std::size_t> best;
    std::int64_t least = -1;
    for (std::size_t i = 0; i < owners.size(); ++i)
      for (std::size_t j = i + 1; j < owners.size(); ++j) {
        const Tile &one = form.tiles[owners[i]], &other = form.tiles[owners[j]];
        const std::int64_t apart = std::abs(one.bytes - other.bytes);
        if ((least < 0 || apart < least) && one.right == other.right && live_apart(form, owners[i], owners[j])) {
          least = apart;
          best = {owners[i], owners[j]};
        }
      }
    if (least < 0) return false;
    Tile& kept = form.tiles[best.first];
    kept.bytes = std::max(kept.bytes, form.tiles[best.second].bytes);
    for (Tile& tile : form.tiles)
      if (tile.queue == static_cast<int>(best.second)) tile.queue = static_cast<int>(best.first);
    owners = owners_of_queues(form, home);
  }
  return true;
}

}  // namespace kg::dsl
