#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "dataset/store/journal_scan.h"
#include "dataset/store/schema.h"
#include "proto/record.pb.h"

namespace kg::dataset {

// The journal of one generation: a header, then records, each with its length and checksum
// (docs/reference/data-format.md). A record counts once the fsync of its append has returned. A half-written
// record left at the end by a kill does not count and is skipped.
//
//   header  "KGTJRNL\n"  u32 version  u32 checksum  u64 generation      24 bytes, little-endian
//   record  u32 length  u32 0  u64 XXH3-64 of the payload  payload (a serialised JournalRecord)  end mark
//   zeroes  up to a whole step
class Journal {
 public:
  static Journal create(const fs::path& path, std::uint64_t generation);
  static Journal open(const fs::path& path);  // for reading; finds the intact records
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  // Writes the records with one fsync. If that fails (a full disk), throws Error and undoes the write: none
  // of the records is stored.
  void append(const std::vector<const proto::JournalRecord*>& records);

  std::uint64_t generation() const { return generation_; }
  std::uint64_t bytes() const;
  std::uint64_t rows(Table table) const;
  void read(Table table, std::uint64_t row, proto::JournalRecord& record) const;
  // Non-zero bytes after the last intact record: an interrupted write, unless complaints() says that they
  // may be more.
  std::uint64_t torn_bytes() const { return torn_bytes_; }
  // One sentence for each damage found when opening; empty for the normal traces of a kill.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  Journal(fs::path path, int descriptor, std::uint64_t generation)
      : path_(std::move(path)), descriptor_(descriptor), generation_(generation) {}
  std::uint32_t read_header(std::string_view bytes);
  void take(JournalScan scan, std::string_view bytes, std::uint32_t version);
  void make_room(std::uint64_t end);
  void take_back(std::uint64_t end);

  fs::path path_;
  int descriptor_;
  std::uint64_t generation_;
  std::uint64_t end_ = 0;
  std::uint64_t laid_out_ = 0;  // size of the file, including the zeros after the last record
  std::uint64_t torn_bytes_ = 0;
  std::vector<std::string> complaints_;
  std::uint64_t broken_until_ = 0;  // end of a write that failed and could not be undone; 0: none
  mutable std::mutex mutex_;        // protects end_ and entries_
  std::array<std::vector<JournalEntry>, kTableCount> entries_;
};

std::string journal_file_name(std::uint64_t generation);  // "journal-000007"
// The generation in a file name, 0 if it is not a journal's name.
std::uint64_t parse_journal_file_name(const std::string& name);

}  // namespace kg::dataset
