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

// Until all earlier accesses of the memories have ended (page 0272); here of all memories.
template <MemDsbT arg0>
inline void DataSyncBarrier(KG_WHERE) {
  kgnpu_barrier(PIPE_ALL, kg_where.line);
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
// In software: through a workspace of 32 zeroed bytes per core.
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

// A flag of one block and event, set by one core and waited for by another, in a workspace of 32 zeroed bytes for each.
namespace kg_detail {
inline void touch_flag(const GlobalTensor<int32_t>& workspace, const LocalTensor<int32_t>& local, int32_t block,
                       int32_t event, int line) {
  const int64_t place = kgnpu_block_count() * 32 * event + static_cast<int64_t>(block) * 32;
  kgnpu_global_load(workspace.kg_address() + static_cast<uint64_t>(place), 4, line);
  kgnpu_local_load(&local.kg_view, 28, 4, line);
}
}  // namespace kg_detail
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                  int32_t eventID, KG_WHERE) {
  kg_detail::touch_flag(gmWorkspace, ubWorkspace, blockIdx, eventID, kg_where.line);
  kgnpu_core_signal(gmWorkspace.kg_address(), blockIdx, eventID, kg_where.line);
}
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                   int32_t eventID, KG_WHERE) {
  kg_detail::touch_flag(gmWorkspace, ubWorkspace, blockIdx, eventID, kg_where.line);
  kgnpu_core_await(gmWorkspace.kg_address(), blockIdx, eventID, kg_where.line);
}

// Blocks one after the other, in the order of their indices, again and again.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                                          KG_WHERE) {
  kg_detail::touch_flag(gmWorkspace, ubWorkspace, static_cast<int32_t>(kgnpu_block_index()), 0, kg_where.line);
  if (kgnpu_block_index() == 0) kgnpu_core_signal(gmWorkspace.kg_address(), 0, ::kgnpu::kTurn, kg_where.line);
}
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace, KG_WHERE) {
  const auto self = static_cast<int32_t>(kgnpu_block_index());
  kg_detail::touch_flag(gmWorkspace, ubWorkspace, self, 0, kg_where.line);
  kgnpu_core_await(gmWorkspace.kg_address(), self, ::kgnpu::kTurn, kg_where.line);
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace, KG_WHERE) {
  const int64_t next = (kgnpu_block_index() + 1) % kgnpu_block_count();
  kg_detail::touch_flag(gmWorkspace, ubWorkspace, static_cast<int32_t>(next), 0, kg_where.line);
  kgnpu_core_signal(gmWorkspace.kg_address(), static_cast<int32_t>(next), ::kgnpu::kTurn, kg_where.line);
}

// Cores of one group that wait for all cores of another. Page 0303: a workspace of 512 zeroed bytes for each waiting
// core.
enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };
template <PipeMode pipeMode>
class GroupBarrier {
 public:
  static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier takes PipeMode::MTE3_MODE only");
  GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
      : workspace_((uint64_t)groupWorkspace), arrive_size_(arriveSizeIn), wait_size_(waitSizeIn) {}
  void Arrive(uint32_t arriveIndex, KG_WHERE) {
    kgnpu_group_arrive(workspace_, arriveIndex, arrive_size_, wait_size_, kg_where.line);
  }
  void Wait(uint32_t waitIndex, KG_WHERE) {
    kgnpu_group_wait(workspace_, waitIndex, wait_size_, arrive_size_, kg_where.line);
  }
  uint64_t GetWorkspaceLen() { return uint64_t{wait_size_} * 512; }

 private:
  uint64_t workspace_;
  uint32_t arrive_size_, wait_size_;
};

// For kernels that are joined into one, which does not happen here.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX>
inline void SetNextTaskStart() {}
inline void WaitPreTaskEnd() {}

}  // namespace AscendC

inline void set_flag(pipe_t from, pipe_t to, int id, KG_WHERE) { kgnpu_set_flag(from, to, id, kg_where.line); }
inline void wait_flag(pipe_t from, pipe_t to, int id, KG_WHERE) { kgnpu_wait_flag(from, to, id, kg_where.line); }
inline void pipe_barrier(pipe_t pipe, KG_WHERE) { kgnpu_barrier(pipe, kg_where.line); }
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config, KG_WHERE) {
  kgnpu_cross_core_set(static_cast<int>(config >> 4 & 3), pipe, static_cast<int>(config >> 8 & 15), kg_where.line);
}
inline void wait_flag_dev(int64_t id, KG_WHERE) { kgnpu_cross_core_wait(static_cast<int>(id), kg_where.line); }
inline void set_ffts_base_addr(uint64_t) {}
