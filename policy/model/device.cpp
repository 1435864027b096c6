#include "policy/model/device.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceType.h>
#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace kg::policy {
namespace {

constexpr const char* kFolders = "KGTRAIN_DEVICE_LIBRARIES";

// The folder of the LibTorch that this program runs with.
fs::path libtorch_folder() {
  Dl_info info;
  const auto known = reinterpret_cast<const void*>(&at::globalContext);
  if (::dladdr(known, &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::path(info.dli_fname).parent_path();
}

// Loads `library`, which registers its device with LibTorch when loaded. It stays loaded for the life of the process.
void* load(const std::string& library, const std::string& device, const std::string& hint) {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv(kFolders)) {
    std::istringstream list(named);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
  }
  folders.push_back(libtorch_folder());
  std::string tried;
  for (const fs::path& folder : folders) {
    const fs::path file = folder / library;
    if (!fs::exists(file)) {
      tried += "\n  " + file.string() + ": not there";
      continue;
    }
    if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
    tried += "\n  " + file.string() + ": " + ::dlerror();
  }
  if (void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
  tried += "\n  searched by the system: " + std::string(::dlerror());
  throw Error("the library of this device, " + library + ", could not be loaded:" + tried, "device " + device, hint,
              Error::Kind::kEnvironment);
}

void load_cuda() {
  load("libtorch_cuda.so", "cuda",
       "run scripts/setup.sh --with-cuda, add the folders with NVIDIA's CUDA 13 libraries (cuBLAS, cuDNN, NCCL and "
       "others) to LD_LIBRARY_PATH, or use --device cpu");
}

// torch_npu registers its device in LibTorch's slot for other devices, and must be started by a call.
void load_npu(c10::DeviceIndex index) {
  const std::string hint =
      std::string("source CANN's set_env.sh and name torch_npu's lib folder in $") + kFolders + ", or use --device cpu";
  void* handle = load("libtorch_npu.so", "npu", hint);
  constexpr const char* kStart = "_ZN9torch_npu8init_npuEa";  // torch_npu::init_npu(c10::DeviceIndex)
  const auto start = reinterpret_cast<void (*)(c10::DeviceIndex)>(::dlsym(handle, kStart));
  if (start == nullptr)
    throw Error("libtorch_npu.so has no torch_npu::init_npu", "device npu", "use the torch_npu made for LibTorch 2.11",
                Error::Kind::kEnvironment);
  c10::register_privateuse1_backend("npu");
  start(index);
}

at::Device parsed(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string type = name.substr(0, colon);
  int index = 0;
  bool good = type == "cpu" || type == "cuda" || type == "npu";
  if (colon != std::string::npos) {
    const char *begin = name.data() + colon + 1, *end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(begin, end, index);
    good = good && error == std::errc() && stop == end && index >= 0 && index < 128 && type != "cpu";
  }
  if (!good)
    throw Error("there is no device \"" + name + "\"", "--device", "cpu, cuda, cuda:1, npu or npu:1",
                Error::Kind::kUsage);
  if (type == "cpu") return at::kCPU;
  return {type == "cuda" ? at::kCUDA : at::kPrivateUse1, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace

at::Device open_device(const std::string& name) {
  const at::Device device = parsed(name);
  if (device.is_cpu()) return device;
  static std::mutex loading;
  const std::lock_guard lock(loading);
  static bool cuda_loaded = false, npu_loaded = false;
  try {
    if (device.is_cuda() && !cuda_loaded) {
      load_cuda();
      cuda_loaded = true;
    }
    if (!device.is_cuda() && !npu_loaded) {
      load_npu(device.index());
      npu_loaded = true;
    }
    at::empty({1}, at::TensorOptions().dtype(at::kFloat).device(device));
  } catch (const c10::Error& error) {
    throw Error("the device cannot be used: " + std::string(error.what_without_backtrace()), "device " + name,
                "check that the machine has it and that its driver fits, or use --device cpu",
                Error::Kind::kEnvironment);
  }
  return device;
}

}  // namespace kg::policy
