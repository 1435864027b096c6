#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kg {

// XXH3 of bytes: for checksums and content keys, not for security.
std::uint64_t hash64(std::string_view bytes);
std::string hash128_hex(std::string_view bytes);                     // 32 hex digits
std::string hash128_hex_of_file(const std::filesystem::path& path);  // read through a map, constant memory

}  // namespace kg
