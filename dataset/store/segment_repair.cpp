#include "dataset/store/segment_repair.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/error.h"
#include "dataset/store/chunk_reader.h"
#include "dataset/store/complete_index.h"
#include "dataset/store/one_bit.h"
#include "dataset/store/record_key.h"
#include "dataset/store/segment_damage.h"

namespace kg::dataset {
namespace {

constexpr std::size_t kMostSearched = 200;  // damaged chunks that are searched for a flipped bit

// A copy of a segment, with its index, that goes when it is not needed.
class Copy {
 public:
  explicit Copy(const fs::path& file) : path_(file.string() + ".tmp-repair" + std::to_string(::getpid())) {
    fs::copy_file(file, path_, fs::copy_options::overwrite_existing);
    if (fs::exists(index_path(file)))
      fs::copy_file(index_path(file), index_path(path_), fs::copy_options::overwrite_existing);
  }
  ~Copy() {
    std::error_code ignored;
    fs::remove(path_, ignored);
    fs::remove(index_path(path_), ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Writes the chunks of which one bit was flipped into `copy` as they were. Returns how many.
std::size_t put_right_chunks(const Segment& segment, const SegmentDamage& damage, const fs::path& copy) {
  const Descriptor file(::open(copy.c_str(), O_RDWR | O_CLOEXEC));
  std::size_t mended = 0, searched = 0;
  for (const DamagedChunk& one : damage.chunks) {
    const proto::ColumnChunks& column = segment.index().columns.at(one.column);
    const auto i = static_cast<int>(one.chunk);
    if (i >= column.checksums_size() || ++searched > kMostSearched) continue;
    std::string bytes = stored_chunk(segment.descriptor(), column, one.chunk);
    if (bytes.size() != column.sizes(i) || !put_right_one_bit(bytes, column.checksums(i))) continue;
    if (::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(column.offsets(i))) !=
        static_cast<ssize_t>(bytes.size()))
      throw Error("cannot write", copy.string(), "free disk space or check the disk", Error::Kind::kEnvironment);
    ++mended;
  }
  fsync_file(copy);
  return mended;
}

// The readable part of a row that lacks columns, as a line of JSON; its key and the missing columns go to the report.
std::string rest_of(const Segment& segment, Table table, std::uint64_t row, const std::set<std::string>& lacking,
                    RepairReport& report) {
  const TableSchema& columns = schema(table);
  std::vector<std::size_t> readable;
  std::string list;
  for (std::size_t i = 0; i < columns.columns.size(); ++i)
    if (!lacking.contains(columns.columns[i].name)) readable.push_back(i);
  for (const std::string& name : lacking) list += (list.empty() ? "" : ", ") + name;
  proto::JournalRecord record;
  auto& message = mutable_message(record, table);
  try {
    segment.read(table, row, message, &readable);
  } catch (const DamageError&) {  // unknown to examine(): the chunk has no checksum
    message.Clear();
  }
  const std::string key = record_key(table, message) + " (row " + std::to_string(row) + " of " +
                          segment.path().filename().string() + "; lacks " + list + ")";
  report.lost.push_back(key);
  std::string text;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) text = "{}";
  return nlohmann::json{{"table", columns.name},
                        {"row", row},
                        {"lacks", std::vector<std::string>(lacking.begin(), lacking.end())},
                        {"rest", nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false)}}
             .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

// Rewrites `file` from the intact rows of `from`.
void write_anew(const Segment& from, const fs::path& file, bool behind, const fs::path& kept, RepairReport& report) {
  const SegmentDamage damage = examine(from);
  SegmentWriter writer = SegmentWriter::on_disk(from.range(), file);
  std::string rest;
  std::uint64_t saved = 0, lost = 0;
  for (const Table table : kTables) {
    const auto& hit = damage.rows[static_cast<std::size_t>(table)];
    proto::JournalRecord record;
    for (std::uint64_t row = 0; row < from.rows(table); ++row) {
      auto& message = mutable_message(record, table);
      auto lacking = hit.find(row);
      std::set<std::string> all;
      if (lacking == hit.end()) {
        try {
          from.read(table, row, message);
          writer.append(table, message);
          ++saved;
          continue;
        } catch (const DamageError& error) {
          all.insert("a column that does not decompress to the expected data");
        }
      }
      rest += rest_of(from, table, row, lacking == hit.end() ? all : lacking->second, report);
      ++lost;
    }
  }
  from.release();
  keep(file, kept);
  if (fs::exists(index_path(file))) keep(index_path(file), kept);
  const std::string name = file.filename().string();
  if (!rest.empty()) write_file_durably(kept / (name + ".rest.jsonl"), rest);
  writer.finish(file, behind ? SegmentWriter::IndexPlace::kBehind : SegmentWriter::IndexPlace::kBeside);
  report.saved += saved;
  report.kept = kept;
  report.done.push_back(
      name + ": rewritten with " + std::to_string(saved) + " rows" +
      (lost == 0 ? "; none is lost"
                 : "; " + std::to_string(lost) + " are lost, what is left of them is in " + name + ".rest.jsonl"));
}

void write_index_anew(const fs::path& file, RepairReport& report) {
  const Segment segment(file);
  write_file_durably(index_path(file), write_index(complete_index(segment)));
  report.done.push_back(file.filename().string() + ": index rewritten");
}

}  // namespace

void keep(const fs::path& file, const fs::path& kept) {
  fs::create_directories(kept);
  fs::path target = kept / file.filename();
  for (int i = 2; fs::exists(target); ++i) target = kept / (file.filename().string() + "." + std::to_string(i));
  std::error_code error;
  fs::create_hard_link(file, target, error);
  if (error) {
    fs::copy_file(file, target);
    fsync_file(target);
  }
  fsync_folder(kept);
}

void repair_segment(const fs::path& file, bool behind, const fs::path& kept, RepairReport& report) {
  const Segment segment(file);
  const SegmentDamage damage = examine(segment);
  const bool rows_are_sound = damage.chunks.empty() && damage.row_count() == 0 && segment.index().lost.empty();
  if (rows_are_sound && segment.metadata_is_sound()) {
    if (segment.index_needs_writing() && behind)
      write_anew(segment, file, behind, kept, report);
    else if (segment.index_needs_writing())
      write_index_anew(file, report);
    return;
  }
  if (damage.chunks.empty()) return write_anew(segment, file, behind, kept, report);
  const Copy copy(file);
  const std::size_t mended = put_right_chunks(segment, damage, copy.path());
  if (mended == 0) return write_anew(segment, file, behind, kept, report);
  report.done.push_back(file.filename().string() + ": corrected a flipped bit in each of " + std::to_string(mended) +
                        " chunks");
  const Segment better(copy.path());
  const bool all = mended == damage.chunks.size() && segment.index().lost.empty();
  if (!all || !better.metadata_is_sound() || (behind && segment.index_needs_writing()))
    return write_anew(better, file, behind, kept, report);
  keep(file, kept);
  report.kept = kept;
  std::uint64_t rows = 0;
  for (const Table table : kTables) rows += better.rows(table);
  report.saved += rows;
  fs::rename(copy.path(), file);
  fsync_folder(file.parent_path());
  if (segment.index_needs_writing()) write_index_anew(file, report);
}

}  // namespace kg::dataset
