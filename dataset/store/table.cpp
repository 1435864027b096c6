#include "dataset/store/table.h"

#include "base/check.h"
#include "base/error.h"

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

TableWriter::TableWriter(hid_t parent, const std::string& group_name, const TableSchema& schema)
    : schema_(schema), group_(hdf5::create_group(parent, group_name)) {
  for (const Column& column : schema.columns) {
    OneColumn made;
    const ElementType type = column.field.type();
    if (column.field.layout() == Layout::kFixed) {
      made.fixed = std::make_unique<ColumnWriter>(group_.id(), column.name, type, kRowsPerChunk);
      describe(made.fixed->dataset(), column);
    } else {
      made.pool = std::make_unique<PoolWriter>(group_.id(), column.name, type);
      describe(made.pool->elements_dataset(), column);
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

void TableWriter::finish() {
  for (OneColumn& column : columns_) {
    if (column.fixed) column.fixed->finish();
    if (column.pool) column.pool->finish();
  }
  hdf5::write_attribute(group_.id(), "rows", rows_);
  columns_.clear();
}

TableReader::TableReader(hdf5::Handle group, const TableSchema& schema, std::string where)
    : schema_(schema), where_(std::move(where)), group_(std::move(group)), columns_(schema.columns.size()) {
  const auto rows = hdf5::read_number_attribute(group_.id(), "rows");
  if (!rows) throw Error("the attribute rows is missing", where_, "the file is damaged or was not made by kgtrain");
  rows_ = *rows;
}

void TableReader::read(std::uint64_t row, google::protobuf::Message& message, const std::vector<std::size_t>* columns) {
  KG_CHECK_LT(row, rows_);
  if (columns == nullptr) {
    for (std::size_t i = 0; i < columns_.size(); ++i) read_column(i, row, message);
  } else {
    for (const std::size_t i : *columns) read_column(i, row, message);
  }
}

void TableReader::read_column(std::size_t index, std::uint64_t row, google::protobuf::Message& message) {
  const Column& column = schema_.columns[index];
  OneColumn& reader = columns_[index];
  const ElementType type = column.field.type();
  const bool is_fixed = column.field.layout() == Layout::kFixed;
  if (!reader.tried) {
    reader.tried = true;
    const std::string first = is_fixed ? column.name : pool_offsets_name(column.name);
    if (!hdf5::has_link(group_.id(), first)) return;
    if (is_fixed)
      reader.fixed = std::make_unique<ColumnReader>(group_.id(), column.name, type, where_, /*cache_bytes=*/0);
    else
      reader.pool = std::make_unique<PoolReader>(group_.id(), column.name, type, where_);
  }
  if (reader.fixed) {
    column.field.set(message, {reader.fixed->element(row), element_bytes(type)});
  } else if (reader.pool) {
    reader.pool->read(row, bytes_);
    column.field.set(message, bytes_);
  }
}

void TableReader::release() {
  for (OneColumn& column : columns_) column = OneColumn{};
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
