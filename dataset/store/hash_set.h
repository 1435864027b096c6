#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace kg::dataset {

// A set of 128-bit hashes, 16 to 64 bytes per entry: for keys that are long texts, of which there may be millions.
class HashSet {
 public:
  bool insert(Hash128 hash);  // true if it is new
  void erase(Hash128 hash);
  std::size_t size() const { return size_; }
  void reserve(std::size_t count);

 private:
  std::size_t find(Hash128 hash) const;  // its slot, or the empty slot for it
  void grow(std::size_t slots);

  std::vector<Hash128> slots_;  // open addressing; all zero: empty
  std::size_t size_ = 0;
};

}  // namespace kg::dataset
