#include "dataset/store/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"

namespace kg::dataset {
namespace {

constexpr char kMagic[8] = {'K', 'G', 'T', 'J', 'R', 'N', 'L', '\n'};
constexpr std::uint32_t kJournalVersion = 1;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t zero;
  std::uint64_t generation;
};
static_assert(sizeof(Header) == 24);

struct RecordHead {
  std::uint32_t length;
  std::uint32_t zero;
  std::uint64_t checksum;
};
static_assert(sizeof(RecordHead) == 16);

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
  Header header{.version = kJournalVersion, .zero = 0, .generation = generation};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
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
  const auto size = static_cast<std::uint64_t>(info.st_size);
  Header header{};
  const std::size_t got = read_at(descriptor, reinterpret_cast<char*>(&header), sizeof header, 0);
  const Header zero{};
  // A kill, or a power loss, while the journal was made: nothing in it was acknowledged.
  if (got < sizeof header || std::memcmp(&header, &zero, sizeof header) == 0) {
    journal.torn_bytes_ = size;
    return journal;
  }
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.generation != journal.generation_)
    throw Error("is not the journal that its name says", path.string(),
                "restore the folder of the data set as a whole");
  if (header.version != kJournalVersion)
    throw Error("has journal version " + std::to_string(header.version) + ", this kgtrain reads version " +
                    std::to_string(kJournalVersion),
                path.string(), "open the data set once with the kgtrain that wrote it");
  journal.scan(size);
  return journal;
}

void Journal::scan(std::uint64_t size) {
  end_ = sizeof(Header);
  std::uint64_t position = end_;
  std::string payload;
  proto::JournalRecord record;
  while (position + sizeof(RecordHead) <= size) {
    RecordHead head{};
    if (read_at(descriptor_, reinterpret_cast<char*>(&head), sizeof head, position) < sizeof head) break;
    if (head.length == 0 || head.length > size - position - sizeof head) break;
    payload.resize(head.length);
    const std::uint64_t begin = position + sizeof head;
    if (read_at(descriptor_, payload.data(), payload.size(), begin) < payload.size()) break;
    position = begin + head.length;
    // A record whose bytes did not reach the disk; one after it may have.
    if (hash64(payload) != head.checksum || !record.ParseFromString(payload)) continue;
    if (record.record_case() == proto::JournalRecord::RECORD_NOT_SET) continue;
    entries_[static_cast<std::size_t>(table_of(record))].push_back({begin, head.length});
    end_ = position;
  }
  torn_bytes_ = size - end_;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(other.descriptor_),
      generation_(other.generation_),
      end_(other.end_),
      torn_bytes_(other.torn_bytes_),
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
  std::array<std::vector<Entry>, kTableCount> added;
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
  Entry entry{};
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
