#include "policy/files/safetensors_header.h"

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "policy/text/whole_number.h"

namespace kg::policy {
namespace {

using nlohmann::json;

struct TypeRow {
  const char* name;
  SafetensorsType type;
  std::uint64_t size;
};
constexpr TypeRow kTypes[] = {
    {"F32", SafetensorsType::kF32, 4}, {"F16", SafetensorsType::kF16, 2}, {"BF16", SafetensorsType::kBF16, 2}};

[[noreturn]] void malformed(const std::filesystem::path& file, const std::string& what) {
  throw Error(what, file.string(), "export or download the file again");
}

const TypeRow& type_row(const std::string& name, const std::string& tensor, const std::filesystem::path& file) {
  for (const TypeRow& row : kTypes)
    if (name == row.name) return row;
  throw Error("tensor " + tensor + " has the type " + name + ", which is not read", file.string(),
              "export it in F32, F16 or BF16");
}

// Bytes of a tensor, or nothing where that is more than `most`. A shape with a zero has none, and no extent so large
// that the product of the others would overflow.
bool fits(const std::vector<std::int64_t>& shape, std::uint64_t element, std::uint64_t most, std::uint64_t& size) {
  bool empty = false;
  std::uint64_t others = element;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return false;
    if (extent == 0) {
      empty = true;
      continue;
    }
    const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (others > limit / static_cast<std::uint64_t>(extent)) return false;
    others *= static_cast<std::uint64_t>(extent);
  }
  size = empty ? 0 : others;
  return size <= most;
}

}  // namespace

const char* safetensors_name(SafetensorsType type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.name;
  return "";
}

std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view bytes, const std::filesystem::path& file) {
  std::uint64_t header_size = 0;
  if (bytes.size() < 8) malformed(file, "the safetensors file is shorter than its header");
  std::memcpy(&header_size, bytes.data(), 8);
  if (header_size > bytes.size() - 8) malformed(file, "the safetensors header reaches past the end of the file");
  const json header = json::parse(bytes.substr(8, header_size), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) malformed(file, "the safetensors header is not a JSON object");
  const std::uint64_t begin = 8 + header_size, data_size = bytes.size() - begin;

  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") continue;
    SafetensorsEntry entry{.name = name};
    std::vector<std::int64_t> range;
    std::string dtype;
    try {
      entry.shape = whole_numbers(value.at("shape"));
      range = whole_numbers(value.at("data_offsets"));
      value.at("dtype").get_to(dtype);
    } catch (const json::exception& error) {
      malformed(file, "the safetensors entry of " + name + " is malformed: " + error.what());
    }
    const TypeRow& type = type_row(dtype, name, file);
    if (!fits(entry.shape, type.size, data_size, entry.size))
      malformed(file, "tensor " + name + " is larger than the file");
    if (range.size() != 2 || range[0] < 0 || range[0] > range[1] || static_cast<std::uint64_t>(range[1]) > data_size ||
        static_cast<std::uint64_t>(range[1] - range[0]) != entry.size)
      malformed(file, "the offsets of tensor " + name + " do not fit its shape or the file");
    entry.type = type.type;
    entry.offset = begin + static_cast<std::uint64_t>(range[0]);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace kg::policy
