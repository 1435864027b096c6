#include <map>

#include "npu/headers/kgnpu/abi.h"
#include "npu/machine/local_memory.h"
#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"

// Platform information: an Atlas A2. Sizes from the published programming guide; UB is what InitBuffer gives out.

namespace {

constexpr std::uint32_t kCubeCores = 24, kVectorCores = 48;
// Of a core and cycle at 1.85 GHz: 1.8 TB/s and 5.2 TB/s over 24 cores.
constexpr std::uint64_t kMemoryBytesPerCycle = 40, kL2BytesPerCycle = 117;

std::uint64_t size_of(platform_ascendc::CoreMemType type) {
  using Type = platform_ascendc::CoreMemType;
  switch (type) {
    case Type::L0_A:
    case Type::L0_B:
      return 64 << 10;
    case Type::L0_C:
      return 128 << 10;
    case Type::L1:
      return 512 << 10;
    case Type::L2:
      return 192ULL << 20;
    case Type::UB:
      return static_cast<std::uint64_t>(kg::npu::UnifiedBuffer::kUsable);
    case Type::HBM:
      return 64ULL << 30;
    case Type::FB:
      return 7 << 10;
    case Type::BT:
      return 1 << 10;
    default:
      return 0;
  }
}

std::uint64_t bandwidth_of(platform_ascendc::CoreMemType type) {
  if (type == platform_ascendc::CoreMemType::L2) return kL2BytesPerCycle;
  return type == platform_ascendc::CoreMemType::HBM ? kMemoryBytesPerCycle : 0;
}

platform_ascendc::CoreMemType same(fe::LocalMemType type) {
  return static_cast<platform_ascendc::CoreMemType>(static_cast<int>(type));
}

using Values = std::map<std::string, std::string>;
const std::map<std::string, Values>& resources() {
  static const std::map<std::string, Values> all = {
      {"version", {{"Short_SoC_version", "Ascend910B"}, {"SoC_version", "Ascend910B1"}, {"AIC_version", "AIC-C-220"}}},
      {"SoCInfo",
       {{"ai_core_cnt", "24"}, {"cube_core_cnt", "24"}, {"vector_core_cnt", "48"}, {"l2_size", "201326592"}}},
      {"AICoreSpec",
       {{"ub_size", std::to_string(size_of(platform_ascendc::CoreMemType::UB))},
        {"l1_size", "524288"},
        {"l0_a_size", "65536"},
        {"l0_b_size", "65536"},
        {"l0_c_size", "131072"},
        {"cube_vector_split", "1"}}}};
  return all;
}

}  // namespace

namespace fe {

uint32_t PlatFormInfos::GetCoreNum() const { return vector_cores_ ? kVectorCores : kCubeCores; }
uint32_t PlatFormInfos::GetCoreNumByType(const std::string& type) const {
  return type == "VectorCore" ? kVectorCores : kCubeCores;
}
void PlatFormInfos::SetCoreNumByCoreType(const std::string& type) { vector_cores_ = type == "VectorCore"; }
void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) const { bytes = size_of(same(type)); }
void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& rate) const { rate = bandwidth_of(same(type)); }
bool PlatFormInfos::GetPlatformRes(const std::string& label, const std::string& key, std::string& value) const {
  const auto values = resources().find(label);
  if (values == resources().end() || !values->second.contains(key)) return false;
  value = values->second.at(key);
  return true;
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value) const {
  return GetPlatformRes(label, key, value);
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& values) const {
  const auto found = resources().find(label);
  if (found != resources().end()) values = found->second;
  return found != resources().end();
}

PlatformInfoManager& PlatformInfoManager::Instance() {
  static PlatformInfoManager manager;
  return manager;
}
uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatFormInfos& infos, OptionalInfos&) {
  infos = PlatFormInfos();
  return 0;
}

}  // namespace fe

namespace platform_ascendc {

uint32_t PlatformAscendC::GetCoreNum() const { return infos_ == nullptr ? kCubeCores : infos_->GetCoreNum(); }
uint32_t PlatformAscendC::GetCoreNumAic() const { return kCubeCores; }
uint32_t PlatformAscendC::GetCoreNumAiv() const { return kVectorCores; }
uint32_t PlatformAscendC::GetCoreNumVector() const { return 0; }  // of chips that have vector cores beside AI cores
uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
  if (aic_cores == 0 || aiv_cores == 0 || aic_cores > aiv_cores) return slices;
  const uint32_t ratio = aiv_cores / aic_cores;
  return (slices + ratio - 1) / ratio;
}
void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const {
  bytes = size_of(type);
  if (type == CoreMemType::UB) bytes -= reserved_;
}
void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& rate) const { rate = bandwidth_of(type); }
uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const { return static_cast<uint32_t>(kgnpu::kSystemWorkspace); }
uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const {
  return static_cast<uint32_t>(kgnpu::kSystemWorkspace);
}
uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const {
  return static_cast<uint32_t>(kgnpu::kSystemWorkspace);
}

PlatformAscendC* PlatformAscendCManager::GetInstance() {
  static fe::PlatFormInfos infos;
  static PlatformAscendC platform(&infos);
  return &platform;
}
PlatformAscendC* PlatformAscendCManager::GetInstance(const char*) { return GetInstance(); }

}  // namespace platform_ascendc
