#include "npu/launch/launches.h"

#include <utility>

#include "base/file.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_launch.h"
#include "npu/launch/arguments.h"
#include "npu/scalar/elf_object.h"

namespace kg::npu {
namespace {

Outcome run_launch(Device& device, const scalar::Image& image, std::uint64_t entry, const proto::KernelLaunch& launch,
                   std::uint64_t seed) {
  device.block_dim = launch.block_dim();
  device.memory.forget_accesses();
  return run_cores(device, Program{{&image, entry}, {}, {}}, launch.arguments(), seed);
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

Outcome run_launches(Device& device, const scalar::Image& image, const proto::RunCase& run_case, std::uint64_t seed) {
  const std::map<std::uint64_t, std::string> kernels = image.objects_in(kgnpu::kLaunches);
  Outcome outcome{true, 0};
  bool first = true;
  for (const proto::KernelLaunch& launch : run_case.launches()) {
    kgnpu::LaunchedKernel kernel{};
    for (const auto& [place, name] : kernels)
      if (name == launch.kernel() && image.copy(place, kernel)) break;
    if (kernel.call == nullptr || kernel.bytes != launch.arguments().size()) {
      device.faults.error(FaultClass::kArgument,
                          "the host function launches a kernel that the source compiled for the device does not have; "
                          "both sides must see the same text",
                          0, -1);
      return {};
    }
    const Outcome one = run_launch(device, image, reinterpret_cast<std::uint64_t>(kernel.call), launch, seed);
    outcome.cycles += one.cycles + (first ? 0 : chip::kLaunch);
    first = false;
    outcome.ended = one.ended;
    if (!one.ended) break;  // the stream does nothing after it
  }
  return outcome;
}

}  // namespace kg::npu
