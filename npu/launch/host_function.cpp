#include "npu/launch/host_function.h"

#include <cstdarg>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "npu/headers/kgnpu/abi.h"
#include "npu/headers/kgnpu/abi_launch.h"
#include "npu/launch/arguments.h"
#include "npu/launch/launches.h"
#include "npu/launch/shared_object.h"
#include "proto/fault.h"

namespace kg::npu {
namespace {

constexpr int kMostLaunches = 10000;

// One host function in a process; its launches come through C functions.
struct Call {
  std::uint64_t base;
  std::map<std::uint64_t, std::string> kernels;
  proto::LaunchPlan plan;
  std::uint32_t addresses = 0;
};
Call* present = nullptr;

}  // namespace

proto::LaunchPlan run_host_function(const Launch& launch, const proto::RunCase& run_case) {
  const auto device = std::make_unique<Device>();
  const DirectArguments given =
      direct_arguments(*device, launch, run_case, make_arguments(device->memory, run_case).values);
  device->memory.close();
  const SharedObject object(launch.object);
  const auto entry = object.find<void(const void*)>("kgnpu_host_entry");
  if (entry == nullptr) object.fail("it exports no host function");
  Call call{object.base(), launched_kernels(launch.object), {}};
  present = &call;
  const kgnpu::HostArguments arguments{launch.block_dim, given.addresses.data(),
                                       static_cast<std::uint32_t>(given.addresses.size()), given.numbers.data(),
                                       static_cast<std::uint32_t>(given.numbers.size())};
  entry(&arguments);
  present = nullptr;
  if (call.plan.faults().empty() && call.addresses < given.required)
    add_fault(call.plan, FaultClass::kArgument,
              "the host function takes " + std::to_string(call.addresses) + " device addresses, the task has " +
                  std::to_string(given.required) + " inputs and outputs; declare all of them in order");
  else if (call.plan.faults().empty() && call.plan.launches().empty())
    add_fault(call.plan, FaultClass::kArgument, "the host function returned without launching a kernel");
  return call.plan;
}

}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_launch(const kgnpu::LaunchedKernel* kernel, uint32_t block_dim, const void* arguments) {
  if (present == nullptr || !present->plan.faults().empty()) return;
  const auto known = present->kernels.find(reinterpret_cast<std::uint64_t>(kernel) - present->base);
  if (known == present->kernels.end())
    add_fault(present->plan, FaultClass::kArgument, "a launch of something that is not a kernel");
  else if (block_dim == 0)
    add_fault(present->plan, FaultClass::kArgument, "a launch with no blocks; the block dimension is at least 1");
  else if (present->plan.launches_size() == kMostLaunches)
    add_fault(present->plan, FaultClass::kLimit, "more than " + std::to_string(kMostLaunches) + " launches");
  if (!present->plan.faults().empty()) return;
  kg::proto::KernelLaunch& launch = *present->plan.add_launches();
  launch.set_kernel(known->second);
  launch.set_block_dim(block_dim);
  launch.set_arguments(arguments, kernel->bytes);
}

// Kernels print on the device, npu/machine/print.h; what comes here is the host function's own.
int kgnpu_print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = std::vprintf(format, arguments);
  va_end(arguments);
  return written;
}

void kgnpu_host_arguments_used(uint32_t addresses, uint32_t) {
  if (present != nullptr) present->addresses = addresses;
}

}  // extern "C"
