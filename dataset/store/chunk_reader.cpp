#include "dataset/store/chunk_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/hash.h"
#include "dataset/store/chunk_codec.h"
#include "dataset/store/column.h"

namespace kg::dataset {
namespace {

constexpr std::uint64_t kLargestChunk = 64 << 20;  // bytes; ours have at most 64 KiB

// As far as this can be decided without decompressing the chunk.
std::string what_is_wrong(const proto::ColumnChunks& column, std::uint64_t index, std::string_view stored) {
  const auto i = static_cast<int>(index);
  const std::size_t width = column_width(column);
  if (width == 0 || column.chunk_elements() > kLargestChunk / width) return "the column's description is damaged";
  if (i >= column.offsets_size() || column.offsets(i) == kUnknownOffset) return "its place in the file is unknown";
  if (stored.size() != column.sizes(i)) return "the file ends within it";
  const bool has_checksum = i < column.checksums_size();
  return has_checksum && hash64(stored) != column.checksums(i) ? "its checksum does not match" : "";
}

}  // namespace

DamageError::DamageError(const std::string& what, const std::string& where)
    : Error(what, where, "kgtrain data repair FILE saves what can be read and says what is lost", Kind::kFailed) {}

std::uint64_t chunk_count(const proto::ColumnChunks& column) {
  return column.chunk_elements() == 0 ? 0 : (column.elements() + column.chunk_elements() - 1) / column.chunk_elements();
}

std::size_t column_width(const proto::ColumnChunks& column) {
  const auto type = element_type_from_name(column.type());
  return type ? element_bytes(*type) : 0;
}

std::string stored_chunk(int descriptor, const proto::ColumnChunks& column, std::uint64_t index) {
  const auto i = static_cast<int>(index);
  if (i >= column.offsets_size() || i >= column.sizes_size() || column.offsets(i) == kUnknownOffset ||
      column.sizes(i) > kLargestChunk)
    return "";
  std::string stored(column.sizes(i), '\0');
  std::size_t got = 0;
  while (got < stored.size()) {
    const ssize_t n =
        ::pread(descriptor, stored.data() + got, stored.size() - got, static_cast<off_t>(column.offsets(i) + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  stored.resize(got);
  return stored;
}

std::string look_at_chunk(const proto::ColumnChunks& column, std::uint64_t index, std::string_view stored) {
  const bool has_checksum = index < static_cast<std::uint64_t>(column.checksums_size());
  if (has_checksum) return what_is_wrong(column, index, stored);
  std::string raw;
  return unpack_chunk(column, index, stored, raw);
}

std::string unpack_chunk(const proto::ColumnChunks& column, std::uint64_t index, std::string_view stored,
                         std::string& raw) {
  if (std::string wrong = what_is_wrong(column, index, stored); !wrong.empty()) return wrong;
  const auto i = static_cast<int>(index);
  const std::size_t width = column_width(column);
  const std::vector<std::uint32_t> filters(column.filters().begin(), column.filters().end());
  const std::uint32_t skipped = i < column.skipped_size() ? column.skipped(i) : 0;
  // HDF5 fills its last chunk up; the last one of a column in one piece ends with the column.
  const std::uint64_t rest =
      column.elements() - std::min<std::uint64_t>(column.elements(), index * column.chunk_elements());
  if (filters.empty() && rest < column.chunk_elements() && stored.size() == rest * width) {
    raw = stored;
    raw.resize(column.chunk_elements() * width);
    return "";
  }
  if (!decode_chunk(stored, filters, skipped, width, column.chunk_elements() * width, raw))
    return "its bytes cannot be decompressed";
  return "";
}

}  // namespace kg::dataset
