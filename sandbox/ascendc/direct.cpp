#include "sandbox/ascendc/direct.h"

#include <string>

#include "sandbox/ascendc/runtime/cost_table.h"
#include "sandbox/ascendc/runtime/pointer_accesses.h"

namespace kg::sandbox::ascendc {
namespace {

// One host function at a time in a process; its launches come through C functions.
struct Direct {
  Device* device;
  std::uint64_t seed;
  std::uint32_t launches = 0, addresses = 0;
  Outcome outcome{true, 0};
};
Direct* direct = nullptr;

// The scheduler's kernels take an array of addresses: here how to call, and with what.
void call_bound(const std::uint64_t* arguments) {
  reinterpret_cast<void (*)(const void*)>(arguments[0])(reinterpret_cast<const void*>(arguments[1]));
}

}  // namespace

Outcome run_host_function(Device& device, HostEntry entry, const kgnpu::HostArguments& arguments,
                          std::uint32_t required, std::uint64_t seed) {
  Direct state{&device, seed};
  direct = &state;
  device.memory.close_to_host(true);
  entry(&arguments);
  device.memory.close_to_host(false);
  direct = nullptr;
  if (state.outcome.ended && state.addresses < required) {
    device.faults.error("argument",
                        "the host function takes " + std::to_string(state.addresses) +
                            " device addresses, the task has " + std::to_string(required) +
                            " inputs and outputs; declare all of them in order",
                        0, -1);
    state.outcome.ended = false;
  } else if (state.launches == 0) {
    device.faults.error("argument", "the host function came to its end without launching a kernel", 0, -1);
    state.outcome.ended = false;
  }
  return state.outcome;
}

}  // namespace kg::sandbox::ascendc

using namespace kg::sandbox::ascendc;

extern "C" {

void kgnpu_launch(uint32_t block_dim, void (*kernel)(const void*), const void* bound, uint64_t bytes) {
  if (direct == nullptr || !direct->outcome.ended) return;  // after a launch that failed the stream does nothing
  ++direct->launches;
  if (block_dim == 0) {
    direct->device->faults.error("argument", "a launch with no blocks; the block dimension is at least 1", 0, -1);
    direct->outcome.ended = false;
    return;
  }
  direct->device->block_dim = block_dim;
  direct->device->memory.close_to_host(false);
  direct->device->memory.forget_accesses();
  forget_readable();
  let_kernel_use_object(reinterpret_cast<const void*>(kernel));
  let_kernel_read(bound, bytes);
  kgnpu::Entry entry{};
  entry.parameters = 2;
  entry.call = call_bound;
  const Outcome one =
      run_cores(*direct->device, Program{&entry, nullptr, {}},
                {reinterpret_cast<std::uint64_t>(kernel), reinterpret_cast<std::uint64_t>(bound)}, direct->seed);
  direct->outcome.ended = one.ended;
  direct->outcome.cycles += one.cycles + (direct->launches > 1 ? cost::kLaunch : 0);
  direct->device->memory.close_to_host(true);
}

void kgnpu_host_arguments_used(uint32_t addresses, uint32_t) {
  if (direct != nullptr) direct->addresses = addresses;
}

}  // extern "C"
