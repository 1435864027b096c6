#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

// The properties of the chip: there is one chip, the emulated one.
class PlatFormInfos {
 public:
  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumByType(const std::string& core_type) const;  // "AiCore", "VectorCore"
  void SetCoreNumByCoreType(const std::string& core_type);
  void GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) const;
  void GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle) const;
  bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value) const;
  bool GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value) const;
  bool GetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& values) const;

 private:
  bool vector_cores_ = false;
};

}  // namespace fe
