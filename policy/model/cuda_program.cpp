#include "policy/model/cuda_program.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace kg::policy {
namespace {

constexpr const char* kHint =
    "add the folder with NVIDIA's CUDA 13 libraries (nvidia/cu13/lib of PyTorch's packages) to LD_LIBRARY_PATH, or "
    "use "
    "--device cpu";

// The code that precedes every program's text: elements as stored in memory, read and written as fp32.
constexpr const char* kTypes = R"cuda(
typedef long long i64;
struct bf16 { unsigned short bits; };

__device__ float widened(float x) { return x; }
__device__ float widened(bf16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }
__device__ void narrow(float x, float& y) { y = x; }
__device__ void narrow(float x, bf16& y) {  // to the nearest even number; NaN stays NaN
  const unsigned u = __float_as_uint(x);
  y.bits = x != x ? 0x7fc0 : static_cast<unsigned short>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
)cuda";

// By its name, or in the folder of cuBLAS, which LibTorch has loaded.
void* opened(const std::string& library) {
  if (void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
  const std::string said = ::dlerror();
  Dl_info info;
  const void* const neighbour = ::dlsym(RTLD_DEFAULT, "cublasCreate_v2");
  if (neighbour != nullptr && ::dladdr(neighbour, &info) != 0 && info.dli_fname != nullptr) {
    const fs::path file = fs::path(info.dli_fname).parent_path() / library;
    if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
  }
  throw Error("a library that kernels for CUDA need could not be loaded: " + said, "device cuda", kHint,
              Error::Kind::kEnvironment);
}

template <typename Function>
Function* symbol(void* library, const char* name) {
  void* found = ::dlsym(library, name);
  if (found == nullptr)
    throw Error(std::string("NVIDIA's library has no ") + name, "device cuda", kHint, Error::Kind::kEnvironment);
  return reinterpret_cast<Function*>(found);
}

// The part of the driver's interface that is used (CUDA Driver API 13); a result other than 0 is a failure.
struct Driver {
  void* library = opened("libcuda.so.1");
  int (*get_device)(int* device, int ordinal) = symbol<int(int*, int)>(library, "cuDeviceGet");
  int (*retain)(void** context, int device) = symbol<int(void**, int)>(library, "cuDevicePrimaryCtxRetain");
  int (*attribute)(int* value, int attribute, int device) = symbol<int(int*, int, int)>(library,
                                                                                        "cuDeviceGetAttribute");
  int (*current)(void** context) = symbol<int(void**)>(library, "cuCtxGetCurrent");
  int (*set_current)(void* context) = symbol<int(void*)>(library, "cuCtxSetCurrent");
  int (*load)(void** module, const void* image) = symbol<int(void**, const void*)>(library, "cuModuleLoadData");
  int (*function)(void** function, void* module,
                  const char* name) = symbol<int(void**, void*, const char*)>(library, "cuModuleGetFunction");
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void* stream,
                void** arguments, void** extra) =
      symbol<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)>(
          library, "cuLaunchKernel");
  int (*text)(int result, const char** text) = symbol<int(int, const char**)>(library, "cuGetErrorString");

  void check(int result, const std::string& what) const {
    if (result == 0) return;
    const char* said = nullptr;
    text(result, &said);
    throw Error(what + ": " + (said != nullptr ? said : "error " + std::to_string(result)), "device cuda",
                "check that the driver fits CUDA 13, or use --device cpu", Error::Kind::kEnvironment);
  }
};

const Driver& driver() {
  static const Driver loaded;
  return loaded;
}

// NVRTC looks for its other half only by name, and finds nothing if only its own folder is known.
void load_builtins(const void* of_nvrtc) {
  Dl_info info;
  if (::dladdr(of_nvrtc, &info) == 0 || info.dli_fname == nullptr) return;
  std::error_code none;
  for (const fs::directory_entry& file : fs::directory_iterator(fs::path(info.dli_fname).parent_path(), none))
    if (file.path().filename().string().starts_with("libnvrtc-builtins.so"))
      ::dlopen(file.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
}

// Machine code of `source` for cards of this architecture ("sm_90").
std::vector<char> compiled(const char* source, const std::string& architecture) {
  void* library = opened("libnvrtc.so.13");
  const auto create = symbol<int(void**, const char*, const char*, int, const char* const*, const char* const*)>(
      library, "nvrtcCreateProgram");
  load_builtins(reinterpret_cast<const void*>(create));
  void* program = nullptr;
  const std::string option = "--gpu-architecture=" + architecture;
  const char* options[] = {option.c_str(), "--std=c++17"};
  const std::string whole = std::string(kTypes) + source;
  const int made = create(&program, whole.c_str(), "kgtrain.cu", 0, nullptr, nullptr);
  const int result =
      made != 0 ? made
                : symbol<int(void*, int, const char* const*)>(library, "nvrtcCompileProgram")(program, 2, options);
  std::size_t size = 0;
  if (result != 0) {
    std::string log = "error " + std::to_string(result);
    if (program != nullptr &&
        symbol<int(void*, std::size_t*)>(library, "nvrtcGetProgramLogSize")(program, &size) == 0) {
      log.resize(size);
      symbol<int(void*, char*)>(library, "nvrtcGetProgramLog")(program, log.data());
    }
    throw Error("NVRTC did not compile the kernels for " + architecture + ": " + log, "device cuda", kHint,
                Error::Kind::kEnvironment);
  }
  symbol<int(void*, std::size_t*)>(library, "nvrtcGetCUBINSize")(program, &size);
  std::vector<char> code(size);
  symbol<int(void*, char*)>(library, "nvrtcGetCUBIN")(program, code.data());
  symbol<int(void**)>(library, "nvrtcDestroyProgram")(&program);
  return code;
}

// Makes a context current in this thread for as long as it lives.
class InContext {
 public:
  explicit InContext(void* context) {
    driver().check(driver().current(&before_), "the current context is not available");
    changed_ = before_ != context;
    if (changed_) driver().check(driver().set_current(context), "the card's context cannot be used");
  }
  ~InContext() {
    if (changed_ && before_ != nullptr) driver().set_current(before_);
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  void* before_ = nullptr;
  bool changed_ = false;
};

}  // namespace

CudaProgram::CudaProgram(const char* source, at::Device device) : device_(device) {
  constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
  int card = 0, major = 0, minor = 0;
  driver().check(driver().get_device(&card, device.index()), "there is no card " + std::to_string(device.index()));
  driver().check(driver().attribute(&major, kMajor, card), "the card does not report what it is");
  driver().check(driver().attribute(&minor, kMinor, card), "the card does not report what it is");
  driver().check(driver().retain(&context_, card), "the card's context is not available");
  const std::vector<char> code = compiled(source, "sm_" + std::to_string(major) + std::to_string(minor));
  const InContext in(context_);
  driver().check(driver().load(&module_, code.data()), "the driver does not take the kernels");
}

const CudaProgram& CudaProgram::of(const char* source, at::Device device) {
  static std::mutex making;
  static std::map<std::pair<const char*, c10::DeviceIndex>, std::unique_ptr<const CudaProgram>> made;
  const std::lock_guard lock(making);
  std::unique_ptr<const CudaProgram>& program = made[{source, device.index()}];
  if (program == nullptr) program = std::make_unique<const CudaProgram>(source, device);
  return *program;
}

void CudaProgram::launch_at(const std::string& kernel, const Grid& grid, void** arguments) const {
  if (grid.x == 0 || grid.y == 0) return;
  const c10::impl::VirtualGuardImpl guard(device_.type());
  void* stream = guard.getStream(device_).native_handle();
  const InContext in(context_);
  void* function = nullptr;
  driver().check(driver().function(&function, module_, kernel.c_str()), "there is no kernel " + kernel);
  driver().check(driver().launch(function, static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), 1,
                                 grid.threads, 1, 1, /*shared bytes=*/0, stream, arguments, nullptr),
                 "the kernel " + kernel + " could not be started");
}

}  // namespace kg::policy
