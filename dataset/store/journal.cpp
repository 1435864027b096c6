#include "dataset/store/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "dataset/store/journal_format.h"

namespace kg::dataset {
namespace {

bool write_at(int descriptor, const char* from, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t n = ::pwrite(descriptor, from, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    from += n;
    offset += static_cast<std::uint64_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

// How many bytes there are to read, up to `size`.
std::size_t read_at(int descriptor, char* to, std::size_t size, std::uint64_t offset) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(descriptor, to + got, size - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

[[noreturn]] void fail(const std::string& what, const fs::path& path) {
  throw Error(what + ": " + std::strerror(errno), path.string(), "free disk space or check the disk",
              Error::Kind::kEnvironment);
}

std::string check_text(const proto::JournalRecord& record, const std::string& payload, const fs::path& path) {
  // protobuf writes text that is not UTF-8 but refuses to read it: find out before the record counts.
  proto::JournalRecord again;
  if (!again.ParseFromString(payload))
    throw Error("a record holds text that is not UTF-8", path.string(),
                "replace the invalid bytes before storing: " + record.ShortDebugString().substr(0, 200));
  return payload;
}

}  // namespace

Journal Journal::create(const fs::path& path, std::uint64_t generation) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail("cannot make the journal", path);
  Journal journal(path, descriptor, generation);
  JournalHeader header{.version = kJournalVersion, .zero = 0, .generation = generation};
  std::memcpy(header.magic, kJournalMagic, sizeof kJournalMagic);
  if (!write_at(descriptor, reinterpret_cast<const char*>(&header), sizeof header, 0) || ::fsync(descriptor) != 0)
    fail("cannot write the journal", path);
  fsync_folder(path.parent_path());
  journal.end_ = sizeof header;
  return journal;
}

Journal Journal::open(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot open the journal", path);
  Journal journal(path, descriptor, parse_journal_file_name(path.filename().string()));
  struct stat info{};
  if (::fstat(descriptor, &info) != 0) fail("cannot read the journal", path);
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  bytes.resize(read_at(descriptor, bytes.data(), bytes.size(), 0));
  journal.read_header(bytes);
  if (bytes.size() >= sizeof(JournalHeader)) journal.take(scan_journal(bytes), bytes.size());
  return journal;
}

// A header that is damaged does not hide the records behind it, which carry checksums of their own.
void Journal::read_header(std::string_view bytes) {
  JournalHeader header{}, zero{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  // A kill, or a power loss, while the journal was made: nothing in it was acknowledged.
  if (bytes.size() < sizeof header || std::memcmp(&header, &zero, sizeof header) == 0) {
    torn_bytes_ = bytes.size();
    return;
  }
  const bool magic = std::memcmp(header.magic, kJournalMagic, sizeof kJournalMagic) == 0;
  const bool version = header.version == kJournalVersion;
  const bool generation = header.generation == generation_;
  if (magic && generation && !version)
    throw Error("has journal version " + std::to_string(header.version) + ", this kgtrain reads version " +
                    std::to_string(kJournalVersion),
                path_.string(), "open the data set once with the kgtrain that wrote it");
  if (magic && version && generation && header.zero == 0) return;
  if (magic + version + generation < 2)
    throw Error("is not the journal that its name says", path_.string(),
                "restore the folder of the data set as a whole");
  damage_.push_back({0, sizeof header});
}

void Journal::take(JournalScan scan, std::uint64_t size) {
  entries_ = std::move(scan.entries);
  damage_.insert(damage_.end(), scan.damage.begin(), scan.damage.end());
  mended_heads_ = scan.mended_heads;
  tail_is_cut_off_ = scan.tail_is_cut_off;
  end_ = scan.end;
  torn_bytes_ = size - end_;
}

std::vector<std::string> Journal::complaints() const {
  std::vector<std::string> lines;
  const std::string name = path_.filename().string();
  for (const JournalGap& gap : damage_)
    lines.push_back(gap.offset == 0
                        ? name + ": the header is damaged; the records behind it are whole"
                        : name + ": " + std::to_string(gap.bytes) + " bytes from byte " + std::to_string(gap.offset) +
                              " are damaged; at least one acknowledged record is lost with them");
  if (mended_heads_ > 0)
    lines.push_back(name + ": records read in spite of a damaged length: " + std::to_string(mended_heads_));
  if (torn_bytes_ > 0 && !tail_is_cut_off_)
    lines.push_back(name + ": " + std::to_string(torn_bytes_) +
                    " bytes at the end are not a whole record: either a write that a power loss cut off, or an "
                    "acknowledged record that was damaged");
  return lines;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(other.descriptor_),
      generation_(other.generation_),
      end_(other.end_),
      torn_bytes_(other.torn_bytes_),
      tail_is_cut_off_(other.tail_is_cut_off_),
      mended_heads_(other.mended_heads_),
      damage_(std::move(other.damage_)),
      broken_(other.broken_),
      entries_(std::move(other.entries_)) {
  other.descriptor_ = -1;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::append(const std::vector<const proto::JournalRecord*>& records) {
  if (broken_)
    throw Error("an earlier write failed and could not be taken back", path_.string(),
                "close the data set and open it again", Error::Kind::kEnvironment);
  std::string bytes;
  std::array<std::vector<JournalEntry>, kTableCount> added;
  for (const proto::JournalRecord* record : records) {
    const std::string payload = check_text(*record, record->SerializeAsString(), path_);
    const RecordHead head{.length = static_cast<std::uint32_t>(payload.size()), .zero = 0, .checksum = hash64(payload)};
    KG_CHECK_EQ(static_cast<std::size_t>(head.length), payload.size());
    bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
    added[static_cast<std::size_t>(table_of(*record))].push_back({end_ + bytes.size(), head.length});
    bytes += payload;
  }
  if (!write_at(descriptor_, bytes.data(), bytes.size(), end_) || ::fdatasync(descriptor_) != 0) {
    const int reason = errno;
    if (::ftruncate(descriptor_, static_cast<off_t>(end_)) != 0 || ::fsync(descriptor_) != 0) broken_ = true;
    errno = reason;
    fail("cannot store " + std::to_string(records.size()) + " records, none of them counts", path_);
  }
  const std::lock_guard lock(mutex_);
  end_ += bytes.size();
  for (std::size_t table = 0; table < kTableCount; ++table)
    entries_[table].insert(entries_[table].end(), added[table].begin(), added[table].end());
}

std::uint64_t Journal::bytes() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

std::uint64_t Journal::rows(Table table) const {
  const std::lock_guard lock(mutex_);
  return entries_[static_cast<std::size_t>(table)].size();
}

void Journal::read(Table table, std::uint64_t row, proto::JournalRecord& record) const {
  JournalEntry entry{};
  {
    const std::lock_guard lock(mutex_);
    const auto& entries = entries_[static_cast<std::size_t>(table)];
    KG_CHECK_LT(row, entries.size());
    entry = entries[row];
  }
  std::string payload(entry.length, '\0');
  if (read_at(descriptor_, payload.data(), payload.size(), entry.offset) < payload.size() ||
      !record.ParseFromString(payload))
    throw Error("a record that was whole at opening cannot be read any more", path_.string(), "check the disk",
                Error::Kind::kEnvironment);
}

std::string journal_file_name(std::uint64_t generation) {
  char text[40];
  std::snprintf(text, sizeof text, "journal-%06llu", static_cast<unsigned long long>(generation));
  return text;
}

std::uint64_t parse_journal_file_name(const std::string& name) {
  unsigned long long generation = 0;
  if (std::sscanf(name.c_str(), "journal-%llu", &generation) != 1) return 0;
  return journal_file_name(generation) == name ? generation : 0;
}

}  // namespace kg::dataset
