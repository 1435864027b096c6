#include "sandbox/ascendc/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "proto/dtype.h"
#include "sandbox/ascendc/runtime/cost_table.h"
#include "sandbox/ascendc/runtime/scheduler.h"

namespace kg::sandbox::ascendc {
namespace {

constexpr std::uint64_t kTilingBytes = 4096;  // of a tiling argument that no host filled
constexpr std::uint64_t kDefaultWorkspace = 32ULL << 20;

// NaN for floating types, an unlikely number for integers.
std::uint8_t poison_of(proto::DType dtype) {
  return dtype == proto::FLOAT32 || dtype == proto::FLOAT16 || dtype == proto::BFLOAT16 || dtype == proto::FLOAT64
             ? 0xFF
             : 0xA5;
}

class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  const kgnpu::Entry* entry() const {
    return handle_ == nullptr ? nullptr : static_cast<const kgnpu::Entry*>(dlsym(handle_, "kgnpu_entry"));
  }

 private:
  void* handle_;
};

// Undefined bytes that are still in an output when the kernel has ended.
void report_garbage(Device& device) {
  for (const Device::Garbage& garbage : device.garbage) {
    const std::uint8_t* state = garbage.allocation->state.data();
    const std::uint64_t end = std::min(garbage.offset + garbage.bytes, garbage.allocation->bytes);
    for (std::uint64_t i = garbage.offset; i < end; ++i) {
      if (state[i] != static_cast<std::uint8_t>(GlobalMemory::State::kUndefined)) continue;
      const std::string place = garbage.allocation->name + " at byte " + std::to_string(i);
      device.faults.error("memory",
                          garbage.atomic
                              ? "an atomic operation on " + place + ", which holds nothing defined; write the output "
                                "first (and SyncAll)"
                              : "uninitialised UB data reach " + place +
                                    "; write every element of the tensor before it is copied out (is the count of an "
                                    "earlier copy or vector call too small?)",
                          garbage.line, garbage.core);
      break;
    }
  }
  for (const GlobalMemory::Allocation* allocation : device.memory.all()) {
    if (!allocation->is_output) continue;
    const std::uint8_t* begin = allocation->state.data();
    const std::uint8_t* end = begin + allocation->bytes;
    const auto unwritten = std::count(begin, end, static_cast<std::uint8_t>(GlobalMemory::State::kUnwritten));
    if (unwritten == 0) continue;
    const auto first = std::find(begin, end, static_cast<std::uint8_t>(GlobalMemory::State::kUnwritten)) - begin;
    device.faults.warning("memory",
                          std::to_string(unwritten) + " of " + std::to_string(allocation->bytes) + " bytes of " +
                              allocation->name + " were never written, the first at byte " + std::to_string(first) +
                              "; check the number of cores, tiles and the last tile's length",
                          0, -1);
  }
}

}  // namespace

proto::CaseResult launch(const Launch& launch, const proto::RunCase& run_case) {
  proto::CaseResult result;
  const Library library(launch.shared_object);
  const kgnpu::Entry* entry = library.entry();
  if (entry == nullptr) {
    const char* reason = dlerror();
    throw Error(std::string("cannot load the compiled kernel: ") + (reason ? reason : "it exports no launcher"),
                launch.shared_object,
                "compile it with compile_flags() and epilogue(), and link the program with ENABLE_EXPORTS",
                Error::Kind::kFailed);
  }
  Device device;
  device.block_dim = std::max(launch.block_dim, 1u);
  device.cycle_limit = static_cast<double>(launch.cycle_limit);

  std::vector<std::uint64_t> arguments;
  for (const proto::Tensor& input : run_case.inputs())
    arguments.push_back(device.memory.allocate_input("input \"" + input.name() + "\"", input.data()).start());
  std::vector<GlobalMemory::Allocation*> outputs;
  for (const proto::TensorSpec& output : run_case.outputs()) {
    outputs.push_back(&device.memory.allocate_output("output \"" + output.name() + "\"", proto::byte_size(output),
                                                     poison_of(output.dtype()), /*is_output=*/true));
    arguments.push_back(outputs.back()->start());
  }
  if (entry->parameters < arguments.size()) {
    device.faults.error("argument",
                        "the kernel takes " + std::to_string(entry->parameters) + " parameters, the task has " +
                            std::to_string(arguments.size()) + " inputs and outputs; declare all of them in order",
                        0, -1);
    for (const proto::Fault& fault : device.faults.list()) *result.add_faults() = fault;
    return result;
  }
  if (entry->parameters > arguments.size()) {
    const std::uint64_t bytes = launch.workspace_bytes > 0 ? launch.workspace_bytes : kDefaultWorkspace;
    arguments.push_back(device.memory.allocate_output("the workspace", bytes, 0xFF, /*is_output=*/false).start());
  }
  while (arguments.size() < entry->parameters)
    arguments.push_back(device.memory.allocate_input("the tiling data", std::string(kTilingBytes, '\0')).start());

  if (launch.want_timeline) device.timeline.start(device.block_dim);
  const Outcome outcome = run_cores(device, *entry, arguments, launch.core_order_seed);
  result.set_ran(outcome.ended);
  result.set_bytes_read(device.bytes_read);
  result.set_bytes_written(device.bytes_written);
  if (outcome.ended) {
    report_garbage(device);
    result.set_cycles(static_cast<std::uint64_t>(std::ceil(cost::kLaunch + outcome.cycles)));
    for (int i = 0; i < run_case.outputs_size(); ++i) {
      const proto::TensorSpec& spec = run_case.outputs(i);
      proto::Tensor& tensor = *result.add_outputs();
      tensor.set_name(spec.name());
      tensor.set_dtype(spec.dtype());
      *tensor.mutable_shape() = spec.shape();
      tensor.set_data(outputs[static_cast<std::size_t>(i)]->data, outputs[static_cast<std::size_t>(i)]->bytes);
    }
  }
  if (launch.want_timeline) result.set_timeline_json(device.timeline.json(device.traffic));
  for (const proto::Fault& fault : device.faults.list()) *result.add_faults() = fault;
  return result;
}

std::vector<std::string> compile_flags(const std::string& include_folder) {
  return {"-x",
          "cuda",  // as a dialect: language.h says why
          "--cuda-host-only",
          "-nocudainc",
          "-nocudalib",
          "-Xclang",
          "-fcuda-is-device",
          "-Xclang",
          "-fcuda-allow-variadic-functions",
          "-Xclang",
          "-fnative-half-type",
          "-Xclang",
          "-fallow-half-arguments-and-returns",
          "-std=gnu++17",
          "-O1",
          "-fPIC",
          "-fno-exceptions",
          "-fno-rtti",
          "-fno-threadsafe-statics",
          "-fno-stack-protector",
          "-fno-asynchronous-unwind-tables",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-fno-math-errno",
          "-fvisibility=hidden",
          "-fno-caret-diagnostics",
          "-fno-color-diagnostics",
          "-ferror-limit=8",
          "-Wno-everything",
          "-I",
          include_folder};
}

std::vector<std::string> precompile_flags() { return {"-Xclang", "-emit-pch", "-c"}; }

std::string epilogue(const std::string& entry_point) {
  return "\n#line 1 \"entry point\"\nKG_ENTRY_POINT(" + entry_point + ")\n";
}

}  // namespace kg::sandbox::ascendc
