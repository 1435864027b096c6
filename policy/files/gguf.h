#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/files/mapped_file.h"

namespace kg::policy {

// The supported element types of GGUF, with the format's numbers.
enum class GgufType : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ8_0 = 8,
  kQ4_K = 12,
  kQ6_K = 14,
  kBF16 = 30
};

struct GgufTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // slowest dimension first, as in PyTorch (the file has the reverse order)
  GgufType type;
  std::string_view bytes;  // inside the map
};

using GgufValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

// A GGUF file, version 2 or 3, little endian: key-value pairs and a table of tensors. Every offset and length is
// checked against the file, so a truncated or hostile file results in an Error.
class GgufFile {
 public:
  explicit GgufFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_->path(); }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  bool has(const std::string& key) const { return values_.count(key) != 0; }

  // The value of a key. Throws Error if the key is missing or has another type; the forms with a fallback only for
  // another type.
  std::int64_t integer(const std::string& key) const;
  std::int64_t integer(const std::string& key, std::int64_t fallback) const;
  double number(const std::string& key) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  bool flag(const std::string& key, bool fallback) const;
  const std::vector<std::string>& texts(const std::string& key) const;
  const std::vector<std::int64_t>& integers(const std::string& key) const;

 private:
  template <typename T>
  const T& get(const std::string& key, const char* type_name) const;

  std::shared_ptr<MappedFile> file_;
  std::map<std::string, GgufValue> values_;
  std::vector<GgufTensor> tensors_;
};

}  // namespace kg::policy
