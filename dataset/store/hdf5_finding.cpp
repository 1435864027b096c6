#include "dataset/store/hdf5_finding.h"

#include <algorithm>
#include <cstring>

#include "base/descriptor.h"
#include "base/error.h"
#include "dataset/store/byte_pool.h"
#include "dataset/store/chunk_reader.h"
#include "dataset/store/column.h"
#include "dataset/store/in_child.h"
#include "dataset/store/schema.h"
#include "dataset/store/segment.h"

namespace kg::dataset {
namespace {

constexpr double kSilenceSeconds = 20;
constexpr int kMostCrashes = 64;
constexpr std::uint64_t kMostElements = 1ULL << 40;

void send(int to, const proto::Hdf5Finding& finding) {
  const std::string text = finding.SerializeAsString();
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += text;
  if (!write_fully(to, bytes)) throw std::runtime_error("nobody listens");
}

void send_lost(int to, const std::string& key) {
  proto::Hdf5Finding finding;
  finding.set_lost(key);
  send(to, finding);
}

// A dataset in one piece, as other programs write small ones: cut into chunks here, the last of which is shorter.
void cut_up(hid_t dataset, std::uint64_t elements, std::uint64_t width, proto::ColumnChunks& chunks) {
  constexpr std::uint64_t kPiece = 65536;
  chunks.set_chunk_elements(kPiece);
  const haddr_t begin = elements == 0 ? HADDR_UNDEF : H5Dget_offset(dataset);
  for (std::uint64_t at = 0; at < elements; at += kPiece) {
    chunks.add_offsets(begin == HADDR_UNDEF ? kUnknownOffset : begin + at * width);
    chunks.add_sizes(static_cast<std::uint32_t>(std::min(kPiece, elements - at) * width));
    chunks.add_skipped(0);
  }
}

// The places of one dataset's chunks.
proto::ColumnChunks look_up(hdf5::DriverFile& file, hid_t group, const std::string& table, const std::string& name,
                            ElementType type) {
  const hdf5::Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, "open the column", name);
  const hdf5::Handle space(H5Dget_space(dataset.id()), H5Sclose, "read the extent", name);
  const hdf5::Handle stored(H5Dget_type(dataset.id()), H5Tclose, "read the type", name);
  const hdf5::Handle layout(H5Dget_create_plist(dataset.id()), H5Pclose, "read the layout", name);
  hsize_t size = 0, chunk = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1 || H5Sget_simple_extent_dims(space.id(), &size, nullptr) != 1 ||
      H5Tequal(stored.id(), hdf5_type(type)) <= 0 || size > kMostElements)
    throw Error("a column does not have the form that format version 1 gives it", name,
                "see docs/reference/data-format.md");
  const bool in_one_piece = H5Pget_layout(layout.id()) == H5D_CONTIGUOUS;
  if (!in_one_piece && (H5Pget_chunk(layout.id(), 1, &chunk) != 1 || chunk == 0))
    throw Error("a column does not have the form that format version 1 gives it", name,
                "see docs/reference/data-format.md");
  proto::ColumnChunks chunks;
  chunks.set_table(table);
  chunks.set_dataset(name);
  chunks.set_type(element_type_name(type));
  chunks.set_elements(size);
  if (in_one_piece) {
    cut_up(dataset.id(), size, element_bytes(type), chunks);
    return chunks;
  }
  chunks.set_chunk_elements(chunk);
  for (int i = 0, n = H5Pget_nfilters(layout.id()); i < n; ++i) {
    unsigned flags = 0, configuration = 0;
    std::size_t values = 0;
    chunks.add_filters(static_cast<std::uint32_t>(
        H5Pget_filter2(layout.id(), static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &configuration)));
  }
  char nothing[1];
  for (hsize_t begin = 0; begin < size; begin += chunk) {
    std::uint32_t skipped = 0;
    file.take_last_raw();
    // The driver does not read, it only notes where HDF5 would.
    const bool found = H5Dread_chunk(dataset.id(), H5P_DEFAULT, &begin, &skipped, nothing) >= 0;
    const hdf5::Extent place = file.take_last_raw();
    chunks.add_offsets(found && place.size > 0 ? place.offset : kUnknownOffset);
    chunks.add_sizes(found ? static_cast<std::uint32_t>(place.size) : 0);
    chunks.add_skipped(skipped);
  }
  return chunks;
}

class Finder {
 public:
  Finder(const fs::path& path, const std::set<std::string>& known, int to)
      : file_(hdf5::DriverFile::open(path)), path_(path), known_(known), to_(to) {}

  void run() {
    proto::Hdf5Finding finding;
    auto& root = *finding.mutable_root();
    root.set_kind(check_root_attributes(file_.id(), path_));
    root.set_folder(hdf5::read_text_attribute(file_.id(), "folder").value_or(""));
    root.set_segments(hdf5::read_text_attribute(file_.id(), "segments").value_or(""));
    root.set_indexed(hdf5::read_number_attribute(file_.id(), "indexed").value_or(0) != 0);
    send(to_, finding);
    if (root.kind() == "links") return;
    const auto first = hdf5::read_number_attribute(file_.id(), "first_generation");
    const auto last = hdf5::read_number_attribute(file_.id(), "last_generation");
    if (!first || !last)
      throw Error("the attributes first_generation and last_generation are missing", path_.string(),
                  "the file is damaged");
    file_.only_locate_raw();
    const SegmentRange range{
        .first = *first, .last = *last, .level = hdf5::read_number_attribute(file_.id(), "level").value_or(0)};
    std::vector<proto::ColumnChunks> columns;
    head_.set_first_generation(range.first);
    head_.set_last_generation(range.last);
    head_.set_level(range.level);
    for (const Table table : kTables) look_at(schema(table), segment_group_name(range));
    *finding.mutable_head() = head_;
    send(to_, finding);
  }

 private:
  void look_at(const TableSchema& schema, const std::string& group_name) {
    try {
      const htri_t has_table = H5Lexists(file_.id(), schema.name.c_str(), H5P_DEFAULT);
      if (has_table == 0) return;
      const hdf5::Handle table = hdf5::open_group(file_.id(), schema.name, path_.string());
      const htri_t has_group = H5Lexists(table.id(), group_name.c_str(), H5P_DEFAULT);
      if (has_group == 0) return;
      const hdf5::Handle group = hdf5::open_group(table.id(), group_name, path_.string());
      for (const auto& [name, type] : datasets_of(schema)) look_at(group.id(), schema.name, name, type);
      const auto rows = hdf5::read_number_attribute(group.id(), "rows");
      if (!rows) return;
      auto& counted = *head_.add_tables();
      counted.set_table(schema.name);
      counted.set_rows(*rows);
    } catch (const Error&) {
      for (const auto& [name, type] : datasets_of(schema)) send_lost(to_, schema.name + "/" + name);
    }
  }

  void look_at(hid_t group, const std::string& table, const std::string& name, ElementType type) {
    const std::string key = table + "/" + name;
    if (known_.contains(key)) return;
    const htri_t exists = H5Lexists(group, name.c_str(), H5P_DEFAULT);
    if (exists == 0) return;
    proto::Hdf5Finding finding;
    finding.set_starting(key);
    send(to_, finding);
    try {
      *finding.mutable_column() = look_up(file_, group, table, name, type);
    } catch (const Error&) {
      finding.set_lost(key);
    }
    send(to_, finding);
  }

  hdf5::DriverFile file_;
  fs::path path_;
  const std::set<std::string>& known_;
  int to_;
  proto::SegmentHead head_;
};

void find(const fs::path& path, const std::set<std::string>& known, int to) {
  proto::Hdf5Finding finding;
  auto& failure = *finding.mutable_failure();
  try {
    hdf5::Guard guard;
    Finder(path, known, to).run();
    return;
  } catch (const AnotherFormat& error) {
    failure.set_another_format(true);
    failure.set_what(error.what());
    failure.set_where(error.where());
    failure.set_hint(error.hint());
  } catch (const Error& error) {
    failure.set_what(error.what());
    failure.set_where(error.where());
    failure.set_hint(error.hint());
  }
  send(to, finding);
}

// The column that the child was looking at when it ended, if any.
std::string take(const std::string& bytes, Hdf5Finding& found) {
  std::string looking_at;
  std::size_t position = 0;
  for (std::uint32_t length = 0; position + sizeof length <= bytes.size(); position += length) {
    std::memcpy(&length, bytes.data() + position, sizeof length);
    position += sizeof length;
    proto::Hdf5Finding finding;
    if (length > bytes.size() - position || !finding.ParseFromArray(bytes.data() + position, static_cast<int>(length)))
      break;
    looking_at.clear();
    if (finding.has_root()) found.root = finding.root();
    if (finding.has_head()) found.index.head = finding.head();
    if (finding.has_failure()) found.failure = finding.failure();
    if (!finding.starting().empty()) looking_at = finding.starting();
    if (!finding.lost().empty()) found.index.lost.insert(finding.lost());
    if (finding.has_column()) {
      const std::string key = column_key(finding.column());
      found.index.columns[key] = std::move(*finding.mutable_column());
    }
  }
  return looking_at;
}

}  // namespace

Hdf5Finding find_with_hdf5(const fs::path& path, const std::set<std::string>& known) {
  for (const Table table : kTables) schema(table);  // made before the fork, which must not wait for a lock
  Hdf5Finding found;
  std::set<std::string> skipped = known;
  std::string end;
  for (int crash = 0; crash < kMostCrashes; ++crash) {
    const ChildOutput output = run_in_child([&](int to) { find(path, skipped, to); }, kSilenceSeconds);
    const std::string looking_at = take(output.bytes, found);
    if (output.ended_well) return found;
    end = output.end;
    if (looking_at.empty()) break;
    // HDF5 crashes on this column: the others may be sound.
    found.index.lost.insert(looking_at);
    skipped.insert(looking_at);
    for (const auto& [key, column] : found.index.columns) skipped.insert(key);
    skipped.insert(found.index.lost.begin(), found.index.lost.end());
  }
  if (!found.failure) {
    found.failure.emplace();
    found.failure->set_what("HDF5 cannot read the file: it crashed or hung (" + end + ")");
    found.failure->set_where(path.string());
    found.failure->set_hint("the file is damaged: kgtrain data repair FILE saves what can be read");
  }
  return found;
}

void refuse_another_format(const Hdf5Finding& finding) {
  if (finding.failure && finding.failure->another_format())
    throw Error(finding.failure->what(), finding.failure->where(), finding.failure->hint());
}

}  // namespace kg::dataset
