#include "dataset/store/column.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/error.h"

namespace kg::dataset {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are little-endian in memory as on disk");

constexpr int kDeflateLevel = 4;

hid_t hdf5_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return H5T_STD_U8LE;
    case ElementType::kInt32:
      return H5T_STD_I32LE;
    case ElementType::kUint32:
      return H5T_STD_U32LE;
    case ElementType::kInt64:
      return H5T_STD_I64LE;
    case ElementType::kUint64:
      return H5T_STD_U64LE;
    case ElementType::kFloat32:
      return H5T_IEEE_F32LE;
    case ElementType::kFloat64:
      return H5T_IEEE_F64LE;
  }
  return -1;
}

hdf5::Handle access_with_cache(std::uint64_t bytes) {
  hdf5::Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "make a property list", "");
  hdf5::check(H5Pset_chunk_cache(access.id(), /*slots=*/53, bytes, H5D_CHUNK_CACHE_W0_DEFAULT), "size a chunk cache",
              "");
  return access;
}

hdf5::Handle line(hsize_t size) {
  return hdf5::Handle(H5Screate_simple(1, &size, nullptr), H5Sclose, "make a line", "");
}

hdf5::Handle part(const hdf5::Handle& dataset, hsize_t begin, hsize_t count, const std::string& where) {
  hdf5::Handle space(H5Dget_space(dataset.id()), H5Sclose, "read the extent", where);
  hdf5::check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &begin, nullptr, &count, nullptr), "select rows", where);
  return space;
}

}  // namespace

std::size_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return 1;
    case ElementType::kInt32:
    case ElementType::kUint32:
    case ElementType::kFloat32:
      return 4;
    default:
      return 8;
  }
}

ColumnWriter::ColumnWriter(hid_t group, const std::string& name, ElementType type, std::uint64_t chunk_elements)
    : name_(name), type_(type), chunk_elements_(chunk_elements) {
  const hsize_t zero = 0, unlimited = H5S_UNLIMITED, chunk = chunk_elements;
  const hdf5::Handle space(H5Screate_simple(1, &zero, &unlimited), H5Sclose, "make a line", name);
  const hdf5::Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list", name);
  hdf5::check(H5Pset_chunk(layout.id(), 1, &chunk), "set the chunk size", name);
  if (element_bytes(type) > 1) hdf5::check(H5Pset_shuffle(layout.id()), "set the shuffle filter", name);
  hdf5::check(H5Pset_deflate(layout.id(), kDeflateLevel), "set the deflate filter", name);
  const hdf5::Handle access = access_with_cache(0);  // whole chunks only: nothing to keep
  dataset_ =
      hdf5::Handle(H5Dcreate2(group, name.c_str(), hdf5_type(type), space.id(), H5P_DEFAULT, layout.id(), access.id()),
                   H5Dclose, "make the column", name);
}

void ColumnWriter::append(const void* elements, std::size_t count) {
  const std::size_t width = element_bytes(type_);
  const std::size_t chunk_bytes = chunk_elements_ * width;
  const char* from = static_cast<const char*>(elements);
  std::size_t left = count * width;
  while (left > 0) {
    const std::size_t taken = std::min(left, chunk_bytes - buffer_.size());
    buffer_.append(from, taken);
    from += taken;
    left -= taken;
    if (buffer_.size() == chunk_bytes) write(chunk_elements_);
  }
}

void ColumnWriter::finish() { write(buffer_.size() / element_bytes(type_)); }

void ColumnWriter::write(std::size_t count) {
  if (count == 0) return;
  const hsize_t size = written_ + count;
  hdf5::check(H5Dset_extent(dataset_.id(), &size), "extend the column", name_);
  const hdf5::Handle memory = line(count);
  const hdf5::Handle file = part(dataset_, written_, count, name_);
  hdf5::check(H5Dwrite(dataset_.id(), hdf5_type(type_), memory.id(), file.id(), H5P_DEFAULT, buffer_.data()),
              "write the column", name_);
  written_ = size;
  buffer_.clear();
}

ColumnReader::ColumnReader(hid_t group, const std::string& name, ElementType type, const std::string& where,
                           std::size_t cache_bytes)
    : where_(where + "/" + name), type_(type) {
  const hdf5::Handle access = access_with_cache(cache_bytes);
  dataset_ = hdf5::Handle(H5Dopen2(group, name.c_str(), access.id()), H5Dclose, "open the column", where_);
  const hdf5::Handle space(H5Dget_space(dataset_.id()), H5Sclose, "read the extent", where_);
  const hdf5::Handle stored(H5Dget_type(dataset_.id()), H5Tclose, "read the type", where_);
  if (H5Sget_simple_extent_ndims(space.id()) != 1 || H5Tequal(stored.id(), hdf5_type(type)) <= 0)
    throw Error("a column has another type than format version 1 gives it", where_,
                "make the data set again with this kgtrain, or see docs/data-format.md");
  hsize_t size = 0;
  H5Sget_simple_extent_dims(space.id(), &size, nullptr);
  size_ = size;
}

const char* ColumnReader::element(std::uint64_t index) {
  KG_CHECK_LT(index, size_);
  const std::size_t width = element_bytes(type_);
  if (block_.empty() || index < block_begin_ || index >= block_begin_ + block_.size() / width) {
    block_begin_ = index / kRowsPerChunk * kRowsPerChunk;
    read(block_begin_, std::min(block_begin_ + kRowsPerChunk, size_), block_);
  }
  return block_.data() + (index - block_begin_) * width;
}

void ColumnReader::read(std::uint64_t begin, std::uint64_t end, std::string& bytes) {
  if (begin > end || end > size_)
    throw Error("the offsets " + std::to_string(begin) + " to " + std::to_string(end) + " lie outside a column of " +
                    std::to_string(size_) + " elements",
                where_, "the file is damaged: take it from a backup");
  bytes.resize((end - begin) * element_bytes(type_));
  if (bytes.empty()) return;
  const hdf5::Handle memory = line(end - begin);
  const hdf5::Handle file = part(dataset_, begin, end - begin, where_);
  hdf5::check(H5Dread(dataset_.id(), hdf5_type(type_), memory.id(), file.id(), H5P_DEFAULT, bytes.data()),
              "read the column", where_);
}

}  // namespace kg::dataset
