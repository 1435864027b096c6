#include "tests/integration/dataset_damage.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/random.h"
#include "dataset/store/chunk_reader.h"
#include "dataset/store/folder.h"
#include "dataset/store/journal.h"
#include "dataset/store/journal_format.h"
#include "dataset/store/journal_scan.h"
#include "dataset/store/record_key.h"
#include "dataset/store/segment.h"
#include "tests/dataset_examples.h"

namespace kg::dataset {
namespace {

std::vector<proto::JournalRecord> batch(int begin, int end) {
  std::vector<proto::JournalRecord> records;
  for (int i = begin; i < end; ++i) {
    proto::Rollout rollout = example_rollout(i, 0);
    rollout.mutable_verdict()->clear_faults();  // JSON is slow, and a few rows of it are enough
    rollout.mutable_completion()->mutable_sampling()->clear_stop();
    if (i % 97 == 0) rollout = example_rollout(i, 0);
    records.push_back(record(rollout));
    if (i % 10 == 0) records.push_back(record(example_sample(i)));
    if (i % 50 == 0) records.push_back(record(example_task(i)));
    if (i % 60 == 0) records.push_back(record(example_preference(i)));
    proto::JournalRecord tensor;
    *tensor.mutable_tensor() = example_tensor(i);
    // Noise, which deflating does not make smaller: its chunks are stored as they are.
    Philox random(static_cast<std::uint64_t>(i), 1);
    std::string noise;
    for (int word = 0; word < 60; ++word) noise += std::string(1, static_cast<char>(random.next_below(256)));
    tensor.mutable_tensor()->set_data(noise);
    if (i % 30 == 0) records.push_back(tensor);
  }
  return records;
}

template <typename Row>
void add(Rows& rows, Table table, const Row& row) {
  rows[record_key(table, row)] = row.SerializeAsString();
}

}  // namespace

Rows rows_of(const Dataset& data) {
  Rows rows;
  data.for_each_task([&](const proto::Task& row) { return add(rows, Table::kTasks, row), true; });
  data.for_each_sample([&](const proto::Sample& row) { return add(rows, Table::kSamples, row), true; });
  data.for_each_rollout([&](const proto::Rollout& row) { return add(rows, Table::kRollouts, row), true; });
  data.for_each_preference([&](const proto::Preference& row) { return add(rows, Table::kPreferences, row), true; });
  for (int i = 0; i < 1300; i += 30)
    for (const auto& tensor : data.tensors(example_tensor(i).task(), static_cast<std::uint32_t>(i)))
      add(rows, Table::kTensors, tensor);
  return rows;
}

std::vector<std::string> difference(const Rows& a, const Rows& b) {
  std::vector<std::string> keys;
  for (const auto& [key, row] : a)
    if (const auto other = b.find(key); other == b.end() || other->second != row) keys.push_back(key);
  for (const auto& [key, row] : b)
    if (!a.contains(key)) keys.push_back(key);
  return keys;
}

DamagedSet::DamagedSet() : path_(folder_.path() / "set.h5") {
  const pid_t child = ::fork();
  if (child == 0) {
    auto data = Dataset::open(path_, OpenMode::kCreate);
    for (int i = 0; i < 8; ++i) {  // merged: more than a chunk of rows
      data->append(batch(i * 140, i * 140 + 140));
      data->fold();
    }
    data->append(batch(1120, 1180));
    data->fold();
    for (int i = 1180; i < 1220; i += 4) data->append(batch(i, i + 4));
    ::_exit(0);  // without closing it: the journal stays
  }
  ::waitpid(child, nullptr, 0);
  const fs::path folder = folder_of(path_);
  const FolderListing listing = list_folder(folder);
  for (const SegmentRange& old : listing.superseded) {
    fs::remove(folder / segment_file_name(old));
    fs::remove(index_path(folder / segment_file_name(old)));
  }
  files_.push_back(path_);
  for (const SegmentRange& range : listing.segments) {
    files_.push_back(folder / segment_file_name(range));
    files_.push_back(index_path(files_.back()));
  }
  for (const std::uint64_t generation : listing.journals) files_.push_back(folder / journal_file_name(generation));
  for (const fs::path& file : files_) bytes_[file] = read_file(file);
  rows_ = rows_of(*Dataset::open(path_, OpenMode::kRead));
  note_segments();
  note_journal();
}

// Which rows each chunk holds something of.
void DamagedSet::note_segments() {
  for (const fs::path& file : files_) {
    if (!parse_segment_file_name(file.filename().string())) continue;
    const Segment segment(file);
    const auto& columns = segment.index().columns;
    std::map<std::string, std::vector<std::string>> row_keys;  // by table
    for (const Table table : kTables) {
      proto::JournalRecord record;
      for (std::uint64_t row = 0; row < segment.rows(table); ++row) {
        auto& message = mutable_message(record, table);
        segment.read(table, row, message);
        row_keys[schema(table).name].push_back(record_key(table, message));
      }
    }
    for (const auto& [key, column] : columns) {
      const std::vector<std::string>& keys = row_keys[column.table()];
      const std::uint64_t rows = keys.size();
      const std::string pool = key.substr(0, key.rfind('_')) + "_offsets";
      const bool is_offsets = pool == key;
      const bool is_pool = !is_offsets && columns.contains(pool);
      std::vector<std::uint64_t> offsets;
      if (is_pool) {
        ColumnReader reader(segment.descriptor(), columns.at(pool), ElementType::kUint64, pool);
        for (std::uint64_t i = 0; i <= rows; ++i) {
          offsets.emplace_back();
          std::memcpy(&offsets.back(), reader.element(i), 8);
        }
      }
      for (int i = 0; i < column.offsets_size(); ++i) {
        Stretch stretch{column.offsets(i), column.offsets(i) + column.sizes(i), {}};
        const std::uint64_t first = static_cast<std::uint64_t>(i) * column.chunk_elements();
        const std::uint64_t last = first + column.chunk_elements();
        for (std::uint64_t row = 0; row < rows; ++row) {
          const std::uint64_t begin = is_pool ? offsets[row] : row;
          const std::uint64_t end = is_pool ? offsets[row + 1] : row + (is_offsets ? 2 : 1);
          if (begin < last && end > first) stretch.keys.insert(keys[row]);
        }
        stretches_[file].push_back(std::move(stretch));
      }
    }
  }
}

void DamagedSet::note_journal() {
  const fs::path& file = files_.back();
  const JournalScan scan = scan_journal(bytes_.at(file), kJournalVersion);
  for (const Table table : kTables) {
    for (const JournalEntry& entry : scan.entries[static_cast<std::size_t>(table)]) {
      proto::JournalRecord record;
      record.ParseFromString(bytes_.at(file).substr(entry.offset, entry.length));
      stretches_[file].push_back({entry.offset - sizeof(RecordHead),
                                  entry.offset + entry.length + 1,
                                  {record_key(table, message_of(record))}});
    }
  }
}

std::set<std::string> DamagedSet::hit_by(const fs::path& file, std::uint64_t offset, std::uint64_t size) const {
  std::set<std::string> keys;
  const auto at = stretches_.find(file);
  if (at == stretches_.end()) return keys;
  for (const Stretch& stretch : at->second)
    if (stretch.end > offset && (size == 0 || stretch.begin < offset + size))
      keys.insert(stretch.keys.begin(), stretch.keys.end());
  return keys;
}

bool DamagedSet::is_used(const fs::path& file, std::uint64_t offset) const {
  return file != files_.back() || offset <= bytes_.at(file).find_last_not_of('\0');
}

void DamagedSet::restore() {
  fs::remove_all(folder_of(path_));
  fs::create_directories(folder_of(path_));
  for (const auto& [file, bytes] : bytes_) write_file_atomically(file, bytes);
}

}  // namespace kg::dataset
