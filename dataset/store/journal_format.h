#pragma once

#include <cstdint>

namespace kg::dataset {

// The layout of a journal on disk (docs/data-format.md), little-endian.
constexpr char kJournalMagic[8] = {'K', 'G', 'T', 'J', 'R', 'N', 'L', '\n'};
constexpr std::uint32_t kJournalVersion = 1;

struct JournalHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t zero;
  std::uint64_t generation;
};
static_assert(sizeof(JournalHeader) == 24);

struct RecordHead {
  std::uint32_t length;  // of the payload, never 0
  std::uint32_t zero;
  std::uint64_t checksum;  // XXH3-64 of the payload
};
static_assert(sizeof(RecordHead) == 16);

}  // namespace kg::dataset
