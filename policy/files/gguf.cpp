#include "policy/files/gguf.h"

#include <cstring>

#include "base/error.h"

namespace kg::policy {
namespace {

// Types of key-value pairs, as the format numbers them.
enum ValueType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kFloat64
};

struct BlockSize {
  GgufType type;
  std::uint64_t elements;
  std::uint64_t bytes;
};
constexpr BlockSize kBlocks[] = {
    {GgufType::kF32, 1, 4},    {GgufType::kF16, 1, 2},    {GgufType::kBF16, 1, 2},     {GgufType::kQ4_0, 32, 18},
    {GgufType::kQ4_1, 32, 20}, {GgufType::kQ8_0, 32, 34}, {GgufType::kQ4_K, 256, 144}, {GgufType::kQ6_K, 256, 210},
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::filesystem::path& path) : bytes_(bytes), path_(path) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(what, path_.string() + ", byte " + std::to_string(position_), "download the model file again");
  }
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - position_)
      fail("the GGUF file ends too early: " + std::to_string(count) + " bytes wanted");
    const std::string_view part = bytes_.substr(position_, count);
    position_ += count;
    return part;
  }
  template <typename T>
  T scalar() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string text() { return std::string(take(scalar<std::uint64_t>())); }
  // A count of things that take at least `bytes_each` bytes, so that a wrong count cannot ask for all memory.
  std::uint64_t count(std::uint64_t bytes_each) {
    const std::uint64_t value = scalar<std::uint64_t>();
    if (value > (bytes_.size() - position_) / bytes_each)
      fail("the GGUF file states an impossible count " + std::to_string(value));
    return value;
  }
  std::uint64_t position() const { return position_; }
  std::string_view at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) fail("a tensor is outside the GGUF file");
    return bytes_.substr(offset, count);
  }

  std::int64_t integer(std::uint32_t type) {
    switch (type) {
      case kU8:
        return scalar<std::uint8_t>();
      case kI8:
        return scalar<std::int8_t>();
      case kU16:
        return scalar<std::uint16_t>();
      case kI16:
        return scalar<std::int16_t>();
      case kU32:
        return scalar<std::uint32_t>();
      case kI32:
        return scalar<std::int32_t>();
      case kU64:
      case kI64:
        return scalar<std::int64_t>();
      case kBool:
        return scalar<std::uint8_t>() != 0;
      default:
        fail("unknown GGUF value type " + std::to_string(type));
    }
  }
  GgufValue value(std::uint32_t type) {
    if (type == kString) return text();
    if (type == kFloat32) return static_cast<double>(scalar<float>());
    if (type == kFloat64) return scalar<double>();
    if (type == kBool) return integer(type) != 0;
    if (type != kArray) return integer(type);
    const std::uint32_t element = scalar<std::uint32_t>();
    if (element == kString) {
      std::vector<std::string> list(count(8));
      for (std::string& item : list) item = text();
      return list;
    }
    if (element == kFloat32 || element == kFloat64) {
      std::vector<double> list(count(4));
      for (double& item : list) item = element == kFloat32 ? scalar<float>() : scalar<double>();
      return list;
    }
    std::vector<std::int64_t> list(count(1));
    for (std::int64_t& item : list) item = integer(element);
    return list;
  }

 private:
  std::string_view bytes_;
  const std::filesystem::path& path_;
  std::uint64_t position_ = 0;
};

struct TensorEntry {
  GgufTensor tensor;
  std::uint64_t offset;
  std::uint64_t size;
};

TensorEntry read_tensor_entry(Reader& reader) {
  TensorEntry entry;
  entry.tensor.name = reader.text();
  const std::uint32_t dimensions = reader.scalar<std::uint32_t>();
  if (dimensions == 0 || dimensions > 4)
    reader.fail("tensor " + entry.tensor.name + " has " + std::to_string(dimensions) + " dimensions");
  std::vector<std::int64_t>& shape = entry.tensor.shape;
  shape.resize(dimensions);
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const std::int64_t extent = reader.scalar<std::int64_t>();
    if (extent <= 0 || static_cast<std::uint64_t>(extent) > (1ULL << 40) / elements)
      reader.fail("tensor " + entry.tensor.name + " has the extent " + std::to_string(extent));
    shape[dimensions - 1 - i] = extent;
    elements *= static_cast<std::uint64_t>(extent);
  }
  const std::uint32_t type = reader.scalar<std::uint32_t>();
  entry.offset = reader.scalar<std::uint64_t>();
  for (const BlockSize& block : kBlocks) {
    if (static_cast<std::uint32_t>(block.type) != type) continue;
    if (static_cast<std::uint64_t>(shape.back()) % block.elements != 0)
      reader.fail("a row of tensor " + entry.tensor.name + " is not a whole number of blocks");
    entry.tensor.type = block.type;
    entry.size = elements / block.elements * block.bytes;
    return entry;
  }
  throw Error("tensor " + entry.tensor.name + " has the GGUF type " + std::to_string(type) + ", which is not read",
              "GGUF file", "use a file in F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q4_K or Q6_K");
}

}  // namespace

GgufFile::GgufFile(const std::filesystem::path& path) : file_(MappedFile::open(path)) {
  Reader reader(file_->bytes(), file_->path());
  if (reader.take(4) != "GGUF")
    throw Error("not a GGUF file", path.string(), "give a GGUF file or a Hugging Face directory");
  const std::uint32_t version = reader.scalar<std::uint32_t>();
  if (version != 2 && version != 3)
    throw Error("GGUF version " + std::to_string(version) + " is not read; versions 2 and 3 are", path.string(),
                "convert the model with a current llama.cpp");
  const std::uint64_t tensor_count = reader.count(24);
  const std::uint64_t value_count = reader.count(12);
  for (std::uint64_t i = 0; i < value_count; ++i) {
    std::string key = reader.text();
    const std::uint32_t type = reader.scalar<std::uint32_t>();
    values_[std::move(key)] = reader.value(type);
  }
  std::vector<TensorEntry> entries;
  for (std::uint64_t i = 0; i < tensor_count; ++i) entries.push_back(read_tensor_entry(reader));
  const std::uint64_t alignment = static_cast<std::uint64_t>(integer("general.alignment", 32));
  if (alignment == 0 || alignment > 65536) reader.fail("impossible alignment " + std::to_string(alignment));
  const std::uint64_t data = (reader.position() + alignment - 1) / alignment * alignment;
  for (TensorEntry& entry : entries) {
    if (entry.offset > file_->bytes().size()) reader.fail("tensor " + entry.tensor.name + " is outside the GGUF file");
    entry.tensor.bytes = reader.at(data + entry.offset, entry.size);
    tensors_.push_back(std::move(entry.tensor));
  }
}

template <typename T>
const T& GgufFile::get(const std::string& key, const char* type_name) const {
  const auto found = values_.find(key);
  if (found == values_.end())
    throw Error("the GGUF file lacks the key \"" + key + "\"", file_->path().string(),
                "convert the model with a current llama.cpp");
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr)
    throw Error("the GGUF key \"" + key + "\" is not " + type_name, file_->path().string(),
                "convert the model with a current llama.cpp");
  return *value;
}

std::int64_t GgufFile::integer(const std::string& key) const { return get<std::int64_t>(key, "an integer"); }
std::int64_t GgufFile::integer(const std::string& key, std::int64_t fallback) const {
  return has(key) ? integer(key) : fallback;
}
double GgufFile::number(const std::string& key) const { return get<double>(key, "a number"); }
std::string GgufFile::text(const std::string& key, const std::string& fallback) const {
  return has(key) ? get<std::string>(key, "text") : fallback;
}
bool GgufFile::flag(const std::string& key, bool fallback) const {
  return has(key) ? get<bool>(key, "a truth value") : fallback;
}
const std::vector<std::string>& GgufFile::texts(const std::string& key) const {
  return get<std::vector<std::string>>(key, "a list of texts");
}
const std::vector<std::int64_t>& GgufFile::integers(const std::string& key) const {
  return get<std::vector<std::int64_t>>(key, "a list of integers");
}

}  // namespace kg::policy
