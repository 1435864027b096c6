#include "npu/launch/kernel_object.h"

#include "base/error.h"
#include "base/file.h"
#include "npu/launch/runtime_calls.h"

namespace kg::npu {

KernelObject::KernelObject(const std::string& path)
    : path_(path),
      image_(read_file(path), find_runtime_call),
      has_entry_(image_.copy(image_.address_of("kgnpu_entry"), entry_)) {}

const kgnpu::Entry& KernelObject::entry() const {
  if (!has_entry_)
    throw Error("the compiled kernel exports no launcher", path_, "compile it with compile_flags() and epilogue()",
                Error::Kind::kFailed);
  return entry_;
}

Program::Half KernelObject::half() const { return {&image_, reinterpret_cast<std::uint64_t>(entry().call)}; }

std::vector<std::uint64_t> KernelObject::tiling_keys() const {
  std::vector<std::uint64_t> keys;
  const scalar::Image::Extent extent = image_.section("kgnpu_keys");
  std::uint64_t key = 0;
  for (std::uint64_t at = extent.begin; at < extent.end && image_.copy(at, key); at += sizeof key) keys.push_back(key);
  return keys;
}

}  // namespace kg::npu
