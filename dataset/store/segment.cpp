#include "dataset/store/segment.h"

#include <unistd.h>

#include <cstdio>

#include "base/check.h"
#include "base/error.h"

namespace kg::dataset {
namespace {

constexpr const char* kFormat = "kgtrain data set";

std::size_t index(Table table) { return static_cast<std::size_t>(table); }

std::string six_digits(std::uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%06llu", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

std::string segment_group_name(const SegmentRange& range) { return "segment_" + six_digits(range.first); }

std::string segment_file_name(const SegmentRange& range) {
  return "segment-" + six_digits(range.first) + "-" + six_digits(range.last) + ".h5";
}

std::optional<SegmentRange> parse_segment_file_name(const std::string& name) {
  unsigned long long first = 0, last = 0;
  if (std::sscanf(name.c_str(), "segment-%llu-%llu.h5", &first, &last) != 2) return std::nullopt;
  const SegmentRange range{.first = first, .last = last};
  if (segment_file_name(range) != name || first == 0 || last < first) return std::nullopt;
  return range;
}

void write_root_attributes(hid_t file, const std::string& kind) {
  hdf5::write_attribute(file, "format", kFormat);
  hdf5::write_attribute(file, "format_version", kFormatVersion);
  hdf5::write_attribute(file, "kind", kind);
}

std::string check_root_attributes(hid_t file, const fs::path& path) {
  const auto format = hdf5::read_text_attribute(file, "format");
  const auto version = hdf5::read_number_attribute(file, "format_version");
  if (!format || *format != kFormat || !version)
    throw Error("is an HDF5 file but no kgtrain data set", path.string(),
                "name a file made by `kgtrain data build` or `kgtrain data import`");
  if (*version != kFormatVersion)
    throw Error("has format version " + std::to_string(*version) + ", this kgtrain reads version " +
                    std::to_string(kFormatVersion),
                path.string(), "use the kgtrain that made it, or make it again");
  return hdf5::read_text_attribute(file, "kind").value_or("");
}

SegmentWriter SegmentWriter::in_memory(const SegmentRange& range) { return SegmentWriter(range, {}); }

SegmentWriter SegmentWriter::on_disk(const SegmentRange& range, const fs::path& path) {
  return SegmentWriter(range, path.string() + ".tmp" + std::to_string(::getpid()));
}

SegmentWriter::SegmentWriter(const SegmentRange& range, fs::path temporary)
    : range_(range), temporary_(std::move(temporary)) {
  hdf5::Guard guard;
  if (temporary_.empty())
    memory_ = std::make_unique<hdf5::MemoryFile>();
  else
    file_ = hdf5::create_file(temporary_);
  const hid_t file = memory_ ? memory_->id() : file_.id();
  write_root_attributes(file, "rows");
  hdf5::write_attribute(file, "first_generation", range.first);
  hdf5::write_attribute(file, "last_generation", range.last);
  hdf5::write_attribute(file, "level", range.level);
  for (const Table table : kTables) groups_[index(table)] = hdf5::create_group(file, schema(table).name);
}

SegmentWriter::~SegmentWriter() {
  hdf5::Guard guard;
  for (auto& table : tables_) table.reset();
  for (auto& group : groups_) group.close();
  file_.close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void SegmentWriter::append(Table table, const google::protobuf::Message& row) {
  hdf5::Guard guard;
  auto& writer = tables_[index(table)];
  if (!writer)
    writer = std::make_unique<TableWriter>(groups_[index(table)].id(), segment_group_name(range_), schema(table));
  writer->append(row);
}

std::uint64_t SegmentWriter::rows(Table table) const {
  const auto& writer = tables_[index(table)];
  return writer ? writer->rows() : 0;
}

void SegmentWriter::finish(const fs::path& path) {
  hdf5::Guard guard;
  for (auto& table : tables_) {
    if (table) table->finish();
    table.reset();
  }
  for (auto& group : groups_) group.close();
  if (memory_) return write_file_durably(path, memory_->close_and_take());
  hdf5::check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "write the file", temporary_.string());
  file_.close();
  fsync_file(temporary_);
  fs::rename(temporary_, path);
  temporary_.clear();
  fsync_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

Segment::Segment(const fs::path& path) {
  hdf5::Guard guard;
  file_ = hdf5::open_file(path);
  check_root_attributes(file_.id(), path);
  const auto first = hdf5::read_number_attribute(file_.id(), "first_generation");
  const auto last = hdf5::read_number_attribute(file_.id(), "last_generation");
  if (!first || !last)
    throw Error("the attributes first_generation and last_generation are missing", path.string(),
                "the file is damaged");
  range_ = {.first = *first, .last = *last, .level = hdf5::read_number_attribute(file_.id(), "level").value_or(0)};
  for (const Table table : kTables) {
    const std::string name = schema(table).name;
    if (!hdf5::has_link(file_.id(), name)) continue;
    const hdf5::Handle group = hdf5::open_group(file_.id(), name, path.string());
    if (!hdf5::has_link(group.id(), segment_group_name(range_))) continue;
    const std::string where = path.string() + ":/" + name + "/" + segment_group_name(range_);
    tables_[index(table)] = std::make_unique<TableReader>(
        hdf5::open_group(group.id(), segment_group_name(range_), where), schema(table), where);
  }
}

std::uint64_t Segment::rows(Table table) const {
  const auto& reader = tables_[index(table)];
  return reader ? reader->rows() : 0;
}

void Segment::read(Table table, std::uint64_t row, google::protobuf::Message& message,
                   const std::vector<std::size_t>* columns) const {
  hdf5::Guard guard;
  KG_CHECK(tables_[index(table)] != nullptr);
  message.Clear();
  tables_[index(table)]->read(row, message, columns);
}

void Segment::release() const {
  hdf5::Guard guard;
  for (const auto& table : tables_)
    if (table) table->release();
}

}  // namespace kg::dataset
