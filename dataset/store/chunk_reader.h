#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "proto/index.pb.h"

namespace kg::dataset {

// Thrown by a read of a row that includes damaged data.
class DamageError : public Error {
 public:
  DamageError(const std::string& what, const std::string& where);
};

inline constexpr std::uint64_t kUnknownOffset = ~std::uint64_t{0};

std::uint64_t chunk_count(const proto::ColumnChunks& column);
std::size_t column_width(const proto::ColumnChunks& column);  // bytes of an element, 0 if the type is unknown

// The stored bytes of chunk `index`, as far as the file has them.
std::string stored_chunk(int descriptor, const proto::ColumnChunks& column, std::uint64_t index);
// Checks that they are as written, by their checksum; without one, by decompressing them. Returns what is
// wrong, or nothing.
std::string look_at_chunk(const proto::ColumnChunks& column, std::uint64_t index, std::string_view stored);
// Decompresses them to a whole chunk. Returns why that is impossible, or nothing.
std::string unpack_chunk(const proto::ColumnChunks& column, std::uint64_t index, std::string_view stored,
                         std::string& raw);

}  // namespace kg::dataset
