#include "dataset/store/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "dataset/store/journal_format.h"

namespace kg::dataset {
namespace {

constexpr std::uint32_t kUnknownVersion = 0xffffffff;
constexpr int kReadAgain = 100;  // times, each of which found other bytes than the one before

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

// The number of bytes that can be read, up to `size`.
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

std::string read_whole(int descriptor, const fs::path& path) {
  struct stat info{};
  if (::fstat(descriptor, &info) != 0) fail("cannot read the journal", path);
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  bytes.resize(read_at(descriptor, bytes.data(), bytes.size(), 0));
  return bytes;
}

std::string check_text(const proto::JournalRecord& record, const std::string& payload, const fs::path& path) {
  // protobuf writes text that is not UTF-8 but refuses to read it: find out before the record counts.
  proto::JournalRecord again;
  if (!again.ParseFromString(payload))
    throw Error("a record holds text that is not UTF-8", path.string(),
                "replace the invalid bytes before storing it: " + record.ShortDebugString().substr(0, 200));
  return payload;
}

std::uint32_t header_checksum(JournalHeader header) {
  header.checksum = 0;
  return static_cast<std::uint32_t>(hash64({reinterpret_cast<const char*>(&header), sizeof header}));
}

}  // namespace

// Under a temporary name until it is complete, so a journal shorter than a step must have been truncated.
Journal Journal::create(const fs::path& path, std::uint64_t generation) {
  const fs::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail("cannot make the journal", path);
  Journal journal(path, descriptor, generation);
  JournalHeader header{.version = kJournalVersion, .checksum = 0, .generation = generation};
  std::memcpy(header.magic, kJournalMagic, sizeof kJournalMagic);
  header.checksum = header_checksum(header);
  try {
    journal.make_room(kJournalStep);
    if (!write_at(descriptor, reinterpret_cast<const char*>(&header), sizeof header, 0) || ::fsync(descriptor) != 0 ||
        ::rename(temporary.c_str(), path.c_str()) != 0)
      fail("cannot write the journal", path);
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
  fsync_folder(path.parent_path());
  journal.end_ = sizeof header;
  return journal;
}

Journal Journal::open(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot open the journal", path);
  Journal journal(path, descriptor, parse_journal_file_name(path.stem().string()));
  std::string bytes = read_whole(descriptor, path);
  std::uint32_t version = journal.read_header(bytes);
  if (version == 0) return journal;
  JournalScan scan = scan_journal(bytes, version == kOldJournalVersion ? kOldJournalVersion : kJournalVersion);
  if (version == kUnknownVersion) {
    // Read in the wrong way, every record seems to have damage before it.
    JournalScan old = scan_journal(bytes, kOldJournalVersion);
    const bool is_old = old.records.damage.size() < scan.records.damage.size();
    version = is_old ? kOldJournalVersion : kJournalVersion;
    if (is_old) scan = std::move(old);
  }
  // A concurrent writer may be at work: pages read before it wrote a record, next to pages read after, look like damage
  // followed by records. Real damage is still there when it is read again.
  for (int again = 0; again < kReadAgain && !scan.records.damage.empty(); ++again) {
    std::string later = read_whole(descriptor, path);
    if (later == bytes) break;
    bytes = std::move(later);
    scan = scan_journal(bytes, version);
  }
  journal.take(std::move(scan), bytes, version);
  return journal;
}

// The version, kUnknownVersion if the header is damaged, 0 if there is nothing to scan. A damaged header does
// not hide the records after it, which have their own checksums.
std::uint32_t Journal::read_header(std::string_view bytes) {
  const std::string name = path_.filename().string();
  JournalHeader header{}, zero{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  const bool short_of_header = bytes.size() < sizeof header;
  if (short_of_header || std::memcmp(&header, &zero, sizeof header) == 0) {
    torn_bytes_ = short_of_header ? bytes.size() : 0;
    // Version 1 began like this after a kill; since then a journal gets its name when it is complete.
    if (bytes.size() < kJournalStep)
      complaints_.push_back(name + ": has " + std::to_string(bytes.size()) +
                            " bytes and no header: either it was cut off and its records are lost, or an old kgtrain "
                            "was killed while making it");
    if (short_of_header || bytes.find_first_not_of('\0') == std::string_view::npos) return 0;
  }
  const bool magic = std::memcmp(header.magic, kJournalMagic, sizeof kJournalMagic) == 0;
  const bool generation = header.generation == generation_;
  const bool is_old = header.version == kOldJournalVersion && header.checksum == 0;
  if (header.checksum == header_checksum(header) && magic && generation) {
    if (header.version == kJournalVersion) return kJournalVersion;
    throw Error("has journal version " + std::to_string(header.version) + ", this kgtrain reads version " +
                    std::to_string(kJournalVersion),
                path_.string(), "open the data set once with the kgtrain that wrote it");
  }
  if (is_old && magic && generation) return kOldJournalVersion;
  if (!magic && !generation && header.version != kJournalVersion && !is_old)
    complaints_.push_back(name + ": the header is not a journal's; the records found after it are read");
  else
    complaints_.push_back(name + ": the header is damaged; the records after it are read");
  return kUnknownVersion;
}

void Journal::take(JournalScan scan, std::string_view bytes, std::uint32_t version) {
  entries_ = std::move(scan.entries);
  end_ = scan.records.end;
  const std::size_t last = bytes.find_last_not_of('\0');
  torn_bytes_ = last == std::string_view::npos || last < end_ ? 0 : last + 1 - end_;
  const std::string name = path_.filename().string();
  for (const RecordGap& gap : scan.records.damage)
    complaints_.push_back(name + ": " + std::to_string(gap.bytes) + " bytes from byte " + std::to_string(gap.offset) +
                          " are damaged; at least one acknowledged record is lost with them");
  if (scan.records.mended_heads > 0)
    complaints_.push_back(name +
                          ": records read in spite of a damaged head: " + std::to_string(scan.records.mended_heads));
  if (version == kJournalVersion && (bytes.size() % kJournalStep != 0 || scan.records.tail_ends_within_record))
    complaints_.push_back(name + ": was cut off at byte " + std::to_string(bytes.size()) +
                          (end_ + sizeof(RecordHead) < bytes.size() && torn_bytes_ == 0
                               ? ", after its last record; nothing is lost"
                               : "; the records after it are lost"));
  else if (torn_bytes_ > 0 && !scan.records.tail_is_cut_off)
    complaints_.push_back(name + ": " + std::to_string(torn_bytes_) +
                          " bytes at the end are not a whole record: either a power loss cut off a write, or an "
                          "acknowledged record was damaged");
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(other.descriptor_),
      generation_(other.generation_),
      end_(other.end_),
      laid_out_(other.laid_out_),
      torn_bytes_(other.torn_bytes_),
      complaints_(std::move(other.complaints_)),
      broken_until_(other.broken_until_),
      entries_(std::move(other.entries_)) {
  other.descriptor_ = -1;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Appends whole steps of zeros, durably, up to at least `end`.
void Journal::make_room(std::uint64_t end) {
  if (end <= laid_out_) return;
  const std::uint64_t size = (end + kJournalStep - 1) / kJournalStep * kJournalStep;
  const int failed =
      ::posix_fallocate(descriptor_, static_cast<off_t>(laid_out_), static_cast<off_t>(size - laid_out_));
  if (failed == 0 && ::fsync(descriptor_) == 0) {
    laid_out_ = size;
    return;
  }
  const int reason = failed != 0 ? failed : errno;
  // Zeros that were already appended may stay: they hold no record.
  [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, static_cast<off_t>(laid_out_));
  errno = reason;
  fail("cannot make room in the journal; nothing of this call is stored", path_);
}

// Writes zeros over everything after `end_`: that space is already allocated, however full the disk is.
void Journal::take_back(std::uint64_t end) {
  const std::string zeroes(static_cast<std::size_t>(end - end_), '\0');
  const bool done = write_at(descriptor_, zeroes.data(), zeroes.size(), end_) && ::fsync(descriptor_) == 0;
  broken_until_ = done ? 0 : end;
}

void Journal::append(const std::vector<const proto::JournalRecord*>& records) {
  if (broken_until_ > end_) take_back(broken_until_);
  if (broken_until_ > end_)
    throw Error("an earlier write failed and cannot be undone", path_.string(),
                "free disk space or check the disk; what was acknowledged is safe", Error::Kind::kEnvironment);
  std::string bytes;
  std::array<std::vector<JournalEntry>, kTableCount> added;
  for (const proto::JournalRecord* record : records) {
    const std::string payload = check_text(*record, record->SerializeAsString(), path_);
    added[static_cast<std::size_t>(table_of(*record))].push_back(
        {end_ + bytes.size() + sizeof(RecordHead), static_cast<std::uint32_t>(payload.size())});
    append_record(bytes, payload, /*end_mark=*/true);
  }
  make_room(end_ + bytes.size());
  if (!write_at(descriptor_, bytes.data(), bytes.size(), end_) || ::fdatasync(descriptor_) != 0) {
    const int reason = errno;
    take_back(end_ + bytes.size());
    errno = reason;
    fail("cannot store " + std::to_string(records.size()) + " records; none of them is stored", path_);
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
    throw Error("a record that was intact when the journal was opened can no longer be read", path_.string(),
                "check the disk", Error::Kind::kEnvironment);
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
