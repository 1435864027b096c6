#include "dataset/store/journal_scan.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "dataset/store/journal_format.h"

namespace kg::dataset {
namespace {

// A serialised JournalRecord is one embedded message: a tag, a varint of its length, and that many bytes. This tells
// nearly all other bytes from a record before anything is hashed.
bool has_outline_of_record(std::string_view payload) {
  if (payload.size() < 2) return false;
  const auto tag = static_cast<unsigned char>(payload[0]);
  if ((tag & 7) != 2 || tag >= 0x80) return false;
  std::uint64_t length = 0;
  for (std::size_t i = 1, shift = 0; i < payload.size() && shift < 64; ++i, shift += 7) {
    const auto byte = static_cast<unsigned char>(payload[i]);
    length |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return length == payload.size() - i - 1;
  }
  return false;
}

class Scanner {
 public:
  explicit Scanner(std::string_view bytes) : bytes_(bytes) {}

  JournalScan run() {
    std::uint64_t position = kJournalHeaderBytes;
    while (position + sizeof(RecordHead) <= bytes_.size()) {
      const RecordHead head = head_at(position);
      const std::uint64_t payload = position + sizeof head;
      if (fits(payload, head.length) && take(payload, head.length, head.checksum)) {
        position = payload + head.length;
        continue;
      }
      const std::uint64_t next = next_whole_record(position + 1);
      // Only the length was hit: the payload is what lies before the next record.
      if (next - payload != head.length && next >= payload && take(payload, next - payload, head.checksum)) {
        ++scan_.mended_heads;
      } else if (next == bytes_.size()) {
        note_tail(position, head);
        break;
      } else {
        scan_.damage.push_back({position, next - position});
      }
      position = next;
    }
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
  bool is_whole(std::uint64_t payload, std::uint64_t length, std::uint64_t checksum) const {
    const std::string_view text = bytes_.substr(payload, length);
    return has_outline_of_record(text) && hash64(text) == checksum;
  }
  bool take(std::uint64_t payload, std::uint64_t length, std::uint64_t checksum) {
    if (!is_whole(payload, length, checksum)) return false;
    proto::JournalRecord record;
    const std::string_view text = bytes_.substr(payload, length);
    if (!record.ParseFromArray(text.data(), static_cast<int>(text.size()))) return false;
    if (record.record_case() == proto::JournalRecord::RECORD_NOT_SET) return false;
    scan_.entries[static_cast<std::size_t>(table_of(record))].push_back({payload, static_cast<std::uint32_t>(length)});
    scan_.end = payload + length;
    return true;
  }
  // The size of the file if there is none.
  std::uint64_t next_whole_record(std::uint64_t position) const {
    for (; position + sizeof(RecordHead) <= bytes_.size(); ++position) {
      const RecordHead head = head_at(position);
      const std::uint64_t payload = position + sizeof head;
      if (fits(payload, head.length) && is_whole(payload, head.length, head.checksum)) return position;
    }
    return bytes_.size();
  }
  void note_tail(std::uint64_t position, const RecordHead& head) {
    const std::string_view tail = bytes_.substr(position);
    const bool zeroes = std::all_of(tail.begin(), tail.end(), [](char byte) { return byte == 0; });
    const std::uint64_t payload = position + sizeof head;
    scan_.tail_is_cut_off = zeroes || head.length > bytes_.size() - payload;
  }

  std::string_view bytes_;
  JournalScan scan_;
};

}  // namespace

JournalScan scan_journal(std::string_view bytes) { return Scanner(bytes).run(); }

}  // namespace kg::dataset
