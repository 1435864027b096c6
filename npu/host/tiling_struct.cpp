#include "npu/host/tiling_struct.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "npu/host/registry.h"

namespace kg::npu {
namespace {

using optiling::TilingDef;

// Structures of the library (TCubeTiling, SoftMaxTiling, ...) are declared by kernel_operator.h.
std::string type_name(const std::string& type) {
  const std::size_t colon = type.rfind("::");
  return colon == std::string::npos || type.starts_with("std::") ? type : type.substr(colon + 2);
}

void declare(const TilingDef& data, std::set<std::string>& done, std::string& text) {
  if (data.kg_is_library() || !done.insert(data.GetTilingClassName()).second) return;
  std::string fields;
  for (const TilingDef::kg_Field& field : data.kg_fields()) {
    if (field.nested != TilingDef::kg_none) declare(data.kg_nested(field), done, text);
    fields += "  " + type_name(field.type) + " " + field.name;
    if (field.count > 0) fields.append("[").append(std::to_string(field.count)).append("]");
    fields += ";\n";
  }
  const std::string name = data.GetTilingClassName();
  text += "struct " + name + " {\n" + fields + "};\n";
  if (data.GetDataSize() > 0)
    text += "static_assert(sizeof(" + name + ") == " + std::to_string(data.GetDataSize()) +
            ", \"tiling data of host and kernel differ\");\n";
}

}  // namespace

std::string tiling_structures(const std::string& op_type, unsigned long long tiling_key) {
  std::string text = "#include <stdint.h>\n", chosen;
  std::set<std::string> done;
  const std::string keyed = op_type + "_" + std::to_string(tiling_key);
  for (const auto& [name, make] : host_registry().tilings) {
    const std::shared_ptr<TilingDef> data = make();
    if (data->kg_is_library()) continue;
    declare(*data, done, text);
    if (name == keyed || (name == op_type && chosen.empty())) chosen = data->GetTilingClassName();
  }
  if (!chosen.empty()) text += "#undef KG_TILING_STRUCT\n#define KG_TILING_STRUCT " + chosen + "\n";
  return text;
}

}  // namespace kg::npu

void optiling::TilingDef::SaveToBuffer(void* buffer, size_t capacity) const {
  if (buffer == nullptr || GetDataSize() > capacity) {
    std::fprintf(stderr, "[ERROR] %s::SaveToBuffer: %zu bytes do not fit into a buffer of %zu\n", kg_class.c_str(),
                 GetDataSize(), buffer == nullptr ? 0 : capacity);
    return;
  }
  std::memset(buffer, 0, GetDataSize());
  for (const kg_Field& field : kg_list) {
    char* to = static_cast<char*>(buffer) + field.offset;
    if (field.nested != kg_none)
      kg_nested(field).SaveToBuffer(to, field.bytes);
    else
      std::memcpy(to, reinterpret_cast<const char*>(this) + field.member, field.bytes);
  }
}
