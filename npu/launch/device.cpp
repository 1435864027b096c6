#include "npu/launch/device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "npu/chip.h"
#include "npu/launch/arguments.h"
#include "npu/launch/kernel_object.h"
#include "npu/launch/launches.h"
#include "npu/launch/object_files.h"
#include "npu/machine/scheduler.h"
#include "npu/machine/task_type.h"

namespace kg::npu {
namespace {

constexpr std::uint64_t kShapeBytes = 25 * sizeof(std::uint64_t);  // for each output whose shape the kernel decides

// Appends what the kernel's signature has after inputs and outputs; returns why it cannot.
std::string add_workspace_and_tiling(Device& device, const Launch& launch, const proto::RunCase& run_case,
                                     const KernelObject& kernel, std::vector<std::uint64_t>& arguments) {
  GlobalMemory& memory = device.memory;
  const auto allocate = [&](const char* name, std::uint64_t bytes) {
    arguments.push_back(memory.allocate_output(name, bytes, device.poison, /*is_output=*/false).start());
    return arguments.back();
  };
  const kgnpu::Entry& entry = kernel.entry();
  const std::string found = "the kernel takes " + std::to_string(entry.parameters) + " parameters";
  if (run_case.has_host()) {
    if (run_case.host().writes_shapes())
      allocate("the shapes of the outputs", kShapeBytes * static_cast<std::uint64_t>(run_case.outputs_size()));
    const std::uint64_t key = run_case.host().tiling_key();
    const std::vector<std::uint64_t> keys = kernel.tiling_keys();
    if (keys.empty() ? key != 0 : std::find(keys.begin(), keys.end(), key) == keys.end())
      return message_of("the host side sets tiling key ", key, ", which no TILING_KEY_IS of the kernel names",
                        keys.empty() ? "; without one there is only key 0" : "");
    if (entry.parameters != arguments.size() + 2)
      return found + ", the operator definition has " + std::to_string(arguments.size()) +
             " inputs and outputs; declare all of them in order, then workspace and tiling";
    std::uint64_t bytes = 0;
    for (const std::uint64_t part : run_case.host().workspaces()) bytes += part;
    device.system_workspace = allocate("the workspace", bytes);
    device.host_tiling = memory.allocate_input("the tiling data", run_case.host().tiling_data()).start();
    arguments.push_back(device.host_tiling);
    return "";
  }
  constexpr std::size_t kMostParameters = 1024;
  if (entry.parameters > kMostParameters) return found + "; a launch passes at most " + std::to_string(kMostParameters);
  if (entry.parameters < arguments.size())
    return found + ", the task has " + std::to_string(arguments.size()) +
           " inputs and outputs; declare all of them in order";
  if (entry.parameters > arguments.size())
    arguments.push_back(device.system_workspace = add_workspace(memory, launch.workspace_bytes, device.poison));
  while (arguments.size() < entry.parameters) arguments.push_back(add_empty_tiling(memory));
  return "";
}

constexpr auto kUnwritten = static_cast<std::uint8_t>(GlobalMemory::State::kUnwritten);

std::ptrdiff_t unwritten_bytes(const GlobalMemory::Allocation& output) {
  return std::count(output.state.data(), output.state.data() + output.bytes, kUnwritten);
}

constexpr const char* kL0cAdvice =
    "; the first Mmad of a sum starts from 0 (cmatrixInitVal = true) or a bias, what LoadData brings to L0A and L0B "
    "covers m, n and k, and with m = 1 (GEMV) L0A holds one row, not fractals: write m = 16 for those";

// What a copy by count left behind is the likeliest cause; otherwise some other advice.
std::string advice(const Device::Shortened& copy, const std::string& other) {
  if (copy.asked == 0) return "; " + other;
  return message_of("; DataCopy (line ", copy.line, ") moves ", copy.moved, " of the ", copy.asked,
                    " bytes that it is asked for, because it moves whole blocks of 32; DataCopyPad moves all");
}

std::string garbage_message(const Device& device, const Device::Garbage& garbage, const std::string& place) {
  if (garbage.atomic)
    return "an atomic operation on " + place + ", whose content is undefined; write the output first (and SyncAll)";
  if (garbage.pipe == kFix) return "uninitialised L0C data reach " + place + kL0cAdvice;
  return "uninitialised UB data reach " + place +
         advice(device.shortened_in,
                "write every element of the tensor before it is copied out (is the count of an earlier copy or vector "
                "call too small?)");
}

// Undefined bytes that are still in an output when the kernel has ended.
void report_garbage(Device& device) {
  for (const Device::Garbage& garbage : device.garbage) {
    const std::uint8_t* state = garbage.allocation->state.data();
    const std::uint64_t end = std::min(garbage.offset + garbage.bytes, garbage.allocation->bytes);
    for (std::uint64_t i = garbage.offset; i < end; ++i) {
      if (state[i] != static_cast<std::uint8_t>(GlobalMemory::State::kUndefined)) continue;
      const std::string place = garbage.allocation->name + " at byte " + std::to_string(i);
      if (const auto& detour = device.detour; detour && detour->read && garbage.pipe != kFix && !garbage.atomic)
        device.faults.error(
            FaultClass::kMemory,
            "uninitialised L0C data reach " + detour->allocation->name + ", and from there " + place + kL0cAdvice,
            detour->line, detour->core);
      else
        device.faults.error(FaultClass::kMemory, garbage_message(device, garbage, place), garbage.line, garbage.core);
      break;
    }
  }
  for (const GlobalMemory::Allocation* allocation : device.memory.all()) {
    if (!allocation->is_output) continue;
    const std::uint8_t* begin = allocation->state.data();
    const std::uint8_t* end = begin + allocation->bytes;
    const auto unwritten = unwritten_bytes(*allocation);
    if (unwritten == 0) continue;
    for (std::uint64_t i = 0; i < allocation->bytes; ++i) {
      if (begin[i] != kUnwritten || allocation->data[i] == allocation->poison) continue;
      device.faults.error(
          FaultClass::kTrap,
          allocation->name + " changed at byte " + std::to_string(i) + ", which no store of the device wrote", 0, -1);
      break;
    }
    const auto first = std::find(begin, end, kUnwritten) - begin;
    device.faults.warning(
        FaultClass::kMemory,
        message_of(unwritten, " of ", allocation->bytes, " bytes of ", allocation->name,
                   " were never written, the first at byte ", first,
                   advice(device.shortened_out, "check the number of cores, tiles and the last tile's length")),
        0, -1);
  }
}

// An operator must not change its inputs, except those that an output replaces.
void report_changed_inputs(Device& device, const Arguments& arguments, const proto::RunCase& run_case) {
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const GlobalMemory::Allocation* allocation = arguments.inputs[i];
    if (allocation == nullptr || allocation->is_output) continue;
    const std::string& given = run_case.inputs(static_cast<int>(i)).data();
    if (std::memcmp(allocation->data, given.data(), given.size()) == 0) continue;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(given.data());
    const auto at = std::mismatch(bytes, bytes + given.size(), allocation->data).first - bytes;
    device.faults.error(FaultClass::kMemory,
                        "the kernel changes " + allocation->name + ", the first at byte " + std::to_string(at) +
                            "; no output of the operator is in its place, so write to an output or the workspace",
                        0, -1);
  }
}

// A kernel may compute anything anywhere, but one whose scalar unit produces the outputs element by element
// makes no use of this device, and a reader of its numbers should know.
void report_scalar_work(Device& device, const proto::RunCase& run_case) {
  std::uint64_t outputs = 0;
  for (const proto::TensorSpec& spec : run_case.outputs()) {
    std::uint64_t elements = 1;
    for (const std::int64_t extent : spec.shape()) elements *= static_cast<std::uint64_t>(extent);
    outputs += elements;
  }
  if (device.elements_stored_by_s == 0 || 2 * device.elements_stored_by_s < outputs) return;
  if (device.elements_computed >= outputs) return;
  device.faults.warning(FaultClass::kScalar,
                        message_of("the scalar unit stored ", device.elements_stored_by_s,
                                   " elements one by one, vector and cube units worked on ", device.elements_computed,
                                   ", the outputs have ", outputs, ": compute with vector instructions on whole tiles"),
                        0, -1);
}

std::string bytes_of(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)};
}

std::uint64_t tensor_bytes(const Arguments& arguments) {
  std::uint64_t bytes = 0;
  for (const auto* list : {&arguments.inputs, &arguments.outputs})
    for (const GlobalMemory::Allocation* one : *list) bytes += one != nullptr ? one->bytes : 0;
  return bytes;
}

proto::CaseResult run_once(const Launch& launch, const proto::RunCase& run_case, Device& device) {
  proto::CaseResult result;
  const bool direct = !run_case.launches().empty();
  const KernelObject kernel(launch.object);
  std::optional<KernelObject> cube;
  Program program;
  if (!direct) {
    if (kernel.entry().has_cube_half) cube.emplace(cube_half(launch.object));
    program = {kernel.half(), cube ? cube->half() : Program::Half{}, {}};
    program.layout = layout_of(program.vector, program.cube,
                               run_case.has_host() ? static_cast<std::int64_t>(run_case.host().tiling_key()) : 0);
  }
  device.block_dim = std::max(launch.block_dim, 1u);
  device.cycle_limit = static_cast<double>(launch.cycle_limit);
  device.jump_limit = launch.jump_limit;

  Arguments arguments = make_arguments(device.memory, run_case);
  if (direct) direct_arguments(device, launch, run_case, arguments.values);  // for the addresses that the launches have
  if (const std::string mismatch =
          direct ? "" : add_workspace_and_tiling(device, launch, run_case, kernel, arguments.values);
      !mismatch.empty()) {
    device.faults.error(FaultClass::kArgument, mismatch, 0, -1);
    for (const proto::Fault& fault : device.faults.list()) *result.add_faults() = fault;
    return result;
  }

  device.traffic.begin(launch.l2, tensor_bytes(arguments));
  if (launch.want_timeline)
    device.timeline.start(device.block_dim * static_cast<std::uint32_t>(program.layout.cores()));
  if (launch.want_profile) device.counts.start();
  const Outcome outcome = direct ? run_launches(device, kernel.image(), launch.object, run_case, launch.core_order_seed)
                                 : run_cores(device, program, bytes_of(arguments.values), launch.core_order_seed);
  result.set_ran(outcome.ended);
  result.set_bytes_read(device.bytes_read);
  result.set_bytes_written(device.bytes_written);
  if (outcome.ended) {
    report_garbage(device);
    report_changed_inputs(device, arguments, run_case);
    report_scalar_work(device, run_case);
    result.set_cycles(static_cast<std::uint64_t>(std::ceil(chip::kLaunch + outcome.cycles)));
    for (int i = 0; i < run_case.outputs_size(); ++i) {
      const proto::TensorSpec& spec = run_case.outputs(i);
      proto::Tensor& tensor = *result.add_outputs();
      tensor.set_name(spec.name());
      tensor.set_dtype(spec.dtype());
      *tensor.mutable_shape() = spec.shape();
      tensor.set_kind(spec.kind());
      tensor.set_absent(spec.absent());
      if (const auto* output = arguments.outputs[static_cast<std::size_t>(i)])
        tensor.set_data(output->data, output->bytes);
    }
  }
  if (launch.want_profile && outcome.ended)
    *result.mutable_profile() = device.counts.profile(
        chip::kLaunch + outcome.cycles, chip::kLaunch * std::max(1, run_case.launches_size()), device.traffic.added());
  if (launch.want_timeline) result.set_timeline_json(device.timeline.json(device.traffic));
  for (const proto::Fault& fault : device.faults.list()) *result.add_faults() = fault;
  return result;
}

bool same_outputs(const proto::CaseResult& a, const proto::CaseResult& b) {
  if (a.ran() != b.ran() || a.outputs_size() != b.outputs_size()) return false;
  for (int i = 0; i < a.outputs_size(); ++i)
    if (a.outputs(i).data() != b.outputs(i).data()) return false;
  return true;
}

bool is_error(const proto::Fault& fault) { return fault.severity() == proto::ERROR; }

// Whether a repeated run shows an error that the first one does not; doubtful ones are what is repeated for.
bool has_new_error(const Faults& first, const Faults& again) {
  for (std::size_t i = 0; i < again.list().size(); ++i) {
    const proto::Fault& fault = again.list()[i];
    if (!is_error(fault) || again.is_doubtful(i)) continue;
    const bool known = std::any_of(first.list().begin(), first.list().end(), [&](const proto::Fault& one) {
      return is_error(one) && one.line() == fault.line() && one.fault_class() == fault.fault_class();
    });
    if (!known) return true;
  }
  return false;
}

// Results of a run that its repetitions need. Its memory is freed by then: each run uses the same addresses.
struct Course {
  Faults faults;
  RaceLog races;
  std::vector<Device::Suspect> suspects;
  std::uint64_t trace = 0;
  bool wrote_all = false;  // each byte of each output; not asked where no fault depends on it
  proto::CaseResult result;
};

bool wrote_all_outputs(Device& device) {
  const auto all = device.memory.all();
  return std::all_of(all.begin(), all.end(),
                     [](const GlobalMemory::Allocation* one) { return !one->is_output || unwritten_bytes(*one) == 0; });
}

Course run(const Launch& launch, const proto::RunCase& run_case, std::uint8_t garbage,
           std::unique_ptr<SwappedRaces> swapped = nullptr, std::unique_ptr<ForeignBytes> foreign = nullptr) {
  const auto device = std::make_unique<Device>();
  device->poison = garbage;
  device->swapped = std::move(swapped);
  device->foreign = std::move(foreign);
  Course course;
  course.result = run_once(launch, run_case, *device);
  if (device->swapped && device->swapped->gave_up()) course.result.set_ran(false);
  course.faults = std::move(device->faults);
  course.races = std::move(device->races);
  course.suspects = std::move(device->suspects);
  course.trace = device->trace;
  course.wrote_all = course.faults.has(Faults::Doubt::kForeign) && wrote_all_outputs(*device);
  return course;
}

bool same_course(const Course& a, const Course& b) { return a.trace == b.trace && same_outputs(a.result, b.result); }

// Faults in doubt become warnings if the other run came out as the first.
void excuse(Faults::Doubt doubt, const Course& other, Course& course) {
  if (!same_course(course, other) || has_new_error(course.faults, other.faults)) return;
  course.faults.excuse(doubt);
  course.result.clear_faults();
  for (const proto::Fault& fault : course.faults.list()) *course.result.add_faults() = fault;
}

// Runs the launch again with its races the other way round (machine/races.h).
void excuse_harmless_races(const Launch& again, const proto::RunCase& run_case, Course& course) {
  constexpr auto kRace = Faults::Doubt::kRace;
  if (!course.faults.has(kRace) || !course.result.ran() || !course.races.complete()) return;
  excuse(kRace, run(again, run_case, again.garbage, std::make_unique<SwappedRaces>(course.races.list())), course);
}

// Runs the launch again with other bytes in the buffers of others (machine/foreign_bytes.h). Where outputs are missing,
// equal ones say nothing.
void excuse_harmless_bytes(const Launch& again, const proto::RunCase& run_case, Course& course) {
  constexpr auto kForeign = Faults::Doubt::kForeign;
  if (!course.faults.has(kForeign) || !course.result.ran() || !course.wrote_all) return;
  excuse(kForeign, run(again, run_case, again.garbage, nullptr, std::make_unique<ForeignBytes>()), course);
}

// A scalar read from undefined data goes into the kernel's own code, where nothing can follow it. Whether it mattered,
// as an address, a branch or a number, shows when the launch is repeated with other garbage in fresh memory.
void report_what_garbage_decides(const Launch& again, const proto::RunCase& run_case, Course& course) {
  // NaN in every floating type; a small positive number in every one, a huge index.
  constexpr std::uint8_t kNan = 0xFF, kSmall = 0x3C;
  const auto& faults = course.result.faults();
  if (course.suspects.empty() || std::any_of(faults.begin(), faults.end(), is_error)) return;
  if (same_course(course, run(again, run_case, again.garbage == kSmall ? kNan : kSmall))) return;
  for (const Device::Suspect& suspect : course.suspects) {
    proto::Fault& fault = *course.result.add_faults();
    fault.set_fault_class(name_of(FaultClass::kMemory));
    fault.set_severity(proto::ERROR);
    fault.set_message(suspect.what + ", and what the kernel does depends on it; write the data before it is read");
    fault.set_line(suspect.line);
    fault.set_core(suspect.core);
  }
}

}  // namespace

proto::CaseResult launch(const Launch& launch, const proto::RunCase& run_case) {
  Course course = run(launch, run_case, launch.garbage);
  Launch again = launch;
  again.want_timeline = again.want_profile = false;
  excuse_harmless_races(again, run_case, course);
  excuse_harmless_bytes(again, run_case, course);
  report_what_garbage_decides(again, run_case, course);
  return course.result;
}

}  // namespace kg::npu
