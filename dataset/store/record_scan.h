#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kg::dataset {

// The form of records in a journal and in an index: a head, a payload with a checksum, and in newer files an end mark.
// A payload is a serialised protobuf message with exactly one embedded message (a oneof), which gives its length
// a second time: together they let a reader get past damage to either of them (docs/reference/data-format.md).
struct RecordHead {
  std::uint32_t length;  // length of the payload, never 0
  std::uint32_t zero;
  std::uint64_t checksum;  // XXH3-64 of the payload
};
static_assert(sizeof(RecordHead) == 16);

inline constexpr char kEndMark = '\n';  // distinguishes a completely written record from one followed by zeros

void append_record(std::string& bytes, std::string_view payload, bool end_mark);

struct RecordGap {
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct RecordScan {
  // Damage before an intact record.
  std::vector<RecordGap> damage;
  // Records with a damaged head and an intact payload: they count.
  std::uint64_t mended_heads = 0;
  std::uint64_t end = 0;  // after the last intact record
  // Whether the bytes after the last intact record look like a write interrupted by a kill or a power loss, or like
  // nothing at all. Otherwise they may have held a whole record.
  bool tail_is_cut_off = true;
  // Whether the file ends within a record without a zero after it: as space is reserved in advance, no write does that.
  bool tail_ends_within_record = false;
};

// Finds the intact records from `begin` on. `take` gets offset and length of each payload with a matching checksum, and
// returns false if it is not a record after all.
RecordScan scan_records(std::string_view bytes, std::uint64_t begin, bool end_marks,
                        const std::function<bool(std::uint64_t offset, std::uint32_t length)>& take);

}  // namespace kg::dataset
