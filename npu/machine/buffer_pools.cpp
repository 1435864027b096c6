// TBufPool: parts of a memory that are given out and taken back as a whole.

#include "npu/headers/kgnpu/abi_pool.h"
#include "npu/machine/queues.h"

namespace kg::npu {
namespace {

std::int64_t rounded(std::uint32_t bytes) { return (static_cast<std::int64_t>(bytes) + 31) / 32 * 32; }

void check_open(Core& core, const kgnpu::BufPool& pool, const char* call) {
  if (!pool.is_open)
    core.fail(FaultClass::kQueue, call, " on a TBufPool without a place; call InitBufPool for it first");
  // The pool is a variable of the kernel, which may have written over it.
  if (pool.address < 0 || pool.bytes < 0 || pool.used < 0 || pool.used > pool.bytes ||
      std::int64_t{pool.address} + pool.bytes > kind_of(memory_of(pool.position)).usable)
    core.fail(FaultClass::kUb, call, " on a TBufPool whose place is outside its memory; do not write to it");
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_pool_open(kgnpu::BufPool* pool, kgnpu::BufPool* parent, const kgnpu::BufPool* shared, uint32_t bytes,
                     int line) {
  Core& self = core_at(line);
  if (bytes == 0) self.error(FaultClass::kUb, "InitBufPool of 0 bytes; give the pool's size in bytes");
  const Memory memory = memory_of(pool->position);
  const MemoryKind& kind = kind_of(memory);
  self.memory(memory);
  const std::int64_t size = rounded(bytes);
  pool->used = 0;
  pool->buffers = 0;
  pool->bytes = static_cast<std::int32_t>(size);
  pool->is_open = true;
  if (shared != nullptr) {
    check_open(self, *shared, "InitBufPool that shares");
    if (memory_of(shared->position) != memory)
      self.fail(FaultClass::kUb, "InitBufPool: the pools that share a place are in different memories");
    if (size > shared->bytes)
      self.fail(FaultClass::kUb, "InitBufPool of ", size, " bytes at the place of a pool of ", shared->bytes,
                "; the pool that comes first is the larger one");
    pool->address = shared->address;
    return;
  }
  if (parent != nullptr) {
    check_open(self, *parent, "InitBufPool");
    if (memory_of(parent->position) != memory)
      self.fail(FaultClass::kUb, "InitBufPool: a pool must be in the same memory as the pool it comes from");
    if (parent->used + size > parent->bytes)
      self.fail(FaultClass::kUb, "InitBufPool overflows its pool: ", parent->used, " of ", parent->bytes,
                " bytes given out, ", size, " more asked for");
    pool->address = parent->address + parent->used;
    parent->used += static_cast<std::int32_t>(size);
    return;
  }
  if (!self.pipe_open) self.fail(FaultClass::kUb, "InitBufPool without a TPipe; declare one TPipe in the kernel");
  std::int64_t& used = self.used[static_cast<std::size_t>(memory)];
  if (used + size > kind.usable)
    self.fail(FaultClass::kUb, "InitBufPool overflows ", kind.name, ": ", used, " bytes given out, ", size,
              " more asked for, ", kind.usable, " there");
  pool->address = static_cast<std::int32_t>(used);
  used += size;
}

void kgnpu_pool_buffer(kgnpu::BufPool* pool, kgnpu::Handle* handle, const kgnpu::QueueSpec* spec, uint32_t number,
                       uint32_t bytes, int line) {
  Core& self = core_at(line);
  check_open(self, *pool, "InitBuffer");
  check_buffers(self, "TBufPool::InitBuffer", number, bytes);
  if (memory_of(spec->position) != memory_of(pool->position))
    self.fail(FaultClass::kUb, "TBufPool::InitBuffer: the queue's TPosition is in a different memory from the pool");
  if (pool->buffers + number > pool->limit)
    self.fail(FaultClass::kQueue, "TBufPool::InitBuffer: ", pool->buffers + number, " buffers from a pool of ",
              pool->limit, "; raise its template argument bufIDSize (at most 16)");
  const std::int64_t size = rounded(bytes);
  if (pool->used + size * number > pool->bytes)
    self.fail(FaultClass::kUb, "TBufPool::InitBuffer overflows its pool: ", pool->used, " of ", pool->bytes,
              " bytes given out, ", number, " x ", size, " more asked for");
  add_buffers(self, *handle, *spec, pool->address + pool->used, number, size);
  pool->used += static_cast<std::int32_t>(size * number);
  pool->buffers = static_cast<std::uint8_t>(pool->buffers + number);
}

// Whatever the pool gave out is invalid from here on, and ended.
void kgnpu_pool_reset(kgnpu::BufPool* pool, int line) {
  Core& self = core_at(line);
  check_open(self, *pool, "Reset");
  self.pipes.barrier(kAllPipes);
  const Memory memory = memory_of(pool->position);
  for (Buffer& buffer : self.buffers)
    if (buffer.queue != 0 && buffer.memory == memory && buffer.address >= pool->address &&
        buffer.address + buffer.bytes <= pool->address + pool->bytes)
      buffer.queue = 0;
  pool->used = 0;
  pool->buffers = 0;
}

}  // extern "C"
