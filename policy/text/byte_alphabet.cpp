#include "policy/text/byte_alphabet.h"

#include <array>

#include "base/error.h"

namespace kg::policy {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

struct Alphabet {
  std::array<int, 256> code_point{};
  std::array<int, 0x200> byte{};  // by code point; -1: not in the alphabet
  constexpr Alphabet() {
    byte.fill(-1);
    int next = 0x100;
    for (int value = 0; value < 256; ++value) {
      const int code = stands_for_itself(value) ? value : next++;
      code_point[value] = code;
      byte[code] = value;
    }
  }
};
constexpr Alphabet kAlphabet;

}  // namespace

std::string byte_character(unsigned char byte) {
  const int code = kAlphabet.code_point[byte];  // below U+0200: at most two bytes of UTF-8
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xc0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3f))};
}

std::string bytes_of_token(std::string_view token) {
  std::string bytes;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const int first = static_cast<unsigned char>(token[i]);
    int code = first;
    if (first >= 0x80) {
      const int second = i + 1 < token.size() ? static_cast<unsigned char>(token[++i]) : 0;
      code = (first & 0xe0) == 0xc0 && (second & 0xc0) == 0x80 ? (first & 0x1f) << 6 | (second & 0x3f) : 0xffff;
    }
    if (code >= 0x200 || kAlphabet.byte[code] < 0)
      throw Error("token \"" + std::string(token) + "\" is not written in the byte alphabet", "tokenizer",
                  "only byte-level BPE tokenizers are read");
    bytes.push_back(static_cast<char>(kAlphabet.byte[code]));
  }
  return bytes;
}

}  // namespace kg::policy
