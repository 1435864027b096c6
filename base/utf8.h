#pragma once

#include <string>
#include <string_view>

namespace kg {

// Bytes from foreign programs and files may not be text, but text fields of messages must be.
bool is_utf8(std::string_view bytes);
std::string readable_utf8(std::string_view bytes);  // bytes that do not belong to a character become '?'

}  // namespace kg
