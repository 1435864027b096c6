#include "policy/safetensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "policy/mapped_file.h"

namespace kg::policy {
namespace {

using nlohmann::json;

struct TypeRow {
  const char* name;
  at::ScalarType type;
};
constexpr TypeRow kTypes[] = {{"F32", at::kFloat}, {"F16", at::kHalf}, {"BF16", at::kBFloat16}};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw Error(what, file.string(), "export or download the file again");
}

at::ScalarType scalar_type(const std::string& name, const std::string& tensor, const std::filesystem::path& file) {
  for (const TypeRow& row : kTypes)
    if (name == row.name) return row.type;
  throw Error("tensor " + tensor + " has the type " + name + ", which is not read", file.string(),
              "export it in F32, F16 or BF16");
}

std::string type_name(at::ScalarType type) {
  for (const TypeRow& row : kTypes)
    if (type == row.type) return row.name;
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
  const std::string_view bytes = file->bytes();
  std::uint64_t header_size = 0;
  if (bytes.size() < 8) fail(path, "the safetensors file is shorter than its header");
  std::memcpy(&header_size, bytes.data(), 8);
  if (header_size > bytes.size() - 8) fail(path, "the safetensors header reaches past the end of the file");
  const json header = json::parse(bytes.substr(8, header_size), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) fail(path, "the safetensors header is not a JSON object");
  char* data = file->data() + 8 + header_size;
  const std::uint64_t data_size = bytes.size() - 8 - header_size;

  std::vector<NamedTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    std::vector<std::int64_t> shape;
    std::vector<std::uint64_t> range;
    std::string dtype;
    try {
      entry.at("shape").get_to(shape);
      entry.at("data_offsets").get_to(range);
      entry.at("dtype").get_to(dtype);
    } catch (const json::exception& error) {
      fail(path, "the safetensors entry of " + name + " is malformed: " + error.what());
    }
    const at::ScalarType type = scalar_type(dtype, name, path);
    std::uint64_t size = c10::elementSize(type);
    for (const std::int64_t extent : shape) {
      if (extent < 0 || (extent > 0 && size > data_size / static_cast<std::uint64_t>(extent)))
        fail(path, "tensor " + name + " is larger than the file");
      size *= static_cast<std::uint64_t>(extent);
    }
    if (range.size() != 2 || range[0] > range[1] || range[1] > data_size || range[1] - range[0] != size)
      fail(path, "the offsets of tensor " + name + " do not fit its shape or the file");
    tensors.push_back({name, view_of(file, data + range[0], shape, type)});
  }
  return tensors;
}

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
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
  out.write(reinterpret_cast<const char*>(&header_size), 8);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const NamedTensor& named : tensors) {
    const at::Tensor plain = named.tensor.detach().to(at::kCPU, dtype).contiguous();
    out.write(static_cast<const char*>(plain.const_data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
  }
  out.close();
  if (!out) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Error("cannot write the weights", path.string(), "check the disk space and the permissions of the folder",
                Error::Kind::kEnvironment);
  }
  std::filesystem::rename(temporary, path);
}

}  // namespace kg::policy
