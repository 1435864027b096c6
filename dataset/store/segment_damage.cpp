#include "dataset/store/segment_damage.h"

#include <algorithm>
#include <cstring>

#include "dataset/store/chunk_reader.h"

namespace kg::dataset {
namespace {

class Examiner {
 public:
  explicit Examiner(const Segment& segment) : segment_(segment), index_(segment.index()) {}

  SegmentDamage run() {
    for (const Table table : kTables) {
      if (segment_.rows(table) == 0) continue;
      for (const Column& column : schema(table).columns) {
        if (column.field.layout() == Layout::kFixed)
          look_at_fixed(table, column, column.name, /*first_rows=*/0);
        else
          look_at_pool(table, column);
      }
    }
    return std::move(damage_);
  }

 private:
  // The chunks of one HDF5 dataset that are damaged. All rows are hit if the dataset is lost.
  std::vector<std::uint64_t> damaged_chunks(Table table, const Column& column, const std::string& dataset) {
    const std::string key = schema(table).name + "/" + dataset;
    std::vector<std::uint64_t> damaged;
    if (index_.lost.contains(key)) hit(table, column, 0, segment_.rows(table));
    const auto at = index_.columns.find(key);
    if (at == index_.columns.end()) return damaged;
    for (std::uint64_t chunk = 0, n = chunk_count(at->second); chunk < n; ++chunk) {
      const std::string why = look_at_chunk(at->second, chunk, stored_chunk(segment_.descriptor(), at->second, chunk));
      if (why.empty()) continue;
      damaged.push_back(chunk);
      damage_.chunks.push_back({key, chunk, why});
    }
    return damaged;
  }
  // A chunk of offsets also has the end of the row before it.
  void look_at_fixed(Table table, const Column& column, const std::string& dataset, std::uint64_t rows_before) {
    const auto at = index_.columns.find(schema(table).name + "/" + dataset);
    for (const std::uint64_t chunk : damaged_chunks(table, column, dataset)) {
      const std::uint64_t per_chunk = at->second.chunk_elements();
      const std::uint64_t begin = chunk * per_chunk;
      hit(table, column, begin - std::min(begin, rows_before), begin + per_chunk);
    }
    // A column that is shorter than the table.
    if (at != index_.columns.end() && at->second.elements() < segment_.rows(table) + rows_before)
      hit(table, column, at->second.elements() - std::min(at->second.elements(), rows_before), segment_.rows(table));
  }
  void look_at_pool(Table table, const Column& column) {
    const ElementType type = column.field.type();
    const std::string elements = pool_elements_name(column.name, type), offsets = pool_offsets_name(column.name);
    look_at_fixed(table, column, offsets, /*rows_before=*/1);
    const std::vector<std::uint64_t> damaged = damaged_chunks(table, column, elements);
    const auto of_offsets = index_.columns.find(schema(table).name + "/" + offsets);
    const auto of_elements = index_.columns.find(schema(table).name + "/" + elements);
    if (damaged.empty() || of_offsets == index_.columns.end()) return;
    ColumnReader reader(segment_.descriptor(), of_offsets->second, ElementType::kUint64, "offsets");
    const std::uint64_t per_chunk = of_elements->second.chunk_elements();
    for (std::uint64_t row = 0; row < segment_.rows(table); ++row) {
      std::uint64_t begin = 0, end = 0;
      try {
        std::memcpy(&begin, reader.element(row), sizeof begin);
        std::memcpy(&end, reader.element(row + 1), sizeof end);
      } catch (const DamageError&) {
        continue;  // hit already
      }
      if (begin >= end) continue;
      const auto first = std::lower_bound(damaged.begin(), damaged.end(), begin / per_chunk);
      if (first != damaged.end() && *first <= (end - 1) / per_chunk) hit(table, column, row, row + 1);
    }
  }
  void hit(Table table, const Column& column, std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t row = first; row < std::min(end, segment_.rows(table)); ++row)
      damage_.rows[static_cast<std::size_t>(table)][row].insert(column.name);
  }

  const Segment& segment_;
  const SegmentIndex& index_;
  SegmentDamage damage_;
};

}  // namespace

std::uint64_t SegmentDamage::row_count() const {
  std::uint64_t count = 0;
  for (const auto& table : rows) count += table.size();
  return count;
}

SegmentDamage examine(const Segment& segment) { return Examiner(segment).run(); }

std::vector<std::string> describe(const Segment& segment, const SegmentDamage& damage) {
  const std::string name = segment.path().filename().string();
  std::vector<std::string> lines;
  for (const DamagedChunk& chunk : damage.chunks)
    lines.push_back(name + ": chunk " + std::to_string(chunk.chunk) + " of /" + chunk.column +
                    " is damaged: " + chunk.why);
  for (const Table table : kTables) {
    const auto& rows = damage.rows[static_cast<std::size_t>(table)];
    if (rows.empty()) continue;
    std::set<std::string> columns;
    for (const auto& [row, lacking] : rows) columns.insert(lacking.begin(), lacking.end());
    std::string list;
    for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + column;
    lines.push_back(name + ": " + std::to_string(rows.size()) + " of " + std::to_string(segment.rows(table)) +
                    " rows of /" + schema(table).name + " cannot be read completely; they lack " + list);
  }
  return lines;
}

}  // namespace kg::dataset
