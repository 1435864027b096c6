#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "dataset/store/byte_pool.h"
#include "dataset/store/column.h"

namespace kg::dataset {
namespace {

// Writes an HDF5 file in memory, then opens its bytes as a file.
class Columns : public testing::Test {
 protected:
  hdf5::Handle reopen(hdf5::MemoryFile& file) {
    write_file_atomically(path, file.close_and_take());
    return hdf5::open_file(path);
  }
  TemporaryFolder folder;
  fs::path path = folder.path() / "columns.h5";
};

TEST_F(Columns, RowsOfAnyLengthComeBackAcrossChunkBorders) {
  std::vector<std::string> rows = {"", "a", std::string(kPoolChunkBytes - 1, 'b'), "",
                                   std::string(3 * kPoolChunkBytes + 7, 'c')};
  for (int i = 0; i < 3000; ++i)
    rows.push_back(std::string(static_cast<std::size_t>(i * 37 % 113), static_cast<char>('a' + i % 26)));
  hdf5::MemoryFile file;
  {
    PoolWriter writer(file.id(), "text", ElementType::kUint8);
    for (const std::string& row : rows) writer.append(row);
    writer.finish();
  }
  const hdf5::Handle read = reopen(file);
  PoolReader reader(read.id(), "text", ElementType::kUint8, "test");
  std::string bytes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    reader.read(i, bytes);
    ASSERT_EQ(bytes, rows[i]) << i;
  }
  for (std::size_t i = rows.size(); i-- > 0; i -= std::min<std::size_t>(i, 700)) {  // and backwards, by leaps
    reader.read(i, bytes);
    ASSERT_EQ(bytes, rows[i]) << i;
  }
}

TEST_F(Columns, NumbersComeBackExactly) {
  std::vector<double> values;
  for (int i = 0; i < 2500; ++i) values.push_back(1.0 / (i + 1));
  hdf5::MemoryFile file;
  {
    ColumnWriter writer(file.id(), "x", ElementType::kFloat64, kRowsPerChunk);
    for (const double value : values) writer.append(&value, 1);
    EXPECT_EQ(writer.size(), values.size());
    writer.finish();
  }
  const hdf5::Handle read = reopen(file);
  ColumnReader reader(read.id(), "x", ElementType::kFloat64, "test", /*cache_bytes=*/0);
  ASSERT_EQ(reader.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(std::memcmp(reader.element(i), &values[i], 8), 0);
}

TEST_F(Columns, AnotherTypeOfElementIsRefused) {
  hdf5::MemoryFile file;
  {
    ColumnWriter writer(file.id(), "x", ElementType::kInt32, kRowsPerChunk);
    writer.finish();
  }
  const hdf5::Handle read = reopen(file);
  EXPECT_THROW(ColumnReader(read.id(), "x", ElementType::kFloat64, "test", 0), Error);
}

}  // namespace
}  // namespace kg::dataset
