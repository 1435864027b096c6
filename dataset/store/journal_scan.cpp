#include "dataset/store/journal_scan.h"

#include "dataset/store/journal_format.h"

namespace kg::dataset {

JournalScan scan_journal(std::string_view bytes, std::uint32_t version) {
  JournalScan scan;
  scan.records = scan_records(bytes, kJournalHeaderBytes, /*end_marks=*/version != kOldJournalVersion,
                              [&](std::uint64_t offset, std::uint32_t length) {
                                proto::JournalRecord record;
                                const std::string_view text = bytes.substr(offset, length);
                                if (!record.ParseFromArray(text.data(), static_cast<int>(text.size()))) return false;
                                if (record.record_case() == proto::JournalRecord::RECORD_NOT_SET) return false;
                                scan.entries[static_cast<std::size_t>(table_of(record))].push_back({offset, length});
                                return true;
                              });
  return scan;
}

}  // namespace kg::dataset
