#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "npu/machine/access_log.h"

namespace kg::npu {

// Zero bytes that use memory only where they are touched.
class ZeroBytes {
 public:
  ZeroBytes() = default;
  explicit ZeroBytes(std::uint64_t bytes);
  ZeroBytes(ZeroBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroBytes& operator=(ZeroBytes&& other) noexcept;
  ~ZeroBytes();
  bool empty() const { return bytes_ == 0; }
  std::uint64_t size() const { return bytes_; }
  std::uint8_t* data() const { return data_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// GM: one mapping for each allocation, between inaccessible pages. An allocation is rounded up as on the device,
// (bytes + 32) to a multiple of 512, and ends at the inaccessible page.
class GlobalMemory {
 public:
  GlobalMemory() = default;
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;
  ~GlobalMemory();

  enum class State : std::uint8_t { kUnwritten = 0, kDefined = 1, kUndefined = 2 };

  struct Allocation {
    std::string name;
    std::size_t index = 0;  // its number among all allocations
    std::uint8_t* data = nullptr;
    std::uint64_t address = 0;  // 0: that of the data
    std::uint64_t bytes = 0;    // requested size
    std::uint64_t rounded = 0;  // allocated size
    bool is_output = false;
    std::uint8_t poison = 0;  // content of an output's bytes before they are written
    void* mapping = nullptr;
    std::uint64_t mapped = 0;
    ZeroBytes state;  // State of each byte; empty: all defined (inputs)
    AccessLog log;

    bool defined(std::uint64_t offset) const {
      return state.empty() || state.data()[offset] == static_cast<std::uint8_t>(State::kDefined);
    }
    std::uint64_t start() const { return address != 0 ? address : reinterpret_cast<std::uint64_t>(data); }
    bool is_constant() const { return address != 0; }
  };

  // Inputs have their data; outputs and workspaces are poisoned and tracked.
  Allocation& allocate_input(std::string name, const std::string& content);
  Allocation& allocate_output(std::string name, std::uint64_t bytes, std::uint8_t poison, bool is_output);
  // The constants of a kernel's code, which can be read like GM where that code runs (tables declared __gm__).
  void add_constants(const void* code, std::uint64_t address, const std::uint8_t* data, std::uint64_t bytes);
  void use_constants_of(const void* code);
  // The allocation that contains the address, or null.
  Allocation* find(std::uint64_t address);
  Allocation* nearest(std::uint64_t address);  // for messages
  std::vector<Allocation*> all();
  void forget_accesses();  // after a SyncAll of all cores
  // For host code, whose memory has no address on the device.
  void close();

 private:
  Allocation& map(std::string name, std::uint64_t bytes);
  std::vector<std::unique_ptr<Allocation>> allocations_;
  std::map<const void*, std::unique_ptr<Allocation>> constants_;  // by their code
  Allocation* constants_in_use_ = nullptr;
};

}  // namespace kg::npu
