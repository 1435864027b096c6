#pragma once

#include <c10/core/Device.h>

#include <array>
#include <cstdint>
#include <string>

namespace kg::policy {

// CUDA C++ compiled by NVRTC for the card in use. Neither NVRTC nor the driver is linked: both are loaded when
// the program is created, like LibTorch's CUDA library in open_device().
class CudaProgram {
 public:
  struct Grid {
    std::int64_t x = 1, y = 1;  // blocks
    unsigned threads = 256;     // threads per block
  };

  // Compiles `source` for the card `device`, which open_device() has opened. Its text is preceded by i64, bf16, and
  // widened(x) and narrow(x, y) between float or bf16 and fp32. Throws Error if NVRTC or the driver is missing, or with
  // NVRTC's messages about the source.
  CudaProgram(const char* source, at::Device device);
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  // The program of `source`, a constant, for this card: compiled on first use, then kept.
  static const CudaProgram& of(const char* source, at::Device device);

  // Queues `kernel` (extern "C") on LibTorch's current stream of the device. The arguments must have
  // the types that the kernel declares. Throws Error if the driver refuses; faults of the kernel itself appear
  // later, at the next wait for the device. Safe to call from several threads.
  template <typename... Arguments>
  void launch(const std::string& kernel, const Grid& grid, Arguments... arguments) const {
    std::array<void*, sizeof...(Arguments)> places{&arguments...};
    launch_at(kernel, grid, places.data());
  }

 private:
  void launch_at(const std::string& kernel, const Grid& grid, void** arguments) const;

  at::Device device_;
  void* context_ = nullptr;  // the card's primary one, which LibTorch computes in
  void* module_ = nullptr;
};

}  // namespace kg::policy
