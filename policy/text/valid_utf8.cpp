#include "policy/text/valid_utf8.h"

#include <cstddef>

namespace kg::policy {
namespace {

struct Piece {
  std::size_t size;
  bool valid;
};

// The character, or the broken beginning of one, at the start of `s` (not empty). Table 3-7 of the Unicode standard.
Piece first_piece(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned char low = 0x80, high = 0xBF;  // range of the second byte
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  for (std::size_t i = 1; i < size; ++i, low = 0x80, high = 0xBF)
    if (i >= s.size() || byte(i) < low || byte(i) > high) return {i, false};
  return {size, true};
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const Piece piece = first_piece(bytes);
    text += piece.valid ? bytes.substr(0, piece.size) : std::string_view("\xEF\xBF\xBD");
    bytes.remove_prefix(piece.size);
  }
  return text;
}

}  // namespace kg::policy
