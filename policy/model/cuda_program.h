#pragma once

#include <c10/core/Device.h>

#include <array>
#include <cstdint>
#include <string>

namespace kg::policy {

// CUDA C++ that is compiled by NVRTC for the card at hand. Neither NVRTC nor the driver is linked: both are loaded when
// the program is made, as LibTorch's library for CUDA is by open_device().
class CudaProgram {
 public:
  struct Grid {
    std::int64_t x = 1, y = 1;  // blocks
    unsigned threads = 256;     // of a block
  };

  // Compiles `source` for the card `device`, which open_device() has opened. Before its text stand i64, bf16, and
  // widened(x) and narrow(x, y) between float or bf16 and fp32. Throws Error: NVRTC or the driver is not to be had;
  // what NVRTC says against the source.
  CudaProgram(const char* source, at::Device device);
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  // The program of `source`, a constant, for this card: compiled when it is first asked for, then kept.
  static const CudaProgram& of(const char* source, at::Device device);

  // Puts `kernel` (extern "C") behind what LibTorch has put into its current stream of the device. The arguments have
  // to be of the types that the kernel declares. Throws Error if the driver refuses; faults of the kernel itself come
  // later, from whoever waits for the device. Safe to call from several threads.
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
