#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/random.h"
#include "dataset/store/byte_pool.h"
#include "dataset/store/chunk_reader.h"
#include "dataset/store/column.h"

namespace kg::dataset {
namespace {

// Writes an HDF5 file in memory, then reads its chunks from a file.
class Columns : public testing::Test {
 protected:
  int reopen(hdf5::DriverFile& written) {
    write_file_atomically(path, written.close());
    file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file.number();
  }
  TemporaryFolder folder;
  fs::path path = folder.path() / "columns.h5";
  Descriptor file;
};

TEST_F(Columns, RowsOfAnyLengthComeBackAcrossChunkBorders) {
  std::vector<std::string> rows = {"", "a", std::string(kPoolChunkBytes - 1, 'b'), "",
                                   std::string(3 * kPoolChunkBytes + 7, 'c')};
  for (int i = 0; i < 3000; ++i)
    rows.push_back(std::string(static_cast<std::size_t>(i * 37 % 113), static_cast<char>('a' + i % 26)));
  hdf5::DriverFile written = hdf5::DriverFile::in_memory();
  proto::ColumnChunks elements, offsets;
  {
    PoolWriter writer(written, written.id(), "text", ElementType::kUint8);
    for (const std::string& row : rows) writer.append(row);
    elements = writer.elements().finish();
    offsets = writer.offsets().finish();
  }
  const int descriptor = reopen(written);
  PoolReader reader(ColumnReader(descriptor, elements, ElementType::kUint8, "test"),
                    ColumnReader(descriptor, offsets, ElementType::kUint64, "test"));
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

// HDF5 itself reads what we packed, and finds what we say where we say it.
TEST_F(Columns, NumbersComeBackExactlyAndHdf5ReadsTheSame) {
  std::vector<double> values;
  Philox random(7, 7);
  for (int i = 0; i < 2500; ++i) values.push_back(i < 1200 ? 1.0 / (i + 1) : random.next_double());
  hdf5::DriverFile written = hdf5::DriverFile::in_memory();
  proto::ColumnChunks chunks;
  {
    ColumnWriter writer(written, written.id(), "x", ElementType::kFloat64, kRowsPerChunk);
    for (const double value : values) writer.append(&value, 1);
    EXPECT_EQ(writer.size(), values.size());
    chunks = writer.finish();
  }
  ASSERT_EQ(chunks.offsets_size(), 3);
  const int descriptor = reopen(written);
  ColumnReader reader(descriptor, chunks, ElementType::kFloat64, "test");
  ASSERT_EQ(reader.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(std::memcmp(reader.element(i), &values[i], 8), 0);

  const hdf5::Handle plain(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open", path.string());
  const hdf5::Handle column(H5Dopen2(plain.id(), "x", H5P_DEFAULT), H5Dclose, "open", "x");
  std::vector<double> read(values.size());
  hdf5::check(H5Dread(column.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), "read", "x");
  EXPECT_EQ(read, values);
  const hdf5::Handle space(H5Dget_space(column.id()), H5Sclose, "extent", "x");
  for (int i = 0; i < 3; ++i) {
    hsize_t begin = 0, size = 0;
    unsigned skipped = 0;
    haddr_t address = 0;
    hdf5::check(H5Dget_chunk_info(column.id(), space.id(), static_cast<hsize_t>(i), &begin, &skipped, &address, &size),
                "look up a chunk", "x");
    EXPECT_EQ(address, chunks.offsets(i));
    EXPECT_EQ(size, chunks.sizes(i));
    EXPECT_EQ(skipped, chunks.skipped(i));
  }
}

TEST_F(Columns, AFlippedBitInAChunkIsAnErrorOfThatChunkOnly) {
  hdf5::DriverFile written = hdf5::DriverFile::in_memory();
  proto::ColumnChunks chunks;
  {
    ColumnWriter writer(written, written.id(), "x", ElementType::kUint64, kRowsPerChunk);
    for (std::uint64_t i = 0; i < 3000; ++i) writer.append(&i, 1);
    chunks = writer.finish();
  }
  std::string bytes = written.close();
  bytes[chunks.offsets(1) + 3] = static_cast<char>(bytes[chunks.offsets(1) + 3] ^ 4);
  write_file_atomically(path, bytes);
  file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ColumnReader reader(file.number(), chunks, ElementType::kUint64, "test");
  for (std::uint64_t i = 0; i < 3000; i += 7) {
    if (i >= 1024 && i < 2048) {
      EXPECT_THROW(reader.element(i), DamageError);
    } else {
      EXPECT_EQ(std::memcmp(reader.element(i), &i, sizeof i), 0);
    }
  }
  EXPECT_THROW(reader.element(3000), DamageError);
}

TEST_F(Columns, AnotherTypeOfElementIsRefused) {
  hdf5::DriverFile written = hdf5::DriverFile::in_memory();
  proto::ColumnChunks chunks;
  {
    ColumnWriter writer(written, written.id(), "x", ElementType::kInt32, kRowsPerChunk);
    chunks = writer.finish();
  }
  const int descriptor = reopen(written);
  EXPECT_THROW(ColumnReader(descriptor, chunks, ElementType::kFloat64, "test"), Error);
}

// As h5py writes a dataset when it is not told to cut it into chunks.
TEST_F(Columns, AColumnInOnePieceEndsWithinItsLastChunk) {
  const std::vector<std::int32_t> numbers = {5, -6, 7};
  write_file_atomically(path, std::string("head") + std::string(reinterpret_cast<const char*>(numbers.data()), 12));
  file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  proto::ColumnChunks chunks;
  chunks.set_type(element_type_name(ElementType::kInt32));
  chunks.set_elements(numbers.size());
  chunks.set_chunk_elements(65536);
  chunks.add_offsets(4);
  chunks.add_sizes(12);
  std::string raw;
  EXPECT_EQ(unpack_chunk(chunks, 0, stored_chunk(file.number(), chunks, 0), raw), "");
  ASSERT_GE(raw.size(), 12u);
  EXPECT_EQ(std::memcmp(raw.data(), numbers.data(), 12), 0);
  chunks.set_elements(numbers.size() + 1);  // a byte that the file does not have
  EXPECT_NE(unpack_chunk(chunks, 0, stored_chunk(file.number(), chunks, 0), raw), "");
}

}  // namespace
}  // namespace kg::dataset
