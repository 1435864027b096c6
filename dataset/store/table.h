#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

#include "dataset/store/byte_pool.h"
#include "dataset/store/schema.h"

namespace kg::dataset {

// One group of columns being written: a row is a message.
class TableWriter {
 public:
  TableWriter(hid_t parent, const std::string& group_name, const TableSchema& schema);
  void append(const google::protobuf::Message& row);
  std::uint64_t rows() const { return rows_; }
  void finish();

 private:
  struct OneColumn {
    std::unique_ptr<ColumnWriter> fixed;
    std::unique_ptr<PoolWriter> pool;
  };

  const TableSchema& schema_;
  hdf5::Handle group_;
  std::vector<OneColumn> columns_;
  std::uint64_t rows_ = 0;
  std::string bytes_;
};

// One group of columns being read. Columns open when first used. A column that the file lacks reads as the default:
// format version 1 may gain columns.
class TableReader {
 public:
  TableReader(hdf5::Handle group, const TableSchema& schema, std::string where);
  std::uint64_t rows() const { return rows_; }
  // Fills `row` from all columns, or only from those whose index is in `columns`.
  void read(std::uint64_t row, google::protobuf::Message& message, const std::vector<std::size_t>* columns = nullptr);
  // Closes the columns and forgets what they hold in memory; they open again when needed.
  void release();

 private:
  struct OneColumn {
    bool tried = false;
    std::unique_ptr<ColumnReader> fixed;
    std::unique_ptr<PoolReader> pool;
  };
  void read_column(std::size_t index, std::uint64_t row, google::protobuf::Message& message);

  const TableSchema& schema_;
  std::string where_;
  hdf5::Handle group_;
  std::uint64_t rows_ = 0;
  std::vector<OneColumn> columns_;
  std::string bytes_;
};

// Indices of the named columns of a table.
std::vector<std::size_t> column_indices(const TableSchema& schema, const std::vector<std::string>& names);

}  // namespace kg::dataset
