#pragma once

#include "kgnpu/abi_pool.h"
#include "kgnpu/pipe.h"

// TBufPool: a part of UB or L1 that stages of a kernel use in turn. TPipe::InitBufPool, or another pool's, gives it
// its place; with another pool as third argument it shares that pool's place.

namespace AscendC {

template <TPosition position, uint32_t bufIDSize = 4>
class TBufPool {
  static_assert(position == TPosition::VECIN || position == TPosition::VECOUT || position == TPosition::VECCALC ||
                    position == TPosition::A1 || position == TPosition::B1 || position == TPosition::C1,
                "TBufPool takes TPosition::VECIN, VECOUT, VECCALC, A1, B1, C1");
  static_assert(bufIDSize >= 1 && bufIDSize <= 16, "TBufPool: bufIDSize is 1 to 16");

 public:
  template <class T>
  bool InitBuffer(T& queue, uint8_t number, uint32_t bytes, KG_WHERE) {
    static_assert(kg_detail::is_queue<T>, "InitBuffer(queue, number, bytes): the first argument is a TQue or TQueBind");
    constexpr ::kgnpu::QueueSpec spec = T::kg_spec();
    kgnpu_pool_buffer(&kg_pool, &queue.kg_handle, &spec, number, bytes, kg_where.line);
    return true;
  }
  template <TPosition at>
  bool InitBuffer(TBuf<at>& buffer, uint32_t bytes, KG_WHERE) {
    constexpr ::kgnpu::QueueSpec spec = TBuf<at>::kg_spec();
    kgnpu_pool_buffer(&kg_pool, &buffer.kg_handle, &spec, 1, bytes, kg_where.line);
    return true;
  }
  template <class T>
  bool InitBufPool(T& bufPool, uint32_t len, KG_WHERE) {
    kgnpu_pool_open(&bufPool.kg_pool, &kg_pool, nullptr, len, kg_where.line);
    return true;
  }
  template <class T, class U>
  bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf, KG_WHERE) {
    kgnpu_pool_open(&bufPool.kg_pool, &kg_pool, &shareBuf.kg_pool, len, kg_where.line);
    return true;
  }
  void Reset(KG_WHERE) { kgnpu_pool_reset(&kg_pool, kg_where.line); }

  ::kgnpu::BufPool kg_pool = {0, 0, 0, static_cast<uint8_t>(position), bufIDSize, 0, false};
};

template <class T>
inline bool TPipe::InitBufPool(T& bufPool, uint32_t len, ::kgnpu::Where kg_where,
                               const void* const kg_call __attribute__((pass_object_size(0)))) {
  kgnpu_pool_open(&bufPool.kg_pool, nullptr, nullptr, len, kg_where.line);
  return true;
}
template <class T, class U>
inline bool TPipe::InitBufPool(T& bufPool, uint32_t len, U& shareBuf, ::kgnpu::Where kg_where,
                               const void* const kg_call __attribute__((pass_object_size(0)))) {
  kgnpu_pool_open(&bufPool.kg_pool, nullptr, &shareBuf.kg_pool, len, kg_where.line);
  return true;
}

}  // namespace AscendC
