#pragma once

#include "kgnpu/names.h"

// The workspace argument: the system's 16 MB, then the host side's own request.

namespace AscendC {

inline __gm__ uint8_t* GetUserWorkspace(GM_ADDR workspace) {
  return workspace == nullptr ? nullptr : workspace + ::kgnpu::kSystemWorkspace;
}
inline void SetSysWorkspace(GM_ADDR workspace) { kgnpu_set_system_workspace((uint64_t)workspace); }
inline __gm__ uint8_t* GetSysWorkSpacePtr() { return (__gm__ uint8_t*)kgnpu_system_workspace(); }

}  // namespace AscendC

// Names of the global namespace on the device.
using AscendC::GetSysWorkSpacePtr;
using AscendC::GetUserWorkspace;
using AscendC::SetSysWorkspace;
