#pragma once

#include "kgnpu/abi_queue.h"
#include "kgnpu/tensor.h"

// TPipe, TQue, TBuf. They hold only a handle; the runtime keeps memory, queue protocol and order for each core.

namespace AscendC {
namespace kg_detail {
// The position that counts for a queue's tensors: where the data stays.
constexpr TPosition stays(TPosition from, TPosition to) {
  return from == TPosition::GM || to == TPosition::A2 || to == TPosition::B2 || to == TPosition::C2 ? to : from;
}
}  // namespace kg_detail

template <TPosition from, TPosition to, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  template <typename T>
  LocalTensor<T> AllocTensor(KG_WHERE) {
    LocalTensor<T> tensor;
    kgnpu_queue_alloc(&kg_handle, &tensor.kg_view, kg_where.line);
    return tensor;
  }
  template <typename T>
  void AllocTensor(LocalTensor<T>& tensor, KG_WHERE) {
    kgnpu_queue_alloc(&kg_handle, &tensor.kg_view, kg_where.line);
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>& tensor, KG_WHERE) {
    kgnpu_queue_free(&kg_handle, &tensor.kg_view, kg_where.line);
  }
  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor, KG_WHERE) {
    kgnpu_queue_enqueue(&kg_handle, &tensor.kg_view, kg_where.line);
    return true;
  }
  template <TPosition source, TPosition target, typename T>
  bool EnQue(const LocalTensor<T>& tensor, KG_WHERE) {
    kgnpu_queue_enqueue_between(&kg_handle, &tensor.kg_view, static_cast<int>(source), static_cast<int>(target),
                                kg_where.line);
    return true;
  }
  template <typename T>
  LocalTensor<T> DeQue(KG_WHERE) {
    LocalTensor<T> tensor;
    kgnpu_queue_dequeue(&kg_handle, &tensor.kg_view, kg_where.line);
    return tensor;
  }
  template <typename T>
  void DeQue(LocalTensor<T>& tensor, KG_WHERE) {
    kgnpu_queue_dequeue(&kg_handle, &tensor.kg_view, kg_where.line);
  }
  template <TPosition source, TPosition target, typename T>
  LocalTensor<T> DeQue(KG_WHERE) {
    LocalTensor<T> tensor;
    kgnpu_queue_dequeue_between(&kg_handle, &tensor.kg_view, static_cast<int>(source), static_cast<int>(target),
                                kg_where.line);
    return tensor;
  }
  bool VacantInQue() const { return GetTensorCountInQue() < (depth == 0 ? 1 : depth); }
  bool HasTensorInQue() const { return GetTensorCountInQue() > 0; }
  int32_t GetTensorCountInQue() const { return kgnpu_queue_waiting(&kg_handle); }
  bool HasIdleBuffer() const { return kgnpu_queue_idle(&kg_handle) > 0; }
  void FreeAllEvent() {}  // a queue's flags are not taken from the kernel's events here

  ::kgnpu::Handle kg_handle;
  static constexpr ::kgnpu::QueueSpec kg_spec() {
    return {static_cast<uint8_t>(from), static_cast<uint8_t>(to), static_cast<uint8_t>(kg_detail::stays(from, to)), 0,
            depth};
  }
};

namespace kg_detail {
template <TPosition from, TPosition to, int32_t depth, auto mask>
constexpr bool queue_behind(const TQueBind<from, to, depth, mask>*) {
  return true;
}
constexpr bool queue_behind(const void*) { return false; }
template <class T>
constexpr bool is_queue = queue_behind((T*)nullptr);
}  // namespace kg_detail

// A queue named after the position where its tensors stay, as the source (VECOUT, CO2) or the target (VECIN, A1, ...)
// of a copy.
namespace kg_detail {
constexpr bool leaves(TPosition p) { return p == TPosition::VECOUT || p == TPosition::CO1 || p == TPosition::CO2; }
constexpr TPosition from(TPosition p) { return leaves(p) || p == TPosition::VECCALC ? p : TPosition::GM; }
constexpr TPosition to(TPosition p) { return leaves(p) ? TPosition::GM : p; }
}  // namespace kg_detail

template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<kg_detail::from(position), kg_detail::to(position), depth, mask> {};

// A queue whose tensors are in L1 and come from `position`.
template <TPosition position, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<position, TPosition::TSCM, depth, mask>;

template <TPosition position = TPosition::VECCALC>
class TBuf {
 public:
  // A buffer is one tensor that always exists: allocating and freeing it have no effect.
  template <typename T>
  LocalTensor<T> AllocTensor(KG_WHERE) {
    return part<T>(0, -1, kg_where.line);
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>&) {}
  template <typename T>
  LocalTensor<T> Get(KG_WHERE) {
    return part<T>(0, -1, kg_where.line);
  }
  template <typename T>
  LocalTensor<T> Get(uint32_t length, KG_WHERE) {
    return part<T>(0, static_cast<int64_t>(::kgnpu::bytes_of<T>(length)), kg_where.line);
  }
  template <typename T>
  LocalTensor<T> GetWithOffset(uint32_t size, uint32_t offset, KG_WHERE) {
    return part<T>(offset, static_cast<int64_t>(::kgnpu::bytes_of<T>(size)), kg_where.line);
  }

  ::kgnpu::Handle kg_handle;
  static constexpr ::kgnpu::QueueSpec kg_spec() {
    return {static_cast<uint8_t>(position), static_cast<uint8_t>(position), static_cast<uint8_t>(position), 1, 1};
  }

 private:
  template <typename T>
  LocalTensor<T> part(int64_t offset, int64_t bytes, int line) {
    LocalTensor<T> tensor;
    kgnpu_buffer_get(&kg_handle, &tensor.kg_view, offset, bytes, line);
    return tensor;
  }
};

template <TPosition position, uint32_t bufIDSize>
class TBufPool;  // buffer_pool.h

class TPipe {
 public:
  TPipe() { kgnpu_pipe_open(); }
  ~TPipe() { kgnpu_pipe_close(); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;
  TPipe& operator=(TPipe&) { return *this; }  // assigns another name of it: a core has only one

  template <class T>
  bool InitBuffer(T& queue, uint8_t number, uint32_t bytes, KG_WHERE) {
    static_assert(kg_detail::is_queue<T>, "InitBuffer(queue, number, bytes): the first argument is a TQue or TQueBind");
    constexpr ::kgnpu::QueueSpec spec = T::kg_spec();
    kgnpu_init_buffer(&queue.kg_handle, &spec, number, bytes, kg_where.line);
    return true;
  }
  template <TPosition position>
  bool InitBuffer(TBuf<position>& buffer, uint32_t bytes, KG_WHERE) {
    constexpr ::kgnpu::QueueSpec spec = TBuf<position>::kg_spec();
    kgnpu_init_buffer(&buffer.kg_handle, &spec, 1, bytes, kg_where.line);
    return true;
  }
  template <class T>
  bool InitBufPool(T& bufPool, uint32_t len, KG_WHERE);
  template <class T, class U>
  bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf, KG_WHERE);
  // The SPM buffer: a part of the workspace that keeps what does not fit into UB. Its copies come after everything that
  // the core has issued, and before everything that follows.
  template <typename T>
  void InitSpmBuffer(const GlobalTensor<T>& workspace, const int32_t bufferSize, KG_WHERE) {
    kgnpu_spill_init(workspace.kg_address(), bufferSize, kg_where.line);
  }
  template <typename T = void>
  void InitSpmBuffer(const int32_t) {
    static_assert(!std::is_void_v<T>,
                  "InitSpmBuffer(bufferSize), an SPM buffer in L1, does not exist on this device (Atlas A2); give it a "
                  "GlobalTensor of the workspace: InitSpmBuffer(workspace, bufferSize)");
  }
  template <typename T>
  void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const DataCopyParams& copyParams, int32_t writeOffset = 0,
                      KG_WHERE) {
    auto call = kg_spill("WriteSpmBuffer", writeBuffer, copyParams, copyParams.dstStride, copyParams.srcStride);
    kg_copy_spill(call, writeOffset, /*out=*/true, kg_where.line);
  }
  template <typename T>
  void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const int32_t writeSize, int32_t writeOffset = 0, KG_WHERE) {
    auto call = kg_spill("WriteSpmBuffer", writeBuffer, writeSize);
    kg_copy_spill(call, writeOffset, /*out=*/true, kg_where.line);
  }
  template <typename T>
  void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const DataCopyParams& copyParams, int32_t readOffset = 0,
                     KG_WHERE) {
    auto call = kg_spill("ReadSpmBuffer", readBuffer, copyParams, copyParams.srcStride, copyParams.dstStride);
    kg_copy_spill(call, readOffset, /*out=*/false, kg_where.line);
  }
  template <typename T>
  void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const int32_t readSize, int32_t readOffset = 0, KG_WHERE) {
    auto call = kg_spill("ReadSpmBuffer", readBuffer, readSize);
    kg_copy_spill(call, readOffset, /*out=*/false, kg_where.line);
  }
  void Reset() { kgnpu_pipe_reset(); }
  void Init() {}
  void Destroy() { kgnpu_pipe_close(); }
  template <HardEvent event>
  TEventID AllocEventID(KG_WHERE) {
    return static_cast<TEventID>(
        kgnpu_event_alloc(static_cast<int>(event) >> 4, static_cast<int>(event) & 15, kg_where.line));
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id, KG_WHERE) {
    kgnpu_event_release(static_cast<int>(event) >> 4, static_cast<int>(event) & 15, id, kg_where.line);
  }
  template <HardEvent event>
  TEventID FetchEventID() {
    return FetchEventID(event);
  }
  TEventID FetchEventID(HardEvent event) {
    return static_cast<TEventID>(kgnpu_event_fetch(static_cast<int>(event) >> 4, static_cast<int>(event) & 15));
  }

 private:
  template <typename T>
  static ::kgnpu::CopyCall kg_spill(const char* name, const LocalTensor<T>& local, const DataCopyParams& params,
                                    int64_t gm_gap, int64_t local_gap) {
    ::kgnpu::CopyCall call;
    call.name = name;
    call.local = &local.kg_view;
    call.blocks = params.blockCount;
    call.block_bytes = params.blockLen * 32;
    call.gm_gap = gm_gap * 32;
    call.local_gap = local_gap * 32;
    return call;
  }
  // Page 0167 asks for multiples of 32 bytes for L1 only; to GM every element is copied.
  template <typename T>
  static ::kgnpu::CopyCall kg_spill(const char* name, const LocalTensor<T>& local, int32_t size) {
    ::kgnpu::CopyCall call;
    call.name = name;
    call.local = &local.kg_view;
    call.block_bytes = static_cast<int64_t>(::kgnpu::bytes_of<T>(size));
    call.pad = 1;
    call.element_bytes = sizeof(T);
    return call;
  }
  static void kg_copy_spill(::kgnpu::CopyCall& call, int32_t offset, bool out, int line) {
    const int64_t bytes = call.blocks * call.block_bytes + (call.blocks - 1) * call.gm_gap;
    call.gm = kgnpu_spill_at(call.name, offset, bytes, line);
    call.line = line;
    kgnpu_barrier(PIPE_ALL, line);
    if (out)
      kgnpu_copy_out(&call);
    else
      kgnpu_copy_in(&call);
    kgnpu_barrier(PIPE_ALL, line);
  }
};

// The TPipe of this core. Its state is in the runtime, so any object of the class will do.
inline TPipe* GetTPipePtr() {
  alignas(TPipe) static char object[sizeof(TPipe)];
  return reinterpret_cast<TPipe*>(object);
}

}  // namespace AscendC

using AscendC::GetTPipePtr;  // a name of the global namespace on the device
