#include "dataset/store/hash_set.h"

#include <bit>
#include <utility>

namespace kg::dataset {
namespace {

constexpr Hash128 kEmpty{};

}  // namespace

std::size_t HashSet::find(Hash128 hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash.low & mask;
  while (slots_[slot] != kEmpty && slots_[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

void HashSet::grow(std::size_t slots) {
  const std::vector<Hash128> before = std::exchange(slots_, std::vector<Hash128>(slots));
  for (const Hash128 hash : before)
    if (hash != kEmpty) slots_[find(hash)] = hash;
}

void HashSet::reserve(std::size_t count) {
  const std::size_t slots = std::bit_ceil(count * 3 / 2 + 16);
  if (slots > slots_.size()) grow(slots);
}

bool HashSet::insert(Hash128 hash) {
  if (hash == kEmpty) hash.low = 1;
  if ((size_ + 1) * 4 > slots_.size() * 3) grow(slots_.empty() ? 16 : 2 * slots_.size());
  const std::size_t slot = find(hash);
  if (slots_[slot] == hash) return false;
  slots_[slot] = hash;
  ++size_;
  return true;
}

void HashSet::erase(Hash128 hash) {
  if (slots_.empty()) return;
  if (hash == kEmpty) hash.low = 1;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = find(hash);
  if (slots_[hole] != hash) return;
  slots_[hole] = kEmpty;
  --size_;
  // Entries that were placed after it because their own slots were taken move up.
  for (std::size_t slot = (hole + 1) & mask; slots_[slot] != kEmpty; slot = (slot + 1) & mask) {
    const Hash128 moved = std::exchange(slots_[slot], kEmpty);
    slots_[find(moved)] = moved;
  }
}

}  // namespace kg::dataset
