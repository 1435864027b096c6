#pragma once

#include <string>
#include <string_view>

namespace kg::policy {

// GPT-2 writes each byte of a token as one printable character: bytes that are printable in Latin-1 stay, the
// others become U+0100, U+0101, ... in order of the byte.
std::string byte_character(unsigned char byte);  // UTF-8

// The bytes of a token written in the byte alphabet. Throws Error on a character outside it.
std::string bytes_of_token(std::string_view token);

}  // namespace kg::policy
