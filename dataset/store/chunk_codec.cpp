#include "dataset/store/chunk_codec.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace kg::dataset {
namespace {

std::string shuffle(std::string_view raw, std::size_t width) {
  const std::size_t count = raw.size() / width;
  std::string shuffled(raw.size(), '\0');
  for (std::size_t byte = 0; byte < width; ++byte)
    for (std::size_t i = 0; i < count; ++i) shuffled[byte * count + i] = raw[i * width + byte];
  return shuffled;
}

std::string unshuffle(std::string_view shuffled, std::size_t width) {
  const std::size_t count = shuffled.size() / width;
  std::string raw(shuffled.size(), '\0');
  for (std::size_t byte = 0; byte < width; ++byte)
    for (std::size_t i = 0; i < count; ++i) raw[i * width + byte] = shuffled[byte * count + i];
  return raw;
}

// Empty if that makes it no smaller.
std::string deflated(std::string_view bytes) {
  std::string packed(bytes.size(), '\0');
  uLongf size = packed.size();
  const int status = ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kDeflateLevel);
  if (status != Z_OK || size >= bytes.size()) return "";
  packed.resize(size);
  return packed;
}

// Fletcher-32 as HDF5 computes it: over big-endian 16-bit words.
std::uint32_t fletcher32(std::string_view bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::uint32_t sum1 = 0, sum2 = 0;
  std::size_t words = bytes.size() / 2;
  while (words > 0) {
    std::size_t block = std::min<std::size_t>(words, 360);  // so many do not overflow
    words -= block;
    for (; block > 0; --block, data += 2) {
      sum1 += static_cast<std::uint32_t>(data[0] << 8 | data[1]);
      sum2 += sum1;
    }
    sum1 = (sum1 & 0xffff) + (sum1 >> 16);
    sum2 = (sum2 & 0xffff) + (sum2 >> 16);
  }
  if (bytes.size() % 2 != 0) {
    sum1 += static_cast<std::uint32_t>(*data << 8);
    sum2 += sum1;
    sum1 = (sum1 & 0xffff) + (sum1 >> 16);
    sum2 = (sum2 & 0xffff) + (sum2 >> 16);
  }
  sum1 = (sum1 & 0xffff) + (sum1 >> 16);
  sum2 = (sum2 & 0xffff) + (sum2 >> 16);
  return sum2 << 16 | sum1;
}

bool unpack(std::uint32_t filter, std::size_t width, std::size_t raw_bytes, std::string& bytes) {
  if (filter == kShuffle) {
    if (bytes.size() % width != 0) return false;
    bytes = unshuffle(bytes, width);
    return true;
  }
  if (filter == kDeflate) {
    std::string raw(raw_bytes, '\0');
    uLongf size = raw_bytes;
    if (::uncompress(reinterpret_cast<Bytef*>(raw.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                     bytes.size()) != Z_OK ||
        size != raw_bytes)
      return false;
    bytes = std::move(raw);
    return true;
  }
  if (filter != kFletcher32 || bytes.size() < 4) return false;
  std::uint32_t stored = 0;
  std::memcpy(&stored, bytes.data() + bytes.size() - 4, 4);
  bytes.resize(bytes.size() - 4);
  return stored == fletcher32(bytes);
}

}  // namespace

std::vector<std::uint32_t> chunk_filters(std::size_t element_bytes) {
  if (element_bytes > 1) return {kShuffle, kDeflate, kFletcher32};
  return {kDeflate, kFletcher32};
}

EncodedChunk encode_chunk(std::string_view raw, const std::vector<std::uint32_t>& filters, std::size_t element_bytes) {
  EncodedChunk chunk{.bytes = std::string(raw), .skipped = 0};
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (filters[i] == kShuffle) {
      chunk.bytes = shuffle(chunk.bytes, element_bytes);
    } else if (filters[i] == kDeflate) {
      std::string packed = deflated(chunk.bytes);
      if (packed.empty())
        chunk.skipped |= 1U << i;
      else
        chunk.bytes = std::move(packed);
    } else {
      KG_CHECK_EQ(filters[i], kFletcher32);
      const std::uint32_t sum = fletcher32(chunk.bytes);
      chunk.bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    }
  }
  return chunk;
}

bool decode_chunk(std::string_view stored, const std::vector<std::uint32_t>& filters, std::uint32_t skipped,
                  std::size_t element_bytes, std::size_t raw_bytes, std::string& raw) {
  raw = stored;
  for (std::size_t i = filters.size(); i-- > 0;)
    if ((skipped >> i & 1) == 0 && !unpack(filters[i], element_bytes, raw_bytes, raw)) return false;
  return raw.size() == raw_bytes;
}

}  // namespace kg::dataset
