#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

#include "dataset/store/byte_pool.h"
#include "dataset/store/schema.h"
#include "dataset/store/segment_index.h"

namespace kg::dataset {

// One group of columns being written: a row is a message.
class TableWriter {
 public:
  TableWriter(hdf5::DriverFile& file, hid_t parent, const std::string& group_name, const TableSchema& schema);
  void append(const google::protobuf::Message& row);
  std::uint64_t rows() const { return rows_; }
  std::vector<proto::ColumnChunks> finish();  // returns the places of everything it wrote

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

// Reads one group of columns. A column that is missing from the file reads as the default: format version 1 may gain
// columns.
class TableReader {
 public:
  // `descriptor` and `index` must outlive it.
  TableReader(int descriptor, const SegmentIndex& index, const TableSchema& schema, std::string where);
  std::uint64_t rows() const { return rows_; }
  // Fills `row` from all columns, or only from those with an index in `columns`. Throws DamageError if one of them is
  // damaged.
  void read(std::uint64_t row, google::protobuf::Message& message, const std::vector<std::size_t>* columns = nullptr);
  // Drops the data held in memory.
  void release();

 private:
  struct OneColumn {
    bool tried = false;
    std::unique_ptr<ColumnReader> fixed;
    std::unique_ptr<PoolReader> pool;
  };
  void open_column(std::size_t index);
  void read_column(std::size_t index, std::uint64_t row, google::protobuf::Message& message);

  int descriptor_;
  const SegmentIndex& index_;
  const TableSchema& schema_;
  std::string where_;
  std::uint64_t rows_ = 0;
  std::vector<OneColumn> columns_;
  std::string bytes_;
};

// Every HDF5 dataset that a table of this format version may have.
std::vector<std::pair<std::string, ElementType>> datasets_of(const TableSchema& schema);

// Indices of the named columns of a table.
std::vector<std::size_t> column_indices(const TableSchema& schema, const std::vector<std::string>& names);

}  // namespace kg::dataset
