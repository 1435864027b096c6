#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataset/store/record_scan.h"
#include "dataset/store/schema.h"

namespace kg::dataset {

constexpr std::size_t kJournalHeaderBytes = 24;

struct JournalEntry {
  std::uint64_t offset;  // position of the payload in the file
  std::uint32_t length;
};

// The content of a journal's bytes.
struct JournalScan {
  std::array<std::vector<JournalEntry>, kTableCount> entries;
  // A write is appended and fsynced as a unit, so a kill never leaves damage before an intact record: each gap means
  // that at least one acknowledged record is lost.
  RecordScan records;
};

// Finds the intact records of a journal (docs/reference/data-format.md).
JournalScan scan_journal(std::string_view bytes, std::uint32_t version);

}  // namespace kg::dataset
