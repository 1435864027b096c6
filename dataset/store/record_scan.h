#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kg::dataset {

// Records as they lie in a journal and in an index: a head, a payload with a checksum, and in newer files an end mark.
// A payload is a serialised protobuf message that holds exactly one embedded message (a oneof), which gives its length
// a second time: both together let a reader past damage of any one of them (docs/reference/data-format.md).
struct RecordHead {
  std::uint32_t length;  // of the payload, never 0
  std::uint32_t zero;
  std::uint64_t checksum;  // XXH3-64 of the payload
};
static_assert(sizeof(RecordHead) == 16);

inline constexpr char kEndMark = '\n';  // tells a record that was written to its end from one with zeroes behind it

void append_record(std::string& bytes, std::string_view payload, bool end_mark);

struct RecordGap {
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct RecordScan {
  // Damage before a whole record.
  std::vector<RecordGap> damage;
  // Records whose head was damaged and whose payload is whole: they count.
  std::uint64_t mended_heads = 0;
  std::uint64_t end = 0;  // behind the last whole record
  // Whether the bytes behind the last whole record look like a write that a kill or a power loss cut off, or like
  // nothing at all. Otherwise a whole record may have stood there.
  bool tail_is_cut_off = true;
  // Whether the file ends within a record without a zero behind it: with space laid out in advance no write does that.
  bool tail_ends_within_record = false;
};

// Finds the whole records from `begin` on. `take` gets offset and length of each payload whose checksum fits, and
// returns false if it is no record after all.
RecordScan scan_records(std::string_view bytes, std::uint64_t begin, bool end_marks,
                        const std::function<bool(std::uint64_t offset, std::uint32_t length)>& take);

}  // namespace kg::dataset
