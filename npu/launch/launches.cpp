#include "npu/launch/launches.h"

#include <utility>

#include "base/file.h"
#include "npu/checks/elf_object.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_launch.h"
#include "npu/launch/arguments.h"
#include "npu/machine/pointer_accesses.h"

namespace kg::npu {
namespace {

// The scheduler's kernels take an array of addresses: here how to call, and with what.
void call_launched(const std::uint64_t* arguments) {
  reinterpret_cast<const kgnpu::LaunchedKernel*>(arguments[0])->call(reinterpret_cast<const void*>(arguments[1]));
}

// As much as any parameter asks for.
struct alignas(64) Aligned {
  std::uint8_t bytes[64];
};

Outcome run_launch(Device& device, const kgnpu::LaunchedKernel& kernel, const proto::KernelLaunch& launch,
                   std::uint64_t seed) {
  std::vector<Aligned> arguments(launch.arguments().size() / sizeof(Aligned) + 1);
  launch.arguments().copy(reinterpret_cast<char*>(arguments.data()), launch.arguments().size());
  device.block_dim = launch.block_dim();
  device.memory.forget_accesses();
  forget_readable();
  let_kernel_use_object(&kernel);
  let_kernel_read(arguments.data(), launch.arguments().size());
  kgnpu::Entry entry{};
  entry.parameters = 2;
  entry.call = call_launched;
  return run_cores(device, Program{&entry, nullptr, {}},
                   {reinterpret_cast<std::uint64_t>(&kernel), reinterpret_cast<std::uint64_t>(arguments.data())}, seed);
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
  const ElfObject object(read_file(shared_object));
  std::map<std::uint64_t, std::string> kernels;
  for (const Elf64_Sym& symbol : object.symbols())
    if (const Elf64_Shdr* section = object.section_of(symbol); section != nullptr &&
                                                               ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                                                               object.section_name(*section) == kgnpu::kLaunches)
      kernels.emplace(symbol.st_value, object.name(symbol));
  return kernels;
}

Outcome run_launches(Device& device, const std::string& shared_object, std::uint64_t base,
                     const proto::RunCase& run_case, std::uint64_t seed) {
  const std::map<std::uint64_t, std::string> kernels = launched_kernels(shared_object);
  Outcome outcome{true, 0};
  bool first = true;
  for (const proto::KernelLaunch& launch : run_case.launches()) {
    const kgnpu::LaunchedKernel* kernel = nullptr;
    for (const auto& [place, name] : kernels)
      if (name == launch.kernel()) kernel = reinterpret_cast<const kgnpu::LaunchedKernel*>(base + place);
    if (kernel == nullptr || kernel->bytes != launch.arguments().size()) {
      device.faults.error(FaultClass::kArgument,
                          "the host function launches a kernel that the source compiled for the device does not have; "
                          "both sides must see the same text",
                          0, -1);
      return {};
    }
    const Outcome one = run_launch(device, *kernel, launch, seed);
    outcome.cycles += one.cycles + (first ? 0 : chip::kLaunch);
    first = false;
    outcome.ended = one.ended;
    if (!one.ended) break;  // the stream does nothing after it
  }
  return outcome;
}

}  // namespace kg::npu
