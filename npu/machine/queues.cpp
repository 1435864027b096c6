// TPipe, TQue, TBuf: memory given out and the queue protocol.

#include "npu/machine/queues.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_queue.h"

namespace kg::npu {
namespace {

constexpr std::size_t kMostBuffers = chip::kMostBuffers;
constexpr std::ptrdiff_t kMostLive = chip::kMostLiveBuffers;
// The number of 16-bit ids for buffers and queues, with room for tensors made by raw pointers.
constexpr std::size_t kMostRecords = 56000;

// The pipe that fills a queue's tensors (before EnQue) and the one that empties them (after DeQue).
int filler(const kgnpu::QueueSpec& spec) {
  namespace p = kgnpu::position;
  switch (memory_of(spec.position)) {
    case Memory::kL1:
      return spec.from == p::kVecOut || spec.from == p::kVecCalc ? kMte3 : kMte2;
    case Memory::kL0a:
    case Memory::kL0b:
    case Memory::kBias:
      return kMte1;
    case Memory::kL0c:
      return kM;
    case Memory::kFixpipe:
      return kFix;
    default:
      return spec.from == p::kGm || spec.from == p::kVecIn ? kMte2 : kV;
  }
}
int drainer(const kgnpu::QueueSpec& spec) {
  namespace p = kgnpu::position;
  switch (memory_of(spec.position)) {
    case Memory::kL1:
      return kMte1;
    case Memory::kL0a:
    case Memory::kL0b:
    case Memory::kBias:
      return kM;
    case Memory::kL0c:
    case Memory::kFixpipe:
      return kFix;
    default:
      return spec.to == p::kGm || spec.to == p::kVecOut ? kMte3 : kV;
  }
}

Queue& queue_of(Core& core, const kgnpu::Handle& handle, const char* call) {
  if (handle.id == 0 || handle.id >= core.queues.size())
    core.fail(FaultClass::kQueue, call, " on a queue or buffer that TPipe::InitBuffer has not set up");
  core.pipes.spend_scalar(chip::kQueueCall);
  return core.queues[handle.id];
}

// Memory that Reset took back is somebody else's by now.
void check_not_reset(Core& core, const kgnpu::Handle& handle, const Queue& queue, const char* call) {
  if (queue.buffers.empty())
    core.fail(FaultClass::kQueue, call, " on a queue without buffers; InitBuffer takes at least one");
  KG_CHECK_LT(queue.buffers.back(), core.buffers.size());
  if (core.buffers[queue.buffers.front()].queue == handle.id) return;
  core.fail(FaultClass::kQueue, call, " after Reset took the memory back; call InitBuffer again");
}

kgnpu::Local tensor_of(const Core& core, std::uint16_t buffer_id) {
  KG_CHECK_NE(buffer_id, 0);
  KG_CHECK_LT(buffer_id, core.buffers.size());
  const Buffer& buffer = core.buffers[buffer_id];
  KG_CHECK_LT(buffer.queue, core.queues.size());
  kgnpu::Local tensor;
  tensor.address = buffer.address;
  tensor.bytes = buffer.bytes;
  tensor.buffer = buffer_id;
  tensor.generation = buffer.generation;
  tensor.position = core.queues[buffer.queue].spec.position;
  return tensor;
}

// The buffer of a tensor handed to EnQue or FreeTensor, or null after reporting that it is not one of this queue.
Buffer* own_buffer(Core& core, const kgnpu::Handle& handle, const kgnpu::Local& tensor, const char* call) {
  if (tensor.buffer == 0 || tensor.buffer >= core.buffers.size()) {
    core.error(FaultClass::kQueue, call, " of a tensor that was never allocated");
    return nullptr;
  }
  Buffer& buffer = core.buffers[tensor.buffer];
  if (buffer.queue == handle.id) return &buffer;
  core.error(FaultClass::kQueue, call,
             (buffer.is_plain ? " of a TBuf tensor; only tensors from AllocTensor go through a queue"
                              : " of a tensor that belongs to another queue; use the queue it was allocated from"));
  return nullptr;
}

// The buffer of a tensor that another queue between the same pipes gave out: its flag is the one that the next
// AllocTensor there waits for, so FreeTensor works as on the tensor's own queue. Null if there is none.
Buffer* freed_as_own(Core& core, const Queue& queue, const kgnpu::Local& tensor) {
  if (tensor.buffer == 0 || tensor.buffer >= core.buffers.size()) return nullptr;
  Buffer& buffer = core.buffers[tensor.buffer];
  if (buffer.queue == 0 || buffer.is_plain) return nullptr;
  const Queue& own = core.queues[buffer.queue];
  if (&own == &queue || own.filler != queue.filler || own.drainer != queue.drainer) return nullptr;
  core.warning(FaultClass::kQueue,
               "FreeTensor of a tensor that belongs to another queue; use the queue it was allocated from");
  return &buffer;
}

// The documentation of AllocTensor (page 0138) allows so many. What it warns of comes when event ids run out.
void check_live(Core& core, std::uint8_t position) {
  const auto live = std::count_if(core.buffers.begin(), core.buffers.end(), [&](const Buffer& buffer) {
    return buffer.queue != 0 && !buffer.is_plain && buffer.state != Buffer::State::kFree &&
           core.queues[buffer.queue].spec.position == position;
  });
  if (live > kMostLive)
    core.warning(
        FaultClass::kQueue, "AllocTensor: more than ", kMostLive,
        " tensors of one TPosition at once; FreeTensor some first, or take several pieces of one larger tensor");
}

// After EnQue or FreeTensor, which have just taken an event id.
void check_event_ids(Core& core, const char* call, int from, int to) {
  if (from == to || event_ids_taken(core, from, to) <= chip::kEventIds) return;
  core.error(FaultClass::kQueue, call, ": no event id of HardEvent::", pipe_name(from), "_", pipe_name(to),
             " is left, and the core waits for ever. A tensor holds one from EnQue to DeQue, and from FreeTensor until "
             "its buffer is allocated again; there are ",
             chip::kEventIds, ", so use fewer buffers between these pipes");
}

void reset(Core& core) {
  core.pipes.barrier(kAllPipes);
  for (Buffer& buffer : core.buffers) buffer.queue = 0;
  core.used.fill(0);
}

// As for a TQueBind of these positions.
kgnpu::QueueSpec between(int from, int to) {
  namespace p = kgnpu::position;
  kgnpu::QueueSpec spec{};
  spec.from = static_cast<std::uint8_t>(from);
  spec.to = static_cast<std::uint8_t>(to);
  spec.position = from == p::kGm || to == p::kA2 || to == p::kB2 || to == p::kC2 ? spec.to : spec.from;
  return spec;
}

// EnQue after the work of the pipe `by`, and DeQue before that of `next`: the one sets a flag between them, the other
// waits for it.
void enqueue(Queue& queue, const kgnpu::Handle& handle, const kgnpu::Local& tensor, int by, int next) {
  Core& self = core();
  Buffer* buffer = own_buffer(self, handle, tensor, "EnQue");
  if (buffer == nullptr) return;
  if (buffer->state == Buffer::State::kFree || buffer->generation != tensor.generation) {
    self.error(FaultClass::kQueue, "EnQue of a tensor that was freed (line ", buffer->line, "); AllocTensor first");
    return;
  }
  if (buffer->state == Buffer::State::kQueued) {
    self.error(FaultClass::kQueue, "EnQue of a tensor that waits in its queue already (line ", buffer->line, ")");
    return;
  }
  const auto depth = static_cast<std::size_t>(std::max(queue.spec.depth, 1));
  // More buffers than depth are in order: the depth bounds what waits at once.
  if (queue.waiting.size() >= std::max(depth, std::size_t{1}))
    self.error(FaultClass::kQueue, "EnQue beyond the depth of the queue (", depth,
               "); DeQue first or declare it deeper");
  buffer->state = Buffer::State::kQueued;
  buffer->line = self.line;
  buffer->filled = self.pipes.set(by);
  buffer->filled_by = static_cast<std::int8_t>(by);
  buffer->filled_for = static_cast<std::int8_t>(next);
  buffer->holds_event_id = true;
  queue.waiting.push_back(tensor.buffer);
  KG_CHECK_LE(queue.waiting.size(), queue.buffers.size());  // no buffer waits twice
  check_event_ids(self, "EnQue", by, next);
}

kgnpu::Local dequeue(Queue& queue, int by, int filler) {
  Core& self = core();
  if (queue.waiting.empty()) self.fail(FaultClass::kQueue, "DeQue on an empty queue; EnQue a tensor first");
  const std::uint16_t id = queue.waiting.front();
  queue.waiting.erase(queue.waiting.begin());
  KG_CHECK_LT(id, self.buffers.size());
  Buffer& buffer = self.buffers[id];
  KG_CHECK(buffer.state == Buffer::State::kQueued);
  KG_CHECK(is_pipe(buffer.filled_by) && is_pipe(buffer.filled_for));
  if (by != filler && (buffer.filled_by != filler || buffer.filled_for != by))
    self.fail(FaultClass::kQueue, "DeQue waits for a flag from ", pipe_name(filler), " to ", pipe_name(by),
              ", but EnQue (line ", buffer.line, ") set one from ", pipe_name(buffer.filled_by), " to ",
              pipe_name(buffer.filled_for), ", so the core waits for ever; name the same positions in both");
  buffer.state = Buffer::State::kHeld;
  buffer.holds_event_id = false;
  buffer.line = self.line;
  self.wait(by, filler, buffer.filled, "DeQue");
  return tensor_of(self, id);
}

}  // namespace

int event_ids_taken(const Core& core, int from, int to) {
  const auto kernels = core.event_ids.find(from << 8 | to);
  const int by_kernel = kernels == core.event_ids.end() ? 0 : std::popcount(kernels->second);
  return by_kernel +
         static_cast<int>(std::count_if(core.buffers.begin(), core.buffers.end(), [&](const Buffer& buffer) {
           if (buffer.queue == 0 || !buffer.holds_event_id) return false;
           if (buffer.state == Buffer::State::kQueued) return buffer.filled_by == from && buffer.filled_for == to;
           const Queue& queue = core.queues[buffer.queue];
           return queue.drainer == from && queue.filler == to;
         }));
}

void check_buffers(Core& core, const char* call, std::uint32_t number, std::uint32_t bytes) {
  const auto live = static_cast<std::size_t>(
      std::count_if(core.buffers.begin(), core.buffers.end(), [](const Buffer& b) { return b.queue != 0; }));
  if (number == 0) core.error(FaultClass::kQueue, call, " with no buffer; the number of buffers is at least 1");
  // Nothing is wrong until the buffer is used, which is an error of its own.
  if (bytes == 0) core.warning(FaultClass::kUb, call, " of 0 bytes; give the tensor's size in bytes");
  if (live + number > kMostBuffers)
    core.fail(FaultClass::kQueue, "more than ", kMostBuffers, " buffers; a kernel has ", kMostBuffers, " in all");
  if (core.buffers.size() + number > kMostRecords || core.queues.size() >= kMostRecords)
    core.fail(FaultClass::kQueue, call,
              " was called tens of thousands of times; call it once for each queue, outside of loops");
}

void add_buffers(Core& core, kgnpu::Handle& handle, const kgnpu::QueueSpec& spec, std::int64_t address,
                 std::uint32_t number, std::int64_t bytes) {
  const Memory memory = memory_of(spec.position);
  KG_CHECK_EQ(bytes % chip::kBlockBytes, 0);
  KG_CHECK_GE(address, 0);
  KG_CHECK_LE(address + number * bytes, kind_of(memory).usable);
  KG_CHECK_LE(core.buffers.size() + number, kMostRecords);
  Queue queue;
  queue.spec = spec;
  queue.filler = filler(spec);
  queue.drainer = drainer(spec);
  handle.id = static_cast<std::uint16_t>(core.queues.size());
  for (std::uint32_t i = 0; i < number; ++i) {
    Buffer buffer;
    buffer.address = static_cast<std::int32_t>(address + i * bytes);
    buffer.memory = memory;
    buffer.bytes = static_cast<std::int32_t>(bytes);
    buffer.queue = handle.id;
    buffer.is_plain = spec.is_buffer != 0;
    buffer.line = core.line;
    core.device->races.settle(core);
    if (core.device->swapped) core.device->swapped->settle(core);
    core.memory(memory).forget_accesses(buffer.address, buffer.bytes);
    queue.buffers.push_back(static_cast<std::uint16_t>(core.buffers.size()));
    core.buffers.push_back(buffer);
  }
  core.queues.push_back(std::move(queue));
}

}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_pipe_open() {
  Core& self = core();
  self.memory(Memory::kUb);
  reset(self);
  self.pipe_open = true;
}

void kgnpu_pipe_close() { core().pipes.barrier(kAllPipes); }

void kgnpu_pipe_reset() { reset(core()); }

void kgnpu_init_buffer(kgnpu::Handle* handle, const kgnpu::QueueSpec* spec, uint32_t number, uint32_t bytes, int line) {
  Core& self = core_at(line);
  if (!self.pipe_open) self.fail(FaultClass::kUb, "InitBuffer without a TPipe; declare one TPipe in the kernel");
  check_buffers(self, "InitBuffer", number, bytes);
  const auto rounded = (static_cast<std::int64_t>(bytes) + 31) / 32 * 32;
  const Memory memory = memory_of(spec->position);
  const MemoryKind& kind = kind_of(memory);
  std::int64_t& used = self.used[static_cast<std::size_t>(memory)];
  if (used + rounded * number > kind.usable)
    self.fail(FaultClass::kUb, "InitBuffer overflows ", kind.name, ": ", used, " bytes given out, ", number, " x ",
              rounded, " more asked for, ", kind.usable, " there; use smaller tiles or fewer buffers");
  add_buffers(self, *handle, *spec, used, number, rounded);
  used += rounded * number;
  KG_CHECK_LE(used, kind.usable);
}

void kgnpu_buffer_get(const kgnpu::Handle* handle, kgnpu::Local* out, int64_t offset, int64_t bytes, int line) {
  Core& self = core_at(line);
  const Queue& queue = queue_of(self, *handle, "TBuf::Get");
  check_not_reset(self, *handle, queue, "TBuf::Get");
  *out = tensor_of(self, queue.buffers.front());
  if (bytes < 0) bytes = out->bytes - offset;
  if (offset < 0 || offset + bytes > out->bytes)  // the later use of the tensor shows whether this does harm
    self.warning(FaultClass::kUb, "TBuf::Get of ", bytes, " bytes at offset ", offset, " from a buffer of ", out->bytes,
                 "; give InitBuffer a larger size");
  out->address += static_cast<std::int32_t>(std::clamp<std::int64_t>(offset, 0, out->bytes));
  out->bytes = static_cast<std::int32_t>(std::clamp<std::int64_t>(bytes, 0, INT32_MAX));
}

void kgnpu_queue_alloc(const kgnpu::Handle* handle, kgnpu::Local* out, int line) {
  Core& self = core_at(line);
  Queue& queue = queue_of(self, *handle, "AllocTensor");
  check_not_reset(self, *handle, queue, "AllocTensor");
  // In turn: with two buffers the next tensor never waits for the one just freed.
  KG_CHECK_LT(queue.next, queue.buffers.size());
  for (std::size_t i = 0; i < queue.buffers.size(); ++i) {
    const std::uint16_t id = queue.buffers[queue.next];
    queue.next = (queue.next + 1) % queue.buffers.size();
    Buffer& buffer = self.buffers[id];
    if (buffer.state != Buffer::State::kFree) continue;
    buffer.state = Buffer::State::kHeld;
    buffer.holds_event_id = false;
    buffer.line = line;
    ++buffer.generation;
    check_live(self, queue.spec.position);
    self.wait(queue.filler, queue.drainer, buffer.freed, "AllocTensor");
    *out = tensor_of(self, id);
    return;
  }
  self.fail(FaultClass::kQueue, "AllocTensor: all ", queue.buffers.size(),
            " buffers of this queue are in use; call FreeTensor after the last use, or give InitBuffer more");
}

void kgnpu_queue_free(const kgnpu::Handle* handle, const kgnpu::Local* tensor, int line) {
  Core& self = core_at(line);
  Queue& queue = queue_of(self, *handle, "FreeTensor");
  Buffer* buffer = freed_as_own(self, queue, *tensor);
  if (buffer == nullptr) buffer = own_buffer(self, *handle, *tensor, "FreeTensor");
  if (buffer == nullptr) return;
  if (buffer->state == Buffer::State::kFree || buffer->generation != tensor->generation) {
    self.error(FaultClass::kQueue, "FreeTensor of a tensor that is free already (line ", buffer->line, ")");
    return;
  }
  if (buffer->state == Buffer::State::kQueued) {
    self.error(FaultClass::kQueue, "FreeTensor of a tensor that still waits in its queue; DeQue it first");
    std::erase(self.queues[buffer->queue].waiting, tensor->buffer);
  }
  buffer->state = Buffer::State::kFree;
  buffer->holds_event_id = true;
  buffer->line = line;
  buffer->freed = self.pipes.set(queue.drainer);
  check_event_ids(self, "FreeTensor", queue.drainer, queue.filler);
}

void kgnpu_queue_enqueue(const kgnpu::Handle* handle, const kgnpu::Local* tensor, int line) {
  core().line = line;
  Queue& queue = queue_of(core(), *handle, "EnQue");
  enqueue(queue, *handle, *tensor, queue.filler, queue.drainer);
}

void kgnpu_queue_enqueue_between(const kgnpu::Handle* handle, const kgnpu::Local* tensor, int from, int to, int line) {
  core().line = line;
  Queue& queue = queue_of(core(), *handle, "EnQue");
  const kgnpu::QueueSpec spec = between(from, to);
  enqueue(queue, *handle, *tensor, filler(spec), drainer(spec));
}

void kgnpu_queue_dequeue(const kgnpu::Handle* handle, kgnpu::Local* out, int line) {
  core().line = line;
  Queue& queue = queue_of(core(), *handle, "DeQue");
  *out = dequeue(queue, queue.drainer, queue.filler);
}

void kgnpu_queue_dequeue_between(const kgnpu::Handle* handle, kgnpu::Local* out, int from, int to, int line) {
  core().line = line;
  const kgnpu::QueueSpec spec = between(from, to);
  *out = dequeue(queue_of(core(), *handle, "DeQue"), drainer(spec), filler(spec));
}

int32_t kgnpu_queue_waiting(const kgnpu::Handle* handle) {
  return static_cast<int32_t>(queue_of(core(), *handle, "GetTensorCountInQue").waiting.size());
}

int32_t kgnpu_queue_idle(const kgnpu::Handle* handle) {
  Core& self = core();
  const Queue& queue = queue_of(self, *handle, "HasIdleBuffer");
  return static_cast<int32_t>(std::count_if(queue.buffers.begin(), queue.buffers.end(), [&](std::uint16_t id) {
    return self.buffers[id].state == Buffer::State::kFree;
  }));
}

}  // extern "C"
