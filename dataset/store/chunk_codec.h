#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kg::dataset {

// Our own implementation of the HDF5 filters that a column's chunks use: a chunk can then be read without the
// library, which crashes or loops on some damaged files. Filter numbers are HDF5's.
inline constexpr std::uint32_t kDeflate = 1;
inline constexpr std::uint32_t kShuffle = 2;
inline constexpr std::uint32_t kFletcher32 = 3;

inline constexpr int kDeflateLevel = 4;  // zlib's; the file tells it to other readers

// In writing order: shuffle the bytes of wide elements, deflate, and add a checksum that h5py checks as well.
std::vector<std::uint32_t> chunk_filters(std::size_t element_bytes);

struct EncodedChunk {
  std::string bytes;
  std::uint32_t skipped = 0;  // bit i: filter i was not applied, because deflating did not make it smaller
};

EncodedChunk encode_chunk(std::string_view raw, const std::vector<std::uint32_t>& filters, std::size_t element_bytes);

// False if the stored bytes do not decompress to exactly `raw_bytes`.
bool decode_chunk(std::string_view stored, const std::vector<std::uint32_t>& filters, std::uint32_t skipped,
                  std::size_t element_bytes, std::size_t raw_bytes, std::string& raw);

}  // namespace kg::dataset
