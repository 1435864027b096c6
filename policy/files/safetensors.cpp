#include "policy/files/safetensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/running_hash.h"
#include "policy/files/mapped_file.h"
#include "policy/files/safetensors_header.h"

namespace kg::policy {
namespace {

using nlohmann::json;

at::ScalarType scalar_type(SafetensorsType type) {
  return type == SafetensorsType::kF32 ? at::kFloat : type == SafetensorsType::kF16 ? at::kHalf : at::kBFloat16;
}

std::string type_name(at::ScalarType type) {
  for (const SafetensorsType known : {SafetensorsType::kF32, SafetensorsType::kF16, SafetensorsType::kBF16})
    if (scalar_type(known) == type) return safetensors_name(known);
  throw Error(std::string("weights cannot be written in the type ") + c10::toString(type), "safetensors",
              "use float32 or bfloat16");
}

at::Tensor view_of(const std::shared_ptr<MappedFile>& file, char* data, const std::vector<std::int64_t>& shape,
                   at::ScalarType type) {
  const auto options = at::TensorOptions().dtype(type);
  if (reinterpret_cast<std::uintptr_t>(data) % c10::elementSize(type) == 0)
    return at::from_blob(data, shape, [file](void*) {}, options);
  at::Tensor copy = at::empty(shape, options);
  std::memcpy(copy.mutable_data_ptr(), data, copy.nbytes());
  return copy;
}

}  // namespace

std::vector<NamedTensor> read_safetensors(const std::filesystem::path& path) {
  const std::shared_ptr<MappedFile> file = MappedFile::open(path);
  std::vector<NamedTensor> tensors;
  for (const SafetensorsEntry& entry : parse_safetensors_header(file->bytes(), path))
    tensors.push_back({entry.name, view_of(file, file->data() + entry.offset, entry.shape, scalar_type(entry.type))});
  return tensors;
}

std::uint64_t tensor_checksum(std::string_view name, std::string_view bytes) {
  return hash64(std::string(name) + " " + checksum_text(hash64(bytes)));
}

std::string checksum_text(std::uint64_t sum) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(sum));
  return text;
}

WrittenTensors write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                                 at::ScalarType dtype) {
  json header = {{"__metadata__", {{"format", "pt"}}}};  // transformers asks for this
  std::uint64_t offset = 0;
  for (const NamedTensor& named : tensors) {
    const std::uint64_t end = offset + static_cast<std::uint64_t>(named.tensor.numel()) * c10::elementSize(dtype);
    header[named.name] = {
        {"dtype", type_name(dtype)}, {"shape", named.tensor.sizes().vec()}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((8 + text.size() + 63) / 64 * 64 - 8, ' ');
  const std::uint64_t header_size = text.size();

  const std::uint64_t total = 8 + header_size + offset;
  if (const std::uint64_t free = free_disk_bytes(path); free < total)
    throw Error("the disk has " + std::to_string(free >> 20) + " MiB free, the weights take " +
                    std::to_string(total >> 20) + " MiB",
                path.string(), "free disk space", Error::Kind::kEnvironment);
  const std::filesystem::path temporary = path.string() + ".tmp-" + std::to_string(::getpid());
  std::ofstream out(temporary, std::ios::binary);
  RunningHash128 hash;
  const auto put = [&](const void* data, std::size_t bytes) {
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    hash.add({static_cast<const char*>(data), bytes});
  };
  std::uint64_t sum = 0;
  put(&header_size, 8);
  put(text.data(), text.size());
  for (const NamedTensor& named : tensors) {
    const at::Tensor plain = named.tensor.detach().to(at::kCPU, dtype).contiguous();
    put(plain.const_data_ptr(), plain.nbytes());
    sum += tensor_checksum(named.name, {static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()});
  }
  out.close();
  if (!out) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Error("cannot write the weights", path.string(), "check the disk space and the permissions of the folder",
                Error::Kind::kEnvironment);
  }
  std::filesystem::rename(temporary, path);
  return {.file_checksum = hash.hex(), .tensors = checksum_text(sum)};
}

}  // namespace kg::policy
