#include <map>

#include "npu/chip.h"
#include "npu/headers/kgnpu/abi.h"
#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"

// Platform information: the chip's figures as a host side asks for them.

namespace {

namespace chip = kg::npu::chip;

constexpr std::uint32_t kCubeCores = chip::kCubeCores, kVectorCores = chip::kVectorCores;
// The share of one AI core, in whole bytes per cycle.
constexpr auto kMemoryBytesPerCycle = static_cast<std::uint64_t>(chip::kHbmBytesPerSecond / chip::kHertz / kCubeCores);
constexpr auto kL2BytesPerCycle = static_cast<std::uint64_t>(chip::kL2BytesPerCycle / kCubeCores);

std::uint64_t size_of(platform_ascendc::CoreMemType type) {
  using Type = platform_ascendc::CoreMemType;
  switch (type) {
    case Type::L0_A:
      return chip::kL0aBytes;
    case Type::L0_B:
      return chip::kL0bBytes;
    case Type::L0_C:
      return chip::kL0cBytes;
    case Type::L1:
      return chip::kL1Bytes;
    case Type::L2:
      return chip::kL2Bytes;
    case Type::UB:
      return chip::kUbBytes;
    case Type::HBM:
      return chip::kHbmBytes;
    case Type::FB:
      return chip::kFixpipeBytes;
    case Type::BT:
      return chip::kBiasBytes;
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
  using Type = platform_ascendc::CoreMemType;
  const auto size = [](Type type) { return std::to_string(size_of(type)); };
  const std::string cubes = std::to_string(kCubeCores), vectors = std::to_string(kVectorCores);
  static const std::map<std::string, Values> all = {
      {"version", {{"Short_SoC_version", "Ascend910B"}, {"SoC_version", "Ascend910B1"}, {"AIC_version", "AIC-C-220"}}},
      {"SoCInfo",
       {{"ai_core_cnt", cubes}, {"cube_core_cnt", cubes}, {"vector_core_cnt", vectors}, {"l2_size", size(Type::L2)}}},
      {"AICoreSpec",
       {{"ub_size", size(Type::UB)},
        {"l1_size", size(Type::L1)},
        {"l0_a_size", size(Type::L0_A)},
        {"l0_b_size", size(Type::L0_B)},
        {"l0_c_size", size(Type::L0_C)},
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
uint32_t PlatformAscendC::GetCoreNumVector() const { return 0; }  // for chips that have vector cores beside AI cores
uint32_t PlatformAscendC::CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
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
