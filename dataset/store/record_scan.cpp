#include "dataset/store/record_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "base/hash.h"

namespace kg::dataset {
namespace {

// The length of a payload by its own beginning: a tag, a varint of the embedded message's length, and that many bytes.
// Nothing if these bytes begin no payload. This tells nearly all other bytes from a record before anything is hashed.
std::optional<std::uint64_t> length_by_outline(std::string_view payload) {
  if (payload.size() < 2) return std::nullopt;
  const auto tag = static_cast<unsigned char>(payload[0]);
  if ((tag & 7) != 2 || tag >= 0x80 || tag < 8) return std::nullopt;
  std::uint64_t length = 0;
  for (std::size_t i = 1, shift = 0; i < payload.size() && shift < 35; ++i, shift += 7) {
    const auto byte = static_cast<unsigned char>(payload[i]);
    length |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return length + i + 1;
  }
  return std::nullopt;
}

constexpr std::uint32_t kHashedInSearch = 64 << 10;

class Scanner {
 public:
  Scanner(std::string_view bytes, bool end_marks, const std::function<bool(std::uint64_t, std::uint32_t)>& take)
      : bytes_(bytes), mark_bytes_(end_marks ? 1 : 0), take_(take) {}

  RecordScan run(std::uint64_t position) {
    scan_.end = std::min<std::uint64_t>(position, bytes_.size());
    used_ = bytes_.find_last_not_of('\0') + 1;  // npos + 1 is 0
    while (position + sizeof(RecordHead) < bytes_.size() && position < used_) {
      if (const std::uint64_t end = take_at(position)) {
        scan_.end = position = end;
        continue;
      }
      const std::uint64_t next = next_record(position);
      if (next == bytes_.size()) {
        note_tail(position);
        break;
      }
      scan_.damage.push_back({position, next - position});
      position = next;
    }
    if (scan_.end + sizeof(RecordHead) >= bytes_.size()) note_short_tail();
    return std::move(scan_);
  }

 private:
  RecordHead head_at(std::uint64_t position) const {
    RecordHead head{};
    std::memcpy(&head, bytes_.data() + position, sizeof head);
    return head;
  }
  bool fits(std::uint64_t payload, std::uint64_t length) const {
    return length > 0 && payload <= bytes_.size() && length <= bytes_.size() - payload;
  }
  std::uint64_t end_of(std::uint64_t payload, std::uint64_t length) const {
    return std::min<std::uint64_t>(payload + length + mark_bytes_, bytes_.size());
  }
  // The length of the intact record that begins here, 0 if there is none. The payload gives its own length, so
  // the head's may be wrong, and the checksum may be off by one bit. A strict search, at every byte, does not hash a
  // long payload whose head gives another length.
  std::uint64_t whole_length(std::uint64_t position, bool strict = false) const {
    if (position + sizeof(RecordHead) >= bytes_.size()) return 0;
    const std::uint64_t payload = position + sizeof(RecordHead);
    const auto outline = length_by_outline(bytes_.substr(payload, 8));
    if (!outline || *outline > UINT32_MAX || !fits(payload, *outline)) return 0;
    const RecordHead head = head_at(position);
    const auto length = static_cast<std::uint32_t>(*outline);
    if (strict && length > kHashedInSearch && std::popcount(head.length ^ length) > 1) return 0;
    const int wrong_bits = std::popcount(hash64(bytes_.substr(payload, length)) ^ head.checksum);
    return wrong_bits == 0 || (wrong_bits == 1 && head.length == length) ? length : 0;
  }
  // The end of the record here, 0 if there is none.
  std::uint64_t take_at(std::uint64_t position) {
    const std::uint64_t length = whole_length(position);
    const std::uint64_t payload = position + sizeof(RecordHead);
    if (length == 0 || !take_(payload, static_cast<std::uint32_t>(length))) return 0;
    const RecordHead head = head_at(position);
    if (head.length != length || head.zero != 0 || hash64(bytes_.substr(payload, length)) != head.checksum)
      ++scan_.mended_heads;
    else if (mark_bytes_ > 0 && fits(payload + length, 1) && bytes_[payload + length] != kEndMark)
      ++scan_.mended_heads;
    return end_of(payload, length);
  }
  // Where the next intact record begins; the size of the bytes if there is none. First tries where the damaged record
  // says it ends: bytes inside it that look like a record must not be taken for one.
  std::uint64_t next_record(std::uint64_t position) const {
    const std::uint64_t payload = position + sizeof(RecordHead);
    const auto outline = length_by_outline(bytes_.substr(payload, 8));
    for (const std::uint64_t length : {std::uint64_t{head_at(position).length}, outline.value_or(0)}) {
      const std::uint64_t end = payload + length + mark_bytes_;
      if (length == 0 || end > bytes_.size()) continue;
      if (whole_length(end) > 0) return end;
      if (end == used_ || end == bytes_.size()) return bytes_.size();  // it is the last
    }
    for (std::uint64_t at = position + 1; at + sizeof(RecordHead) < used_; ++at)
      if (whole_length(at, /*strict=*/true) > 0) return at;
    return bytes_.size();
  }
  void note_tail(std::uint64_t position) {
    const std::string_view tail = bytes_.substr(position);
    const std::size_t last = tail.find_last_not_of('\0');
    if (last == std::string_view::npos) return;  // nothing was written
    const RecordHead head = head_at(position);
    const std::uint64_t end = sizeof head + head.length + mark_bytes_;  // by its own words, from `position`
    const auto outline = length_by_outline(tail.substr(std::min(tail.size(), sizeof head), 8));
    const std::uint64_t other_end = outline ? sizeof head + *outline + mark_bytes_ : end;
    if (mark_bytes_ == 0) {  // old journals grow with each write
      scan_.tail_is_cut_off = end > tail.size() && other_end > tail.size();
      return;
    }
    // An interrupted write has zeros where its end mark belongs, and its two lengths agree as soon as both are
    // there: otherwise one is damaged, and an intact record may have been here.
    constexpr std::size_t kBothLengths = sizeof head + 7;  // a tag and a 32-bit varint, and one byte after them
    const bool agree = last + 1 < kBothLengths || (outline && *outline == head.length);
    scan_.tail_ends_within_record = last + 1 == tail.size();
    scan_.tail_is_cut_off = !scan_.tail_ends_within_record && agree && last + 1 < std::min(end, other_end);
  }
  void note_short_tail() {
    const std::string_view tail = bytes_.substr(scan_.end);
    if (mark_bytes_ > 0 && !tail.empty() && tail.back() != '\0') {
      scan_.tail_ends_within_record = true;
      scan_.tail_is_cut_off = false;
    }
  }

  std::string_view bytes_;
  std::uint64_t mark_bytes_;
  std::uint64_t used_ = 0;  // after the last non-zero byte
  const std::function<bool(std::uint64_t, std::uint32_t)>& take_;
  RecordScan scan_;
};

}  // namespace

void append_record(std::string& bytes, std::string_view payload, bool end_mark) {
  const RecordHead head{.length = static_cast<std::uint32_t>(payload.size()), .zero = 0, .checksum = hash64(payload)};
  KG_CHECK_EQ(static_cast<std::size_t>(head.length), payload.size());
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += payload;
  if (end_mark) bytes += kEndMark;
}

RecordScan scan_records(std::string_view bytes, std::uint64_t begin, bool end_marks,
                        const std::function<bool(std::uint64_t, std::uint32_t)>& take) {
  return Scanner(bytes, end_marks, take).run(begin);
}

}  // namespace kg::dataset
