#pragma once

#include "kgnpu/tensor.h"

namespace AscendC {

template <HardEvent event>
inline void SetFlag(int32_t id, KG_WHERE) {
  kgnpu_set_flag(static_cast<int>(event) >> 4, static_cast<int>(event) & 15, id, kg_where.line);
}
template <HardEvent event>
inline void WaitFlag(int32_t id, KG_WHERE) {
  kgnpu_wait_flag(static_cast<int>(event) >> 4, static_cast<int>(event) & 15, id, kg_where.line);
}
template <pipe_t pipe>
inline void PipeBarrier(KG_WHERE) {
  kgnpu_barrier(pipe, kg_where.line);
}

template <pipe_t from, pipe_t to>
class TQueSync {
 public:
  void SetFlag(TEventID id, KG_WHERE) { kgnpu_set_flag(from, to, id, kg_where.line); }
  void WaitFlag(TEventID id, KG_WHERE) { kgnpu_wait_flag(from, to, id, kg_where.line); }
};

// Between cores.
template <bool isAIVOnly = true>
inline void SyncAll(KG_WHERE) {
  kgnpu_sync_cores(isAIVOnly, 0, kg_where.line);
}
// Without the hardware's help: through a workspace of 32 zeroed bytes a core.
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>& workspace, const LocalTensor<int32_t>& local,
                    const int32_t usedCores = 0, KG_WHERE) {
  const int64_t cores = usedCores > 0 ? usedCores : kgnpu_block_count();
  for (int64_t i = 0; i < cores; ++i)
    kgnpu_global_load(workspace.kg_address() + static_cast<uint64_t>(i) * 32, 4, kg_where.line);
  kgnpu_local_load(&local.kg_view, (cores - 1) * 32, 4, kg_where.line);
  kgnpu_sync_cores(isAIVOnly, usedCores, kg_where.line);
}
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, KG_WHERE) {
  static_assert(modeId <= 2, "CrossCoreSetFlag: modes are 0, 1 and 2 on this device");
  kgnpu_cross_core_set(modeId, pipe, flagId, kg_where.line);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, KG_WHERE) {
  kgnpu_cross_core_wait(flagId, kg_where.line);
}
inline void SetSyncBaseAddr(uint64_t) {}

}  // namespace AscendC

inline void set_flag(pipe_t from, pipe_t to, int id, KG_WHERE) { kgnpu_set_flag(from, to, id, kg_where.line); }
inline void wait_flag(pipe_t from, pipe_t to, int id, KG_WHERE) { kgnpu_wait_flag(from, to, id, kg_where.line); }
inline void pipe_barrier(pipe_t pipe, KG_WHERE) { kgnpu_barrier(pipe, kg_where.line); }
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config, KG_WHERE) {
  kgnpu_cross_core_set(static_cast<int>(config >> 4 & 3), pipe, static_cast<int>(config >> 8 & 15), kg_where.line);
}
inline void wait_flag_dev(int64_t id, KG_WHERE) { kgnpu_cross_core_wait(static_cast<int>(id), kg_where.line); }
inline void set_ffts_base_addr(uint64_t) {}
