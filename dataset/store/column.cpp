#include "dataset/store/column.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/hash.h"
#include "dataset/store/chunk_codec.h"
#include "dataset/store/chunk_reader.h"

namespace kg::dataset {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are little-endian in memory as on disk");

constexpr ElementType kTypes[] = {ElementType::kUint8,  ElementType::kInt32,  ElementType::kUint32,
                                  ElementType::kInt64,  ElementType::kUint64, ElementType::kFloat32,
                                  ElementType::kFloat64};
constexpr const char* kTypeNames[] = {"uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"};

}  // namespace

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

std::string element_type_name(ElementType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<ElementType> element_type_from_name(const std::string& name) {
  for (const ElementType type : kTypes)
    if (name == element_type_name(type)) return type;
  return std::nullopt;
}

ColumnWriter::ColumnWriter(hdf5::DriverFile& file, hid_t group, const std::string& name, ElementType type,
                           std::uint64_t chunk_elements)
    : file_(file),
      name_(name),
      type_(type),
      chunk_elements_(chunk_elements),
      filters_(chunk_filters(element_bytes(type))) {
  const hsize_t zero = 0, unlimited = H5S_UNLIMITED, chunk = chunk_elements;
  const hdf5::Handle space(H5Screate_simple(1, &zero, &unlimited), H5Sclose, "make a line", name);
  const hdf5::Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list", name);
  hdf5::check(H5Pset_chunk(layout.id(), 1, &chunk), "set the chunk size", name);
  for (const std::uint32_t filter : filters_) {
    if (filter == kShuffle) hdf5::check(H5Pset_shuffle(layout.id()), "set the shuffle filter", name);
    if (filter == kDeflate) hdf5::check(H5Pset_deflate(layout.id(), kDeflateLevel), "set the deflate filter", name);
    if (filter == kFletcher32) hdf5::check(H5Pset_fletcher32(layout.id()), "set the checksum filter", name);
    chunks_.add_filters(filter);
  }
  dataset_ =
      hdf5::Handle(H5Dcreate2(group, name.c_str(), hdf5_type(type), space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT),
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

proto::ColumnChunks ColumnWriter::finish() {
  write(buffer_.size() / element_bytes(type_));
  chunks_.set_dataset(name_);
  chunks_.set_type(element_type_name(type_));
  chunks_.set_elements(written_);
  chunks_.set_chunk_elements(chunk_elements_);
  return std::move(chunks_);
}

// Compressed by us and passed to HDF5 unchanged, so that we know its checksum and its place in the file.
void ColumnWriter::write(std::size_t count) {
  if (count == 0) return;
  const hsize_t begin = written_, size = written_ + count;
  hdf5::check(H5Dset_extent(dataset_.id(), &size), "extend the column", name_);
  buffer_.resize(chunk_elements_ * element_bytes(type_), '\0');  // HDF5 stores whole chunks
  const EncodedChunk chunk = encode_chunk(buffer_, filters_, element_bytes(type_));
  file_.take_last_raw();
  hdf5::check(H5Dwrite_chunk(dataset_.id(), H5P_DEFAULT, chunk.skipped, &begin, chunk.bytes.size(), chunk.bytes.data()),
              "write the column", name_);
  const hdf5::Extent place = file_.take_last_raw();
  KG_CHECK_EQ(place.size, chunk.bytes.size());
  chunks_.add_offsets(place.offset);
  chunks_.add_sizes(static_cast<std::uint32_t>(chunk.bytes.size()));
  chunks_.add_skipped(chunk.skipped);
  chunks_.add_checksums(hash64(chunk.bytes));
  written_ = size;
  buffer_.clear();
}

ColumnReader::ColumnReader(int descriptor, const proto::ColumnChunks& chunks, ElementType type, std::string where)
    : descriptor_(descriptor), chunks_(chunks), where_(std::move(where)), width_(element_bytes(type)) {
  if (chunks.type() != element_type_name(type))
    throw DamageError(
        "a column has the type " + chunks.type() + ", format version 1 gives it " + element_type_name(type), where_);
}

const char* ColumnReader::element(std::uint64_t index) {
  if (index >= size())
    throw DamageError("has " + std::to_string(size()) + " elements, element " + std::to_string(index) + " is wanted",
                      where_);
  const std::string& raw = chunk(index / chunks_.chunk_elements());
  return raw.data() + index % chunks_.chunk_elements() * width_;
}

void ColumnReader::read(std::uint64_t begin, std::uint64_t end, std::string& bytes) {
  if (begin > end || end > size())
    throw DamageError("the offsets " + std::to_string(begin) + " to " + std::to_string(end) +
                          " are outside a column of " + std::to_string(size()) + " elements",
                      where_);
  bytes.clear();
  const std::uint64_t per_chunk = chunks_.chunk_elements();
  while (begin < end) {
    const std::uint64_t first = begin / per_chunk * per_chunk;
    const std::uint64_t until = std::min(end, first + per_chunk);
    bytes.append(chunk(begin / per_chunk), (begin - first) * width_, (until - begin) * width_);
    begin = until;
  }
}

const std::string& ColumnReader::chunk(std::uint64_t index) {
  if (index != in_memory_) {
    why_damaged_ = unpack_chunk(chunks_, index, stored_chunk(descriptor_, chunks_, index), raw_);
    in_memory_ = index;
  }
  if (!why_damaged_.empty())
    throw DamageError("chunk " + std::to_string(index) + " of " + std::to_string(chunk_count(chunks_)) +
                          " is damaged: " + why_damaged_,
                      where_);
  return raw_;
}

}  // namespace kg::dataset
