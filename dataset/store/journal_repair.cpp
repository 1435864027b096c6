#include "dataset/store/journal_repair.h"

#include <algorithm>
#include <cstring>

#include "dataset/store/journal_format.h"
#include "dataset/store/journal_scan.h"
#include "dataset/store/one_bit.h"

namespace kg::dataset {
namespace {

constexpr std::size_t kLargestSearched = 1 << 20;  // payloads that are searched for a flipped bit
constexpr std::size_t kKeyShown = 60;

// The readable text at the beginning of a damaged record: mostly its key is in it.
std::string text_in(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (text.size() >= kKeyShown) break;
    const bool readable = byte >= ' ' && byte <= '~';
    if (readable)
      text += byte;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return text;
}

}  // namespace

JournalRest rest_of_journal(const fs::path& path) {
  const std::string bytes = read_file(path);
  JournalScan scan = scan_journal(bytes, kJournalVersion);
  JournalScan old = scan_journal(bytes, kOldJournalVersion);
  const bool is_old = old.records.damage.size() < scan.records.damage.size();
  if (is_old) scan = std::move(old);
  std::vector<RecordGap> gaps = scan.records.damage;
  const std::size_t last = bytes.find_last_not_of('\0');
  if (last != std::string::npos && last + 1 > scan.records.end)
    gaps.push_back({scan.records.end, last + 1 - scan.records.end});
  JournalRest rest;
  for (const RecordGap& gap : gaps) {
    // A gap may be several records, each as long as its head says.
    const std::uint64_t gap_end = gap.offset + gap.bytes;
    for (std::uint64_t position = gap.offset; position < gap_end;) {
      RecordHead head{};
      if (position + sizeof head <= bytes.size()) std::memcpy(&head, bytes.data() + position, sizeof head);
      const std::uint64_t payload = position + sizeof head;
      const bool plausible = head.length > 0 && payload + head.length <= gap_end;
      const std::uint64_t end = plausible ? std::min(gap_end, payload + head.length + (is_old ? 0 : 1)) : gap_end;
      std::string text =
          bytes.substr(std::min(payload, gap_end), plausible ? head.length : gap_end - std::min(payload, gap_end));
      proto::JournalRecord record;
      if (plausible && text.size() <= kLargestSearched && put_right_one_bit(text, head.checksum) &&
          record.ParseFromString(text) && record.record_case() != proto::JournalRecord::RECORD_NOT_SET)
        rest.records.push_back(std::move(record));
      else
        rest.lost.push_back(path.filename().string() + ": " + std::to_string(end - position) + " bytes from byte " +
                            std::to_string(position) + ", beginning with \"" + text_in(text) + "\"");
      position = end;
    }
  }
  return rest;
}

}  // namespace kg::dataset
