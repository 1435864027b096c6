#pragma once

#include "kgnpu/names.h"

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

template <bool isAIVOnly = true>
inline void SyncAll(KG_WHERE) {
  kgnpu_sync_all(kg_where.line);
}

}  // namespace AscendC

inline void set_flag(pipe_t from, pipe_t to, int id, KG_WHERE) { kgnpu_set_flag(from, to, id, kg_where.line); }
inline void wait_flag(pipe_t from, pipe_t to, int id, KG_WHERE) { kgnpu_wait_flag(from, to, id, kg_where.line); }
inline void pipe_barrier(pipe_t pipe, KG_WHERE) { kgnpu_barrier(pipe, kg_where.line); }
