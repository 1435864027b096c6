#include "dataset/store/table.h"

#include "base/check.h"
#include "base/error.h"
#include "dataset/store/chunk_reader.h"

namespace kg::dataset {
namespace {

std::string enum_names(const google::protobuf::EnumDescriptor& type) {
  std::string names;
  for (int i = 0; i < type.value_count(); ++i)
    names += (i > 0 ? ", " : "") + std::to_string(type.value(i)->number()) + " " + type.value(i)->name();
  return names;
}

void describe(hid_t dataset, const Column& column) {
  hdf5::write_attribute(dataset, "meaning", column.meaning);
  if (!column.unit.empty()) hdf5::write_attribute(dataset, "unit", column.unit);
  const auto* leaf = column.field.leaf();
  if (leaf->enum_type() != nullptr) hdf5::write_attribute(dataset, "names", enum_names(*leaf->enum_type()));
}

}  // namespace

TableWriter::TableWriter(hdf5::DriverFile& file, hid_t parent, const std::string& group_name, const TableSchema& schema)
    : schema_(schema), group_(hdf5::create_group(parent, group_name)) {
  for (const Column& column : schema.columns) {
    OneColumn made;
    const ElementType type = column.field.type();
    if (column.field.layout() == Layout::kFixed) {
      made.fixed = std::make_unique<ColumnWriter>(file, group_.id(), column.name, type, kRowsPerChunk);
      describe(made.fixed->dataset(), column);
    } else {
      made.pool = std::make_unique<PoolWriter>(file, group_.id(), column.name, type);
      describe(made.pool->elements().dataset(), column);
    }
    columns_.push_back(std::move(made));
  }
}

void TableWriter::append(const google::protobuf::Message& row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    schema_.columns[i].field.get(row, bytes_);
    if (columns_[i].fixed)
      columns_[i].fixed->append(bytes_.data(), 1);
    else
      columns_[i].pool->append(bytes_);
  }
  ++rows_;
}

std::vector<proto::ColumnChunks> TableWriter::finish() {
  std::vector<proto::ColumnChunks> written;
  for (OneColumn& column : columns_) {
    if (column.fixed) written.push_back(column.fixed->finish());
    if (!column.pool) continue;
    written.push_back(column.pool->elements().finish());
    written.push_back(column.pool->offsets().finish());
  }
  for (proto::ColumnChunks& column : written) column.set_table(schema_.name);
  hdf5::write_attribute(group_.id(), "rows", rows_);
  columns_.clear();
  return written;
}

TableReader::TableReader(int descriptor, const SegmentIndex& index, const TableSchema& schema, std::string where)
    : descriptor_(descriptor),
      index_(index),
      schema_(schema),
      where_(std::move(where)),
      rows_(index.rows(schema.name)),
      columns_(schema.columns.size()) {}

void TableReader::read(std::uint64_t row, google::protobuf::Message& message, const std::vector<std::size_t>* columns) {
  KG_CHECK_LT(row, rows_);
  if (columns == nullptr) {
    for (std::size_t i = 0; i < columns_.size(); ++i) read_column(i, row, message);
  } else {
    for (const std::size_t i : *columns) read_column(i, row, message);
  }
}

void TableReader::open_column(std::size_t index) {
  const Column& column = schema_.columns[index];
  OneColumn& reader = columns_[index];
  const ElementType type = column.field.type();
  // Null if the file never had it.
  const auto find = [&](const std::string& name) {
    const std::string key = schema_.name + "/" + name;
    if (index_.lost.contains(key))
      throw DamageError("the column is lost: neither the index nor HDF5 says where it is", where_ + "/" + name);
    const auto at = index_.columns.find(key);
    return at == index_.columns.end() ? nullptr : &at->second;
  };
  const auto open = [&](const proto::ColumnChunks& chunks, ElementType of) {
    return ColumnReader(descriptor_, chunks, of, where_ + "/" + chunks.dataset());
  };
  if (column.field.layout() == Layout::kFixed) {
    if (const auto* chunks = find(column.name)) reader.fixed = std::make_unique<ColumnReader>(open(*chunks, type));
  } else {
    const auto* elements = find(pool_elements_name(column.name, type));
    const auto* offsets = find(pool_offsets_name(column.name));
    if (elements != nullptr && offsets != nullptr)
      reader.pool = std::make_unique<PoolReader>(open(*elements, type), open(*offsets, ElementType::kUint64));
  }
  reader.tried = true;
}

void TableReader::read_column(std::size_t index, std::uint64_t row, google::protobuf::Message& message) {
  const Column& column = schema_.columns[index];
  OneColumn& reader = columns_[index];
  if (!reader.tried) open_column(index);
  if (!reader.fixed && !reader.pool) return;
  std::string_view bytes;
  if (reader.fixed) {
    bytes = {reader.fixed->element(row), element_bytes(column.field.type())};
  } else {
    reader.pool->read(row, bytes_);
    bytes = bytes_;
  }
  try {
    column.field.set(message, bytes);
  } catch (const std::exception& error) {
    throw DamageError(error.what(), where_ + "/" + column.name);
  }
}

void TableReader::release() {
  for (OneColumn& column : columns_) column = OneColumn{};
}

std::vector<std::pair<std::string, ElementType>> datasets_of(const TableSchema& schema) {
  std::vector<std::pair<std::string, ElementType>> names;
  for (const Column& column : schema.columns) {
    const ElementType type = column.field.type();
    if (column.field.layout() == Layout::kFixed) {
      names.emplace_back(column.name, type);
    } else {
      names.emplace_back(pool_elements_name(column.name, type), type);
      names.emplace_back(pool_offsets_name(column.name), ElementType::kUint64);
    }
  }
  return names;
}

std::vector<std::size_t> column_indices(const TableSchema& schema, const std::vector<std::string>& names) {
  std::vector<std::size_t> indices;
  for (const std::string& name : names) {
    std::size_t i = 0;
    while (i < schema.columns.size() && schema.columns[i].name != name) ++i;
    if (i == schema.columns.size()) KG_CHECK_EQ(name, "a column of " + schema.name);
    indices.push_back(i);
  }
  return indices;
}

}  // namespace kg::dataset
