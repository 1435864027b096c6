#include "dataset/store/segment_index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/hash.h"
#include "dataset/store/chunk_reader.h"
#include "dataset/store/record_scan.h"

namespace kg::dataset {
namespace {

constexpr char kMagic[8] = {'K', 'G', 'T', 'I', 'N', 'D', 'X', '\n'};
constexpr std::uint32_t kVersion = 1;

struct IndexHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t zero;
};
static_assert(sizeof(IndexHeader) == 16);

// The last bytes of a file with an index after its HDF5 part.
struct Footer {
  std::uint64_t offset;
  std::uint64_t checksum;  // XXH3-64 of `offset`
  char magic[8];
};
static_assert(sizeof(Footer) == 24);

constexpr std::uint64_t kSearched = 256 << 20;  // bytes searched from the end of a file with a damaged footer

std::uint64_t checksum_of(std::uint64_t offset) {
  return hash64({reinterpret_cast<const char*>(&offset), sizeof offset});
}

std::string header_bytes() {
  IndexHeader header{.version = kVersion, .zero = 0};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

void add(std::string& bytes, const proto::IndexRecord& record) {
  append_record(bytes, record.SerializeAsString(), /*end_mark=*/false);
}

std::string read_part(int descriptor, std::uint64_t begin, std::uint64_t size) {
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(descriptor, bytes.data() + got, size - got, static_cast<off_t>(begin + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

void take(proto::IndexRecord record, IndexScan& scan, std::uint32_t& keys) {
  SegmentIndex& index = scan.index;
  switch (record.record_case()) {
    case proto::IndexRecord::kHead:
      index.head = std::move(*record.mutable_head());
      return;
    case proto::IndexRecord::kColumn: {
      const std::string key = column_key(record.column());
      index.columns[key] = std::move(*record.mutable_column());
      return;
    }
    case proto::IndexRecord::kRolloutKeys:
      ++keys;
      index.rollout_keys.push_back(std::move(*record.mutable_rollout_keys()));
      return;
    case proto::IndexRecord::kWorkRanges:
      ++keys;
      index.work_ranges = std::move(*record.mutable_work_ranges());
      return;
    case proto::IndexRecord::kHashedKeys: {
      ++keys;
      const std::string table = record.hashed_keys().table();
      index.hashed_keys[table] = std::move(*record.mutable_hashed_keys());
      return;
    }
    case proto::IndexRecord::kLinks:
      scan.links = std::move(*record.mutable_links());
      return;
    case proto::IndexRecord::RECORD_NOT_SET:
      return;
  }
}

}  // namespace

std::string column_key(const proto::ColumnChunks& column) { return column.table() + "/" + column.dataset(); }

std::uint64_t SegmentIndex::rows(const std::string& table) const {
  if (head)
    for (const proto::TableRows& one : head->tables())
      if (one.table() == table) return one.rows();
  // Offsets have an entry more than there are rows.
  std::uint64_t rows = 0;
  for (const auto& [key, column] : columns) {
    if (column.table() != table) continue;
    const std::string pool = key.substr(0, key.rfind('_')) + "_offsets";
    if (key == pool)
      rows = std::max(rows, column.elements() - (column.elements() > 0 ? 1 : 0));
    else if (!columns.contains(pool))
      rows = std::max(rows, column.elements());
  }
  return rows;
}

std::string write_index(const SegmentIndex& index) {
  KG_CHECK(index.head.has_value());
  std::string bytes = header_bytes();
  proto::IndexRecord record;
  *record.mutable_head() = *index.head;
  record.mutable_head()->set_columns(static_cast<std::uint32_t>(index.columns.size()));
  record.mutable_head()->set_key_records(
      index.keys_known ? static_cast<std::uint32_t>(index.rollout_keys.size() + index.hashed_keys.size() + 1) : 0);
  add(bytes, record);
  for (const auto& [key, column] : index.columns) {
    *record.mutable_column() = column;
    add(bytes, record);
  }
  if (!index.keys_known) return bytes;
  for (const proto::RolloutKeys& keys : index.rollout_keys) {
    *record.mutable_rollout_keys() = keys;
    add(bytes, record);
  }
  *record.mutable_work_ranges() = index.work_ranges;
  add(bytes, record);
  for (const auto& [table, keys] : index.hashed_keys) {
    *record.mutable_hashed_keys() = keys;
    add(bytes, record);
  }
  return bytes;
}

std::string write_links_index(const proto::LinkHead& links) {
  std::string bytes = header_bytes();
  proto::IndexRecord record;
  *record.mutable_links() = links;
  add(bytes, record);
  return bytes;
}

IndexScan read_index(std::string_view bytes) {
  IndexScan scan;
  const std::string header = header_bytes();
  std::uint32_t keys = 0;
  const RecordScan records =
      scan_records(bytes, header.size(), /*end_marks=*/false, [&](std::uint64_t offset, std::uint32_t length) {
        proto::IndexRecord record;
        if (!record.ParseFromArray(bytes.data() + offset, static_cast<int>(length))) return false;
        if (record.record_case() == proto::IndexRecord::RECORD_NOT_SET) return true;  // written by a newer kgtrain
        take(std::move(record), scan, keys);
        return true;
      });
  const auto& head = scan.index.head;
  scan.index.keys_known = head && head->key_records() > 0 && keys == head->key_records();
  scan.whole = scan.links || (head && head->columns() == scan.index.columns.size() && keys == head->key_records());
  scan.damaged = !scan.whole || !bytes.starts_with(header) || !records.damage.empty() || records.mended_heads > 0 ||
                 records.end != bytes.size();
  return scan;
}

std::string trailer_bytes(std::uint64_t hdf5_bytes, const std::string& index) {
  Footer footer{.offset = hdf5_bytes, .checksum = checksum_of(hdf5_bytes), .magic = {}};
  std::memcpy(footer.magic, kMagic, sizeof kMagic);
  return index + std::string(reinterpret_cast<const char*>(&footer), sizeof footer);
}

std::optional<Trailer> read_trailer(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!file.open() || ::fstat(file.number(), &info) != 0) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size < sizeof(Footer)) return std::nullopt;
  const std::uint64_t end = size - sizeof(Footer);
  const std::string last = read_part(file.number(), end, sizeof(Footer));
  Footer footer{};
  if (last.size() < sizeof footer) return std::nullopt;
  std::memcpy(&footer, last.data(), sizeof footer);
  const bool found = std::memcmp(footer.magic, kMagic, sizeof kMagic) == 0;
  if (footer.checksum == checksum_of(footer.offset) && footer.offset <= end)
    return Trailer{.offset = footer.offset,
                   .index = read_part(file.number(), footer.offset, end - footer.offset),
                   .damaged = !found};
  const std::uint64_t from = size > kSearched ? size - kSearched : 0;
  std::string tail = read_part(file.number(), from, size - from);
  const std::size_t begin = tail.rfind(header_bytes());
  if (begin == std::string::npos) return std::nullopt;
  return Trailer{.offset = from + begin, .index = tail.substr(begin), .damaged = true};
}

std::uint64_t metadata_hash(int descriptor, std::uint64_t file_bytes, const SegmentIndex& index) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks;  // begin, end
  for (const auto& [key, column] : index.columns)
    for (int i = 0; i < std::min(column.offsets_size(), column.sizes_size()); ++i)
      if (column.offsets(i) != kUnknownOffset)
        chunks.emplace_back(column.offsets(i), column.offsets(i) + column.sizes(i));
  std::sort(chunks.begin(), chunks.end());
  chunks.emplace_back(file_bytes, file_bytes);
  Hash64 hash;
  std::uint64_t position = 0;
  for (const auto& [begin, end] : chunks) {
    while (position < std::min(begin, file_bytes)) {
      const std::uint64_t size = std::min<std::uint64_t>(std::min(begin, file_bytes) - position, 1 << 20);
      const std::string part = read_part(descriptor, position, size);
      hash.add(part);
      if (part.size() < size) return hash.value();  // the file ends early
      position += size;
    }
    position = std::max(position, end);
  }
  return hash.value();
}

fs::path index_path(const fs::path& segment) { return segment.string() + ".index"; }

}  // namespace kg::dataset
