#pragma once

#include <cstdint>

namespace kg::dataset {

// The layout of a journal on disk (docs/reference/data-format.md), little-endian.
constexpr char kJournalMagic[8] = {'K', 'G', 'T', 'J', 'R', 'N', 'L', '\n'};
constexpr std::uint32_t kOldJournalVersion = 1;  // grows with each write, no end marks, no checksum of the header
constexpr std::uint32_t kJournalVersion = 2;
// A journal grows by whole steps of zeroes, durably, before the records that need them are written. So a file that has
// another size, or that ends within a record, was cut off later.
constexpr std::uint64_t kJournalStep = 256 << 10;

struct JournalHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum;  // low half of the XXH3-64 of the header with this field 0; version 1: 0
  std::uint64_t generation;
};
static_assert(sizeof(JournalHeader) == 24);

}  // namespace kg::dataset
