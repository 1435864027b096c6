#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npu/launch/device.h"
#include "npu/machine/scheduler.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// Sources with <<<>>>. The host function runs in its own process (host_function.h) and returns which kernels it
// launches with which arguments; this is shared by that process and the device's, and does the launching.

// The values of a case that a host function can get: addresses of inputs, outputs, workspace and tiling data; and the
// numeric attributes. The allocations have the same addresses in every process.
struct DirectArguments {
  std::vector<std::uint64_t> addresses;
  std::uint32_t required = 0;  // number of addresses that must be used: the inputs and outputs
  std::vector<double> numbers;
};
DirectArguments direct_arguments(Device& device, const Launch& launch, const proto::RunCase& run_case,
                                 std::vector<std::uint64_t> inputs_and_outputs);

// The symbols of the launched kernels in a host function's shared object, by the address of their entries in it.
std::map<std::uint64_t, std::string> launched_kernels(const std::string& shared_object);

// Runs the launches one after the other. An impossible launch is a fault of the device. `object`: the path of `vector`,
// beside which the cube half lies if the source has one.
Outcome run_launches(Device& device, const scalar::Image& vector, const std::string& object,
                     const proto::RunCase& run_case, std::uint64_t seed);

}  // namespace kg::npu
