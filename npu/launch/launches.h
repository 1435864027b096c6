#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npu/launch/device.h"
#include "npu/machine/scheduler.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// Sources with <<<>>>. The host function runs in a process of its own (host_function.h) and says which kernels it
// launches with what; this is what that process and the device's have in common, and the launching.

// What a host function can be given of a case: addresses of inputs, outputs, workspace and tiling data; and the
// attributes that are numbers. The allocations lie at the same addresses in every process.
struct DirectArguments {
  std::vector<std::uint64_t> addresses;
  std::uint32_t required = 0;  // of the addresses: the inputs and outputs
  std::vector<double> numbers;
};
DirectArguments direct_arguments(Device& device, const Launch& launch, const proto::RunCase& run_case,
                                 std::vector<std::uint64_t> inputs_and_outputs);

// The symbols of the launched kernels in a host function's shared object, by the place of their entries in it.
std::map<std::uint64_t, std::string> launched_kernels(const std::string& shared_object);

// One after the other. A launch that cannot be is a fault of the device.
Outcome run_launches(Device& device, const scalar::Image& image, const proto::RunCase& run_case, std::uint64_t seed);

}  // namespace kg::npu
