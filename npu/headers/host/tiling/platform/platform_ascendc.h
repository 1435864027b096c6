#pragma once

#include <cstdint>

#include "platform/platform_infos_def.h"

// Instruction sets of chips, with the number that __NPU_ARCH__ has.
enum class NpuArch : uint32_t { DAV_1001 = 1001, DAV_2002 = 2002, DAV_2201 = 2201, DAV_3002 = 3002, DAV_3510 = 3510 };

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND910_95,
  ASCEND910_55,
  AS31XM1,
  ASCEND310RC,
  ASCEND950,
  RESERVED_VERSION = 99999
};
enum class ReservedSize { RESERVED_SIZE_8K = 8 * 1024, RESERVED_SIZE_16K = 16 * 1024, RESERVED_SIZE_32K = 32 * 1024 };

class PlatformAscendC {
 public:
  PlatformAscendC() = delete;
  explicit PlatformAscendC(fe::PlatFormInfos* infos) : infos_(infos) {}
  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumAic() const;
  uint32_t GetCoreNumAiv() const;
  uint32_t GetCoreNumVector() const;
  SocVersion GetSocVersion() const { return SocVersion::ASCEND910B; }
  NpuArch GetCurNpuArch() const { return NpuArch::DAV_2201; }
  uint32_t GetVecRegLen() const { return 0; }  // a vector unit without registers
  // Blocks to launch for `slices` pieces of work of a mixed kernel; the first is the newer name.
  uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const;
  uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
    return CalcTschNumBlocks(slices, aic_cores, aiv_cores);
  }
  void GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const;
  void GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const;
  uint32_t GetLibApiWorkSpaceSize() const;
  uint32_t GetResGroupBarrierWorkSpaceSize() const;
  uint32_t GetResCubeGroupWorkSpaceSize() const;
  void ReserveLocalMemory(ReservedSize size) { reserved_ = static_cast<uint64_t>(size); }

 private:
  fe::PlatFormInfos* infos_ = nullptr;
  uint64_t reserved_ = 0;
};

class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance();
  static PlatformAscendC* GetInstance(const char* soc_version);
};

}  // namespace platform_ascendc
