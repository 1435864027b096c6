// SetFlag, WaitFlag, PipeBarrier, event ids, SyncAll.

#include <bit>

#include "base/check.h"
#include "npu/chip.h"
#include "npu/machine/core.h"
#include "npu/machine/queues.h"

namespace kg::npu {
namespace {

constexpr int kEventIds = chip::kEventIds;

int flag_key(int from, int to, int id) { return from << 16 | to << 8 | id; }

std::string event_name(int from, int to) { return std::string("HardEvent::") + pipe_name(from) + "_" + pipe_name(to); }

// A kernel may compute any number for an event.
void check_pipes(Core& core, const char* call, int from, int to) {
  if (is_pipe(from) && is_pipe(to)) return;
  core.fail(FaultClass::kSynchronisation, call,
            " for an event between pipes that do not exist; use one of HardEvent's names");
}

bool valid_id(Core& core, const char* call, int id) {
  if (id >= 0 && id < kEventIds) return true;
  core.error(FaultClass::kSynchronisation, call, " with event id ", id, "; ids are 0 to ", kEventIds - 1);
  return false;
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_set_flag(int from, int to, int id, int line) {
  Core& self = core_at(line);
  check_pipes(self, "SetFlag", from, to);
  if (!valid_id(self, "SetFlag", id)) return;
  self.issue(kS, 0, 0);
  const int key = flag_key(from, to, id);
  if (self.flags.count(key) != 0)
    self.error(FaultClass::kSynchronisation, "SetFlag<", event_name(from, to), "> with id ", id,
               ", which is set already; WaitFlag it first or use another id");
  self.flags[key] = self.pipes.set(from);
}

void kgnpu_wait_flag(int from, int to, int id, int line) {
  Core& self = core_at(line);
  check_pipes(self, "WaitFlag", from, to);
  if (!valid_id(self, "WaitFlag", id)) return;
  self.issue(kS, 0, 0);
  const auto flag = self.flags.find(flag_key(from, to, id));
  if (flag == self.flags.end())
    self.fail(FaultClass::kSynchronisation, "WaitFlag<", event_name(from, to), "> with id ", id,
              " waits for ever: no SetFlag came before it; add the SetFlag with the same event and id");
  KG_CHECK_LE(flag->second.ended[static_cast<std::size_t>(from)], self.pipes.issued(from));
  self.wait(to, from, flag->second, "WaitFlag");
  self.flags.erase(flag);
}

void kgnpu_barrier(int pipe, int line) {
  Core& self = core_at(line);
  self.issue(kS, 0, 0);
  if (pipe == kS)
    self.fail(FaultClass::kSynchronisation,
              "PipeBarrier<PIPE_S> is a hardware error: the scalar unit works in order by itself; leave it out");
  if (pipe >= 0 && pipe < kPipes) self.pipes.barrier(pipe);
}

// Ids taken by AllocEventID are not handed out again until released; FetchEventID only looks.
int32_t kgnpu_event_fetch(int from, int to) {
  const std::uint32_t taken = core().event_ids[from << 8 | to];
  for (int id = 0; id < kEventIds; ++id)
    if ((taken >> id & 1u) == 0) return id;
  return 0;
}

int32_t kgnpu_event_alloc(int from, int to, int line) {
  Core& self = core_at(line);
  std::uint32_t& taken = self.event_ids[from << 8 | to];
  if (event_ids_taken(self, from, to) >= kEventIds)
    self.error(FaultClass::kSynchronisation, "AllocEventID<", event_name(from, to), ">: all ", kEventIds,
               " ids are taken, by the kernel or by tensors that it enqueued or freed; ReleaseEventID first");
  const int id = std::countr_one(taken);
  if (id >= kEventIds) return 0;
  taken |= 1u << id;
  return id;
}

void kgnpu_event_release(int from, int to, int id, int line) {
  Core& self = core_at(line);
  if (!valid_id(self, "ReleaseEventID", id)) return;
  std::uint32_t& taken = self.event_ids[from << 8 | to];
  if ((taken >> id & 1u) == 0)
    self.warning(FaultClass::kSynchronisation, "ReleaseEventID<", event_name(from, to), "> of id ", id,
                 ", which AllocEventID has not given out for this event");
  taken &= ~(1u << id);
}

void kgnpu_set_mask(uint64_t high, uint64_t low) {
  core().mask[0] = low;
  core().mask[1] = high;
}

void kgnpu_set_mask_mode(int counter) { core().counter_mode = counter != 0; }

void kgnpu_atomic(int mode, int type) {
  core().atomic_mode = mode;
  core().atomic_type = static_cast<kgnpu::Type>(type);
}

int kgnpu_atomic_mode() { return core().atomic_mode; }
int kgnpu_atomic_type() { return static_cast<int>(core().atomic_type); }

int64_t kgnpu_block_index() { return core().index; }
int64_t kgnpu_block_count() { return core().device->block_dim; }
int64_t kgnpu_system_cycle() { return static_cast<int64_t>(core().pipes.scalar_time() / chip::kSystemTick); }
uint64_t kgnpu_reduce_result(int index) { return core().reduce_result[index]; }

}  // extern "C"
