#include "dataset/store/segment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "dataset/store/chunk_reader.h"
#include "dataset/store/hdf5_finding.h"

namespace kg::dataset {
namespace {

constexpr const char* kFormat = "kgtrain data set";

std::size_t index_of(Table table) { return static_cast<std::size_t>(table); }

fs::path temporary_beside(const fs::path& path) { return path.string() + ".tmp" + std::to_string(::getpid()); }

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
  hdf5::write_attribute(file, "indexed", std::uint64_t{1});
}

std::string check_root_attributes(hid_t file, const fs::path& path) {
  const auto format = hdf5::read_text_attribute(file, "format");
  const auto version = hdf5::read_number_attribute(file, "format_version");
  if (!format || *format != kFormat || !version)
    throw Error("is an HDF5 file but not a kgtrain data set", path.string(),
                "name a file made by `kgtrain data build` or `kgtrain data import`");
  if (*version != kFormatVersion)
    throw AnotherFormat("has format version " + std::to_string(*version) + ", this kgtrain reads version " +
                            std::to_string(kFormatVersion),
                        path.string(), "use the version of kgtrain that made it, or make it again");
  return hdf5::read_text_attribute(file, "kind").value_or("");
}

SegmentWriter SegmentWriter::in_memory(const SegmentRange& range) {
  return SegmentWriter(range, {}, hdf5::DriverFile::in_memory());
}

SegmentWriter SegmentWriter::on_disk(const SegmentRange& range, const fs::path& path) {
  const fs::path temporary = temporary_beside(path);
  return SegmentWriter(range, temporary, hdf5::DriverFile::on_disk(temporary));
}

SegmentWriter::SegmentWriter(const SegmentRange& range, fs::path temporary, hdf5::DriverFile file)
    : range_(range), temporary_(std::move(temporary)), file_(std::move(file)) {
  hdf5::Guard guard;
  write_root_attributes(file_.id(), "rows");
  hdf5::write_attribute(file_.id(), "first_generation", range.first);
  hdf5::write_attribute(file_.id(), "last_generation", range.last);
  hdf5::write_attribute(file_.id(), "level", range.level);
  for (const Table table : kTables) groups_[index_of(table)] = hdf5::create_group(file_.id(), schema(table).name);
}

SegmentWriter::~SegmentWriter() {
  hdf5::Guard guard;
  for (auto& table : tables_) table.reset();
  for (auto& group : groups_) group.close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void SegmentWriter::append(Table table, const google::protobuf::Message& row) {
  hdf5::Guard guard;
  auto& writer = tables_[index_of(table)];
  if (!writer)
    writer =
        std::make_unique<TableWriter>(file_, groups_[index_of(table)].id(), segment_group_name(range_), schema(table));
  writer->append(row);
  keys_.add(table, row);
}

std::uint64_t SegmentWriter::rows(Table table) const {
  const auto& writer = tables_[index_of(table)];
  return writer ? writer->rows() : 0;
}

SegmentIndex SegmentWriter::finish_tables() {
  SegmentIndex made;
  proto::SegmentHead& head = made.head.emplace();
  head.set_first_generation(range_.first);
  head.set_last_generation(range_.last);
  head.set_level(range_.level);
  for (const Table table : kTables) {
    auto& writer = tables_[index_of(table)];
    if (!writer) continue;
    auto& rows = *head.add_tables();
    rows.set_table(schema(table).name);
    rows.set_rows(writer->rows());
    for (proto::ColumnChunks& column : writer->finish()) {
      const std::string key = column_key(column);
      made.columns[key] = std::move(column);
    }
    writer.reset();
  }
  for (auto& group : groups_) group.close();
  keys_.write(made);
  return made;
}

void SegmentWriter::finish(const fs::path& path, IndexPlace place) {
  hdf5::Guard guard;
  SegmentIndex made = finish_tables();
  const std::string image = file_.close();
  if (temporary_.empty()) {
    temporary_ = temporary_beside(path);
    write_file_atomically(temporary_, image);
  }
  made.head->set_file_bytes(fs::file_size(temporary_));
  {
    const Descriptor written(::open(temporary_.c_str(), O_RDWR | O_CLOEXEC));
    made.head->set_metadata_hash(metadata_hash(written.number(), made.head->file_bytes(), made));
    if (place == IndexPlace::kBehind) {
      const std::string behind = trailer_bytes(made.head->file_bytes(), write_index(made));
      if (::lseek(written.number(), 0, SEEK_END) < 0 || !write_fully(written.number(), behind))
        throw Error("the index cannot be written", path.string(), "free disk space or check the disk",
                    Error::Kind::kEnvironment);
    }
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  fsync_file(temporary_);
  if (place == IndexPlace::kBeside && fs::remove(index_path(path))) fsync_folder(folder);  // index of the replaced file
  fs::rename(temporary_, path);
  temporary_.clear();
  fsync_folder(folder);
  if (place == IndexPlace::kBeside) write_file_durably(index_path(path), write_index(made));
}

Segment::Segment(const fs::path& path) : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!file_.open())
    throw Error(std::string("cannot open a part of the data set: ") + std::strerror(errno), path.string(),
                "the file and the folder beside it belong together");
  const bool had_index = read_own_index();
  if (!index_is_whole_) ask_hdf5(had_index);
  range_ = {
      .first = index_.head->first_generation(), .last = index_.head->last_generation(), .level = index_.head->level()};
  check_metadata();
  for (const Table table : kTables)
    if (index_.rows(schema(table).name) > 0)
      tables_[index_of(table)] = std::make_unique<TableReader>(file_.number(), index_, schema(table),
                                                               path.string() + ":/" + schema(table).name);
}

// False if there is none.
bool Segment::read_own_index() {
  const fs::path beside = index_path(path_);
  const std::string name = path_.filename().string();
  std::string bytes;
  bool damaged = false;
  if (fs::exists(beside)) {
    bytes = read_file(beside);
  } else if (auto trailer = read_trailer(path_)) {
    bytes = std::move(trailer->index);
    damaged = trailer->damaged;
  } else {
    return false;
  }
  IndexScan scan = read_index(bytes);
  index_ = std::move(scan.index);
  index_is_whole_ = scan.whole && index_.head;
  if (damaged || scan.damaged)
    complaints_.push_back(name + ": its index is damaged; " +
                          (index_is_whole_ ? "all of it can still be read" : "HDF5 supplies what is missing in it"));
  if (damaged || scan.damaged) index_needs_writing_ = true;
  return true;
}

// Fills in what the index lacks.
void Segment::ask_hdf5(bool had_index) {
  index_needs_writing_ = true;
  std::set<std::string> known;
  for (const auto& [key, column] : index_.columns) known.insert(key);
  Hdf5Finding found = find_with_hdf5(path_, known);
  refuse_another_format(found);
  for (auto& [key, column] : found.index.columns) index_.columns.try_emplace(key, std::move(column));
  const std::string name = path_.filename().string();
  if (index_.columns.empty() && !found.index.head)
    throw Error(found.failure ? found.failure->what() : "nothing in it can be read", path_.string(),
                found.failure ? found.failure->hint() : "take it from a backup", Error::Kind::kFailed);
  if (found.failure) {
    complaints_.push_back(name + ": " + found.failure->what());
    metadata_is_sound_ = false;
    // The original columns are unknown: use those of a table that has others.
    std::set<std::string> tables;
    for (const auto& [key, column] : index_.columns) tables.insert(column.table());
    for (const Table table : kTables)
      if (tables.contains(schema(table).name))
        for (const auto& [dataset, type] : datasets_of(schema(table)))
          found.index.lost.insert(schema(table).name + "/" + dataset);
  }
  const bool counted = index_.head && index_.head->columns() == index_.columns.size();
  if (!counted)
    for (const std::string& key : found.index.lost)
      if (!index_.columns.contains(key)) index_.lost.insert(key);
  if (!index_.head) index_.head = found.index.head;
  if (!index_.head) index_.head = head_from_columns();
  const bool in_folder = parse_segment_file_name(name).has_value();  // where the next writer makes an index
  if (!had_index && !in_folder && found.root && found.root->indexed())
    complaints_.push_back(name + ": its index is cut off or damaged");
  for (const std::string& key : index_.lost)
    complaints_.push_back(name + ": the column /" + key + " is lost" +
                          (had_index ? "" : ": HDF5 cannot read it, and there is no index"));
}

// The remaining evidence when both the index's head and HDF5's attributes are lost.
proto::SegmentHead Segment::head_from_columns() const {
  proto::SegmentHead head;
  const SegmentRange range = parse_segment_file_name(path_.filename().string()).value_or(SegmentRange{1, 1, 0});
  head.set_first_generation(range.first);
  head.set_last_generation(range.last);
  for (const Table table : kTables) {
    auto& rows = *head.add_tables();
    rows.set_table(schema(table).name);
    rows.set_rows(index_.rows(schema(table).name));
  }
  return head;
}

void Segment::check_metadata() {
  struct stat info{};
  if (index_.head->file_bytes() == 0 || ::fstat(file_.number(), &info) != 0) return;
  const std::string name = path_.filename().string();
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::uint64_t wanted = index_.head->file_bytes();
  if (size < wanted) {
    metadata_is_sound_ = false;
    complaints_.push_back(name + ": has " + std::to_string(size) + " bytes, but had " + std::to_string(wanted) +
                          ": everything after that is lost");
  } else if (index_.lost.empty() && metadata_hash(file_.number(), wanted, index_) != index_.head->metadata_hash()) {
    metadata_is_sound_ = false;
    complaints_.push_back(name +
                          ": HDF5's own part of the file is damaged, so h5py may be unable to read it; kgtrain reads "
                          "its rows with the index");
  }
}

std::uint64_t Segment::rows(Table table) const {
  const auto& reader = tables_[index_of(table)];
  return reader ? reader->rows() : 0;
}

void Segment::read(Table table, std::uint64_t row, google::protobuf::Message& message,
                   const std::vector<std::size_t>* columns) const {
  const std::lock_guard lock(mutex_);
  KG_CHECK(tables_[index_of(table)] != nullptr);
  message.Clear();
  tables_[index_of(table)]->read(row, message, columns);
}

void Segment::release() const {
  const std::lock_guard lock(mutex_);
  for (const auto& table : tables_)
    if (table) table->release();
}

}  // namespace kg::dataset
