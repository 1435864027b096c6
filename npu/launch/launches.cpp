#include "npu/launch/launches.h"

#include <optional>
#include <utility>

#include "base/file.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_launch.h"
#include "npu/launch/arguments.h"
#include "npu/launch/kernel_object.h"
#include "npu/launch/object_files.h"
#include "npu/machine/task_type.h"
#include "npu/scalar/elf_object.h"

namespace kg::npu {
namespace {

constexpr std::uint64_t kMostArgumentBytes = 64 * 1024;  // they are copied to each core's stack

// The entry of a kernel by its symbol.
std::optional<kgnpu::LaunchedKernel> find_kernel(const scalar::Image& image, const std::string& symbol) {
  kgnpu::LaunchedKernel kernel{};
  for (const auto& [place, name] : image.objects_in(kgnpu::kLaunches))
    if (name == symbol && image.copy(place, kernel) && kernel.call != nullptr) return kernel;
  return {};
}
Program::Half half_of(const scalar::Image& image, const kgnpu::LaunchedKernel& kernel) {
  return {&image, reinterpret_cast<std::uint64_t>(kernel.call)};
}

Outcome run_launch(Device& device, Program program, const proto::KernelLaunch& launch, std::uint64_t seed) {
  device.block_dim = launch.block_dim();
  device.memory.forget_accesses();
  program.layout = layout_of(program.vector, program.cube, /*tiling_key=*/0);
  return run_cores(device, program, launch.arguments(), seed);
}

}  // namespace

DirectArguments direct_arguments(Device& device, const Launch& launch, const proto::RunCase& run_case,
                                 std::vector<std::uint64_t> inputs_and_outputs) {
  DirectArguments given;
  given.addresses = std::move(inputs_and_outputs);
  given.required = static_cast<std::uint32_t>(given.addresses.size());
  device.system_workspace = add_workspace(device.memory, launch.workspace_bytes, device.poison);
  given.addresses.push_back(device.system_workspace);
  given.addresses.push_back(add_empty_tiling(device.memory));
  for (const proto::Attribute& attribute : run_case.attributes()) {
    if (attribute.constant()) continue;
    if (attribute.value_case() == proto::Attribute::kFlag) given.numbers.push_back(attribute.flag() ? 1 : 0);
    if (attribute.value_case() == proto::Attribute::kInteger)
      given.numbers.push_back(static_cast<double>(attribute.integer()));
    if (attribute.value_case() == proto::Attribute::kReal) given.numbers.push_back(attribute.real());
  }
  return given;
}

std::map<std::uint64_t, std::string> launched_kernels(const std::string& shared_object) {
  const scalar::ElfObject object(read_file(shared_object));
  std::map<std::uint64_t, std::string> kernels;
  for (const Elf64_Sym& symbol : object.symbols())
    if (const Elf64_Shdr* section = object.section_of(symbol); section != nullptr &&
                                                               ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                                                               object.section_name(*section) == kgnpu::kLaunches)
      kernels.emplace(symbol.st_value, object.name(symbol));
  return kernels;
}

Outcome run_launches(Device& device, const scalar::Image& vector, const std::string& object,
                     const proto::RunCase& run_case, std::uint64_t seed) {
  std::int32_t has_cube_half = 0;
  vector.copy(vector.address_of(kgnpu::kHasCubeHalf), has_cube_half);
  std::optional<KernelObject> cube;
  Outcome outcome{true, 0};
  bool first = true;
  for (const proto::KernelLaunch& launch : run_case.launches()) {
    const auto kernel = find_kernel(vector, launch.kernel());
    if (!kernel || kernel->bytes != launch.arguments().size()) {
      device.faults.error(FaultClass::kArgument,
                          "the host function launches a kernel that the source compiled for the device does not have; "
                          "both sides must see the same text",
                          0, -1);
      return {};
    }
    if (kernel->bytes > kMostArgumentBytes) {
      device.faults.error(FaultClass::kArgument,
                          message_of("a launch with ", kernel->bytes, " bytes of arguments; a kernel takes at most ",
                                     kMostArgumentBytes, ": pass the address of large data"),
                          0, -1);
      return {};
    }
    Program program{half_of(vector, *kernel), {}, {}};
    if (has_cube_half != 0) {
      if (!cube) cube.emplace(cube_half(object));
      if (const auto other = find_kernel(cube->image(), launch.kernel())) program.cube = half_of(cube->image(), *other);
    }
    const Outcome one = run_launch(device, program, launch, seed);
    outcome.cycles += one.cycles + (first ? 0 : chip::kLaunch);
    first = false;
    outcome.ended = one.ended;
    if (!one.ended) break;  // the stream does nothing after it
  }
  return outcome;
}

}  // namespace kg::npu
