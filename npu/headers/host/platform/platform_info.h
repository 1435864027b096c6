#pragma once

#include "platform/platform_infos_def.h"

namespace fe {

class OptionalInfos {};

class PlatformInfoManager {
 public:
  static PlatformInfoManager& Instance();
  uint32_t InitializePlatformInfo() { return 0; }
  uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos& infos, OptionalInfos& optional);
};

}  // namespace fe
