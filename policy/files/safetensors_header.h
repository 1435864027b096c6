#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kg::policy {

enum class SafetensorsType { kF32, kF16, kBF16 };
const char* safetensors_name(SafetensorsType type);  // "F32", "F16", "BF16"

struct SafetensorsEntry {
  std::string name;
  SafetensorsType type = SafetensorsType::kF32;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0, size = 0;  // bytes, from the beginning of the file
};

// The tensors named in the header of a safetensors file (`bytes`, the whole file), in the order of their names; each is
// within the file, and its size matches its type and shape. Throws Error naming `file` and the tensor.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view bytes, const std::filesystem::path& file);

}  // namespace kg::policy
