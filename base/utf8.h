#pragma once

#include <string>
#include <string_view>

namespace kg {

// Bytes from programs and files that somebody else wrote need not be text, and text fields of messages must be.
bool is_utf8(std::string_view bytes);
std::string readable_utf8(std::string_view bytes);  // each byte that belongs to no character becomes '?'

}  // namespace kg
