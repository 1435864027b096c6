#pragma once

#include <cstdint>

namespace kg::dataset {

// The layout of a journal on disk (docs/reference/data-format.md), little-endian.
constexpr char kJournalMagic[8] = {'K', 'G', 'T', 'J', 'R', 'N', 'L', '\n'};
constexpr std::uint32_t kOldJournalVersion = 1;  // grows with each write; no end marks, no header checksum
constexpr std::uint32_t kJournalVersion = 2;
// A journal grows by whole steps of zeros, durably, before the records that need them are written. So a file with
// another size, or one that ends within a record, was truncated later.
constexpr std::uint64_t kJournalStep = 256 << 10;

struct JournalHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum;  // low half of the XXH3-64 of the header with this field 0; version 1: 0
  std::uint64_t generation;
};
static_assert(sizeof(JournalHeader) == 24);

}  // namespace kg::dataset
