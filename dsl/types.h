#pragma once

#include <string>
#include <utility>

#include "dsl/program.h"

namespace kg::dsl {

inline constexpr std::int64_t kMostTile = 64 << 10;  // elements of a tile: more never fits into UB

// Types of expressions: making and comparing them, and their texts for messages.
inline Type scalar_type(Type::Kind kind) { return {.kind = kind}; }
inline Type tile_type(proto::DType dtype, Length length) {
  return {.kind = Type::Kind::kTile, .dtype = dtype, .length = std::move(length)};
}
inline Type mask_type(Length length) { return {.kind = Type::Kind::kMask, .length = std::move(length)}; }
inline bool is_real(proto::DType dtype) { return dtype == proto::FLOAT32 || dtype == proto::FLOAT16; }

// True if elements of this tensor are read as whole numbers.
inline bool is_whole(proto::DType dtype) {
  for (const proto::DType one : {proto::INT64, proto::INT32, proto::INT16, proto::INT8, proto::UINT8, proto::BOOL})
    if (dtype == one) return true;
  return false;
}

std::string type_text(const Type& type);
std::string length_text(const Length& length);

}  // namespace kg::dsl
