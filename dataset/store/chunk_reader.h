#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "proto/index.pb.h"

namespace kg::dataset {

// What damage has hit: thrown by whatever reads a row with it in.
class DamageError : public Error {
 public:
  DamageError(const std::string& what, const std::string& where);
};

inline constexpr std::uint64_t kUnknownOffset = ~std::uint64_t{0};

std::uint64_t chunk_count(const proto::ColumnChunks& column);
std::size_t column_width(const proto::ColumnChunks& column);  // bytes of an element, 0 if the type is none of ours

// The bytes of chunk `index` as stored, as far as the file has them.
std::string stored_chunk(int descriptor, const proto::ColumnChunks& column, std::uint64_t index);
// Whether they are as they were written, by their checksum; where there is none, they are unpacked. Returns what is
// wrong, or nothing.
std::string look_at_chunk(const proto::ColumnChunks& column, std::uint64_t index, std::string_view stored);
// Unpacks them to a whole chunk. Returns why that cannot be done, or nothing.
std::string unpack_chunk(const proto::ColumnChunks& column, std::uint64_t index, std::string_view stored,
                         std::string& raw);

}  // namespace kg::dataset
