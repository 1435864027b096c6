#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kg::dataset {

// HDF5's filters, as a chunk of a column passes them, in our own code: what a chunk holds can then be read without the
// library, which crashes or loops on some damaged files. Numbers as HDF5 has them.
inline constexpr std::uint32_t kDeflate = 1;
inline constexpr std::uint32_t kShuffle = 2;
inline constexpr std::uint32_t kFletcher32 = 3;

// In the order of writing: the bytes of wide elements shuffled, deflated, and a checksum that h5py looks at too.
std::vector<std::uint32_t> chunk_filters(std::size_t element_bytes);

struct EncodedChunk {
  std::string bytes;
  std::uint32_t skipped = 0;  // bit i: filter i was not applied: deflating made it no smaller
};

EncodedChunk encode_chunk(std::string_view raw, const std::vector<std::uint32_t>& filters, std::size_t element_bytes);

// False if the stored bytes do not unpack to exactly `raw_bytes`.
bool decode_chunk(std::string_view stored, const std::vector<std::uint32_t>& filters, std::uint32_t skipped,
                  std::size_t element_bytes, std::size_t raw_bytes, std::string& raw);

}  // namespace kg::dataset
