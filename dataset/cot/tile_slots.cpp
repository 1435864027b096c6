#include "dataset/cot/tile_slots.h"

#include <algorithm>
#include <vector>

#include "dsl/initialise.h"
#include "dsl/refusal.h"

namespace kg::dataset::cot {
namespace {

using dsl::Form;
using dsl::kUbBudget;
using dsl::Step;
using dsl::Tile;

constexpr std::int64_t kHalfLine = 256;  // more than a power of two: neighbours do not meet at UB's banks
constexpr std::int64_t kLeastSlot = 8192, kMostSlot = 32768;

std::int64_t slot_bytes(const Form& form) {
  std::int64_t longest = 0;
  for (const Tile& tile : form.tiles) longest = std::max(longest, tile.bytes);
  std::int64_t slot = kLeastSlot;
  while (slot < kMostSlot && slot + kHalfLine < longest) slot *= 2;
  if (slot + kHalfLine < longest)
    throw dsl::Refusal(0, "slots", "a tile of " + std::to_string(longest) + " bytes is longer than a slot");
  return slot + kHalfLine;
}

// Values that are computed one in the place of the other.
struct Chain {
  std::vector<std::size_t> tiles;
  std::string name;  // empty: none of the program's
  int first = 0, last = 0;
};

class Slots {
 public:
  Slots(Form& form, const std::vector<bool>& named) : form_(form), named_(named) {}

  void take() {
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < form_.tiles.size(); ++t)
      if (form_.tiles[t].bytes > 0 && form_.tiles[t].view_of < 0 && !Form::is_on_cube(form_.tiles[t]))
        order.push_back(t);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return form_.tiles[a].first < form_.tiles[b].first; });
    chain_of_.assign(form_.tiles.size(), -1);
    for (const std::size_t t : order) link(t);
    const std::int64_t size = slot_bytes(form_);
    std::vector<std::vector<const Chain*>> temporaries;  // by slot; empty: a named value's
    for (Chain& chain : linked_) {
      const std::size_t slot = slot_for(chain, temporaries);
      bool declared = !declared_[slot];
      declared_[slot] = true;
      for (const std::size_t t : chain.tiles) {
        Tile& tile = form_.tiles[t];
        tile.offset = static_cast<std::int64_t>(slot) * size;
        tile.name = chain.name;
        tile.declared = declared;
        declared = false;
      }
    }
    form_.checked.extents["S"] = size / 4;
    form_.work_bytes = form_.ub_bytes = static_cast<std::int64_t>(temporaries.size()) * size;
    if (form_.work_bytes > kUbBudget)
      throw dsl::Refusal(0, "slots", "UB has fewer than " + std::to_string(temporaries.size()) + " slots");
  }

 private:
  // The chain that ends at the step which makes this tile, and in whose place the step may work.
  int chain_before(std::size_t t) const {
    const Tile& tile = form_.tiles[t];
    const Step& step = form_.steps[static_cast<std::size_t>(tile.first)];
    if (tile.home != Tile::Home::kWork || step.kind != Step::Kind::kVector || !step.in_place ||
        step.result != static_cast<int>(t))
      return -1;
    for (const int source : step.sources) {
      const Tile& before = form_.tile(source);
      const int chain = chain_of_[static_cast<std::size_t>(source)];
      if (before.view_of >= 0 || before.home != Tile::Home::kWork || before.last != tile.first ||
          before.dtype != tile.dtype || chain < 0)
        continue;
      if (!linked_[static_cast<std::size_t>(chain)].name.empty()) continue;  // a name keeps its value
      return chain;
    }
    return -1;
  }

  void link(std::size_t t) {
    const Tile& tile = form_.tiles[t];
    int chain = chain_before(t);
    if (chain < 0) {
      chain = static_cast<int>(linked_.size());
      linked_.push_back({.first = tile.first});
    }
    chain_of_[t] = chain;
    Chain& of = linked_[static_cast<std::size_t>(chain)];
    of.tiles.push_back(t);
    of.last = tile.last;
    if (named_[t]) of.name = tile.name;
  }

  // The first slot for values of this type that is free all the while, or a new one.
  std::size_t slot_for(Chain& chain, std::vector<std::vector<const Chain*>>& temporaries) {
    const bool named = !chain.name.empty();
    const auto dtype = form_.tiles[chain.tiles[0]].dtype;
    for (std::size_t slot = 0; slot < temporaries.size() && !named; ++slot) {
      const auto& users = temporaries[slot];
      if (users.empty() || form_.tiles[users[0]->tiles[0]].dtype != dtype) continue;
      if (!std::all_of(users.begin(), users.end(), [&](const Chain* each) { return each->last < chain.first; }))
        continue;
      chain.name = users[0]->name;
      temporaries[slot].push_back(&chain);
      return slot;
    }
    temporaries.emplace_back();
    declared_.push_back(false);
    if (!named) {
      chain.name = "tmp" + std::to_string(unnamed_++);
      temporaries.back().push_back(&chain);
    }
    return temporaries.size() - 1;
  }

  Form& form_;
  const std::vector<bool>& named_;
  std::vector<Chain> linked_;
  std::vector<int> chain_of_;   // by tile
  std::vector<bool> declared_;  // by slot
  int unnamed_ = 0;
};

}  // namespace

void take_slots(Form& form) {
  std::vector<bool> named;
  for (const Tile& tile : form.tiles) named.push_back(!tile.name.empty());
  dsl::initialise(form);
  Slots(form, named).take();
}

}  // namespace kg::dataset::cot
