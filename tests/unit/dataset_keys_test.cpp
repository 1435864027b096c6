#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "dataset/store/hash_set.h"
#include "dataset/store/rollout_keys.h"

namespace kg::dataset {
namespace {

using Works = std::map<std::uint64_t, std::set<std::uint32_t>>;

void expect_same(const RolloutKeySet& keys, const Works& works) {
  std::uint64_t size = 0, largest = 0;
  for (const auto& [work, samples] : works) {
    ASSERT_EQ(keys.samples(work, 1000), samples) << work;
    size += samples.size();
    if (!samples.empty()) largest = work;
  }
  ASSERT_EQ(keys.size(), size);
  ASSERT_EQ(keys.largest_work(), largest);
}

TEST(RolloutKeySet, HoldsWhatASetHoldsWhateverTheOrder) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Philox random(seed, 3);
    RolloutKeySet keys;
    Works works;
    for (int step = 0; step < 3000; ++step) {
      const std::uint64_t work = 1 + random.next_below(40);
      const auto sample = static_cast<std::uint32_t>(random.next_below(seed % 2 == 0 ? 4 : 9));
      const bool known = works[work].contains(sample);
      ASSERT_EQ(keys.contains(work, sample), known);
      if (random.next_below(5) == 0) {
        keys.erase(work, sample);
        works[work].erase(sample);
      } else {
        ASSERT_EQ(keys.insert(work, sample), !known);
        works[work].insert(sample);
      }
      const std::uint64_t first = random.next_below(45), last = first + random.next_below(5);
      bool any = false;
      for (std::uint64_t i = first; i <= last; ++i) any = any || (works.contains(i) && !works[i].empty());
      ASSERT_EQ(keys.any(first, last), any);
    }
    expect_same(keys, works);
    std::vector<std::uint64_t> held;
    for (const auto& [work, samples] : works)
      if (!samples.empty()) held.push_back(work);
    for (std::size_t count = 1; count <= held.size() + 2; ++count)
      ASSERT_EQ(keys.first_of_last(count), held.empty() ? 0 : held[held.size() - std::min(count, held.size())]);
    proto::RolloutKeys written;
    keys.write(written);
    RolloutKeySet again;
    again.insert(written);
    again.insert(written);  // a second time changes nothing
    expect_same(again, works);
  }
}

TEST(RolloutKeySet, WorksThatAreCompleteTakeNoMemoryHoweverMany) {
  RolloutKeySet keys;
  Philox random(5, 5);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> open;
  std::size_t most = 0;
  for (std::uint64_t work = 1; work <= 50000; ++work) {
    for (std::uint32_t sample = 0; sample < 8; ++sample) open.emplace_back(work, sample);
    while (open.size() > 200) {  // they come back in any order
      std::swap(open[random.next_below(open.size())], open.back());
      ASSERT_TRUE(keys.insert(open.back().first, open.back().second));
      open.pop_back();
    }
    most = std::max(most, keys.pieces());
  }
  for (const auto& [work, sample] : open) keys.insert(work, sample);
  EXPECT_EQ(keys.size(), 400000u);
  EXPECT_EQ(keys.pieces(), 1u);
  EXPECT_LT(most, 800u);
}

TEST(HashSet, HoldsWhatASetHolds) {
  HashSet set;
  std::set<std::pair<std::uint64_t, std::uint64_t>> wanted;
  Philox random(9, 9);
  for (int step = 0; step < 20000; ++step) {
    // Few low halves, so that many want the same slot.
    const Hash128 hash{.low = random.next_below(300) % 37, .high = 1 + random.next_below(50)};
    if (random.next_below(3) == 0) {
      set.erase(hash);
      wanted.erase({hash.low, hash.high});
    } else {
      ASSERT_EQ(set.insert(hash), wanted.insert({hash.low, hash.high}).second);
    }
    ASSERT_EQ(set.size(), wanted.size());
  }
}

}  // namespace
}  // namespace kg::dataset
