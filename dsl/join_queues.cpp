#include "dsl/join_queues.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

namespace kg::dsl {
namespace {

// For each step the number of the loop or condition at the top that it is in, or a number of its own.
std::vector<int> top_blocks(const std::vector<Step>& steps) {
  std::vector<int> blocks;
  int depth = 0, block = 0;
  for (const Step& step : steps) {
    if (depth == 0) ++block;
    depth += step.opens() ? 1 : step.kind == Step::Kind::kEnd ? -1 : 0;
    blocks.push_back(block);
  }
  return blocks;
}

// Queues of a home, and which pairs must stay two.
class Queues {
 public:
  Queues(Form& form, Tile::Home home, Joined joined) : form_(form), owners_(owners_of_queues(form, home)) {
    if (joined == Joined::kOfOtherLoops)
      blocks_ = top_blocks(home == Tile::Home::kIn || home == Tile::Home::kOut ? form.steps : form.cube);
    std::map<int, std::size_t> place;
    for (const std::size_t t : owners_) place.emplace(static_cast<int>(t), place.size());
    std::vector<std::vector<const Tile*>> tiles(owners_.size());
    for (const Tile& tile : form.tiles)
      if (const auto found = place.find(tile.queue); found != place.end()) tiles[found->second].push_back(&tile);
    together_.assign(owners_.size(), std::vector<bool>(owners_.size(), false));
    for (std::size_t i = 0; i < owners_.size(); ++i)
      for (std::size_t j = i + 1; j < owners_.size(); ++j)
        together_[i][j] = together_[j][i] = any_together(tiles[i], tiles[j]);
  }

  const std::vector<std::size_t>& owners() const { return owners_; }

  // The two most alike that can be one. Nothing: there are none.
  std::optional<std::pair<std::size_t, std::size_t>> most_alike() const {
    std::optional<std::pair<std::size_t, std::size_t>> best;
    std::int64_t least = 0;
    for (std::size_t i = 0; i < owners_.size(); ++i)
      for (std::size_t j = i + 1; j < owners_.size(); ++j) {
        const Tile &one = form_.tiles[owners_[i]], &other = form_.tiles[owners_[j]];
        const std::int64_t apart = std::abs(one.bytes - other.bytes);
        if ((best && apart >= least) || one.right != other.right || together_[i][j]) continue;
        least = apart;
        best = {i, j};
      }
    return best;
  }

  void join(std::size_t i, std::size_t j) {
    Tile& kept = form_.tiles[owners_[i]];
    kept.bytes = std::max(kept.bytes, form_.tiles[owners_[j]].bytes);
    for (Tile& tile : form_.tiles)
      if (tile.queue == static_cast<int>(owners_[j])) tile.queue = static_cast<int>(owners_[i]);
    for (std::size_t other = 0; other < owners_.size(); ++other)
      if (together_[j][other]) together_[i][other] = together_[other][i] = true;
    const auto at = static_cast<std::ptrdiff_t>(j);
    owners_.erase(owners_.begin() + at);
    together_.erase(together_.begin() + at);
    for (std::vector<bool>& row : together_) row.erase(row.begin() + at);
  }

 private:
  bool together(const Tile& a, const Tile& b) const {
    if (a.first <= b.last && b.first <= a.last) return true;
    return !blocks_.empty() && blocks_[static_cast<std::size_t>(a.first)] == blocks_[static_cast<std::size_t>(b.first)];
  }

  bool any_together(const std::vector<const Tile*>& one, const std::vector<const Tile*>& other) const {
    return std::any_of(one.begin(), one.end(), [&](const Tile* a) {
      return std::any_of(other.begin(), other.end(), [&](const Tile* b) { return together(*a, *b); });
    });
  }

  Form& form_;
  std::vector<std::size_t> owners_;
  std::vector<int> blocks_;  // by step
  std::vector<std::vector<bool>> together_;
};

}  // namespace

std::vector<std::size_t> owners_of_queues(const Form& form, Tile::Home home) {
  std::vector<std::size_t> owners;
  for (std::size_t t = 0; t < form.tiles.size(); ++t)
    if (form.tiles[t].home == home && form.tiles[t].queue == static_cast<int>(t)) owners.push_back(t);
  return owners;
}

bool join_queues(Form& form, Tile::Home home, Joined joined,
                 const std::function<bool(const std::vector<std::size_t>& owners)>& too_many) {
  if (!too_many(owners_of_queues(form, home))) return true;
  Queues queues(form, home, joined);
  while (too_many(queues.owners())) {
    const auto pair = queues.most_alike();
    if (!pair) return false;
    queues.join(pair->first, pair->second);
  }
  return true;
}

}  // namespace kg::dsl
