#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataset/store/schema.h"

namespace kg::dataset {

constexpr std::size_t kJournalHeaderBytes = 24;

struct JournalEntry {
  std::uint64_t offset;  // of the payload, in the file
  std::uint32_t length;
};

// Bytes that are not whole records.
struct JournalGap {
  std::uint64_t offset;
  std::uint64_t bytes;
};

// What a journal's bytes hold.
struct JournalScan {
  std::array<std::vector<JournalEntry>, kTableCount> entries;
  // Damage before a whole record. A write is appended and fsynced as one, so a kill never leaves this: at least one
  // record that was acknowledged is lost with each gap.
  std::vector<JournalGap> damage;
  // Records whose head was damaged and whose payload still fits its checksum: they count.
  std::uint64_t mended_heads = 0;
  std::uint64_t end = kJournalHeaderBytes;  // behind the last whole record
  // Whether the bytes behind the last whole record look like a write that a kill or a power loss cut off. Otherwise a
  // whole record may have stood there.
  bool tail_is_cut_off = true;
};

// Finds the whole records of a journal (docs/data-format.md). A damaged length does not hide what comes after it: the
// next whole record is looked for byte by byte.
JournalScan scan_journal(std::string_view bytes);

}  // namespace kg::dataset
