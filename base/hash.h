#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kg {

// XXH3 of bytes: for checksums and content keys, not for security.
std::uint64_t hash64(std::string_view bytes);
// The same for bytes that arrive in pieces.
class Hash64 {
 public:
  Hash64();
  ~Hash64();
  Hash64(const Hash64&) = delete;
  Hash64& operator=(const Hash64&) = delete;
  void add(std::string_view bytes);
  std::uint64_t value() const;

 private:
  void* state_;
};
struct Hash128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Hash128&) const = default;
};
Hash128 hash128(std::string_view bytes);
std::string hash128_hex(std::string_view bytes);                     // 32 hex digits
std::string hash128_hex_of_file(const std::filesystem::path& path);  // read through a map, constant memory

}  // namespace kg
