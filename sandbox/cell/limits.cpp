#include "sandbox/cell/limits.h"

#include <stdlib.h>

#include <algorithm>
#include <thread>

#include "proto/dtype.h"

namespace kg::sandbox {
namespace {

constexpr double kCompileSeconds = 20;
constexpr double kRunSeconds = 10;
constexpr std::uint64_t kCompileMemory = 4ull << 30;
constexpr std::uint64_t kRunMemory = 2ull << 30;
constexpr std::uint64_t kOutput = 64ull << 10;
constexpr std::uint64_t kFile = 64ull << 20;
constexpr std::uint32_t kProcesses = 64;
constexpr std::uint64_t kCycles = 0;

constexpr std::uint64_t kTensorCopies = 4;
constexpr std::uint64_t kMostWorkspace = 16ull << 30;  // address space, little of which is touched
constexpr std::uint64_t kMostScratch = 2ull << 30;     // of a request, which the kernel touches as a rule
constexpr std::uint64_t kResultAllowance = 32ull << 20;

std::uint64_t tensor_bytes(const proto::RunCase& run_case, bool with_inputs) {
  std::uint64_t bytes = 0;
  if (with_inputs)
    for (const auto& tensor : run_case.inputs()) bytes += tensor.data().size();
  for (const auto& spec : run_case.outputs()) bytes += proto::byte_size(spec);
  return bytes;
}

}  // namespace

proto::ResourceLimits with_default_limits(proto::ResourceLimits limits) {
  if (limits.compile_seconds() <= 0) limits.set_compile_seconds(kCompileSeconds);
  if (limits.run_seconds() <= 0) limits.set_run_seconds(kRunSeconds);
  if (limits.compile_memory_bytes() == 0) limits.set_compile_memory_bytes(kCompileMemory);
  if (limits.run_memory_bytes() == 0) limits.set_run_memory_bytes(kRunMemory);
  if (limits.output_bytes() == 0) limits.set_output_bytes(kOutput);
  if (limits.file_bytes() == 0) limits.set_file_bytes(kFile);
  if (limits.processes() == 0) limits.set_processes(kProcesses);
  if (limits.cycles() == 0) limits.set_cycles(kCycles);
  return limits;
}

double wall_seconds(double seconds) {
  double load = 0;
  if (::getloadavg(&load, 1) != 1) return seconds;
  const double each = load / std::max(1u, std::thread::hardware_concurrency());
  // Twice its fair share of the time: the scheduler is not exact, and the load is that of the last minute.
  return seconds * (each <= 1 ? 1 : std::min(2 * each, kMostStretch));
}

std::uint64_t run_address_space(const proto::ResourceLimits& limits, const proto::RunCase& run_case,
                                std::uint64_t workspace_bytes) {
  std::uint64_t workspace = std::min(workspace_bytes, kMostScratch);
  for (const std::uint64_t bytes : run_case.host().workspaces()) workspace += std::min(bytes, kMostWorkspace);
  return limits.run_memory_bytes() + kTensorCopies * (tensor_bytes(run_case, /*with_inputs=*/true) + workspace);
}

std::uint64_t result_bytes(const proto::RunCase& run_case) {
  return tensor_bytes(run_case, /*with_inputs=*/false) + kResultAllowance;
}

}  // namespace kg::sandbox
