#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/headers/kgnpu/abi.h"
#include "npu/machine/scheduler.h"
#include "npu/scalar/image.h"

namespace kg::npu {

// A compiled kernel for a launch. Throws Error if the file is not one.
class KernelObject {
 public:
  explicit KernelObject(const std::string& path);

  const scalar::Image& image() const { return image_; }
  // The symbol that the epilogue exports. Its addresses are the image's.
  const kgnpu::Entry& entry() const;
  Program::Half half() const;
  std::vector<std::uint64_t> tiling_keys() const;  // those in the source; empty: none

 private:
  std::string path_;
  scalar::Image image_;
  kgnpu::Entry entry_{};
  bool has_entry_;  // sources with <<<>>> have none
};

}  // namespace kg::npu
