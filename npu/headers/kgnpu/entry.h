#pragma once

#include "kgnpu/names.h"

// Makes the launcher exported by the epilogue from the type of the kernel function.

namespace kgnpu {

// Networks have kernels of several hundred parameters: no fold expression and no recursion, which end at 256 and 1024.
template <typename T, T... index>
struct Places {};

template <typename F, uint32_t... index>
inline void call_kernel(F* kernel, const uint64_t* arguments, Places<uint32_t, index...>) {
  kernel((GM_ADDR)arguments[index]...);
}

// clang 14 has no register left for some numbers of parameters that do not fit 2 KiB of stack, unless it optimises
// nothing.
template <typename F, uint32_t... index>
__attribute__((noinline, optnone)) void call_large_kernel(F* kernel, const uint64_t* arguments,
                                                          Places<uint32_t, index...>) {
  kernel((GM_ADDR)arguments[index]...);
}

template <typename>
using Address = GM_ADDR;

template <auto kernel>
struct Launcher {
  template <typename... P>
  static constexpr uint32_t count(void (*)(P...)) {
    static_assert(std::is_same_v<void (*)(P...), void (*)(Address<P>...)>,
                  "the parameters of a __global__ kernel are GM_ADDR here: inputs, outputs, then workspace and tiling");
    return sizeof...(P);
  }
  static constexpr uint32_t parameters = count(kernel);
  static void call(const uint64_t* arguments) {
    constexpr uint32_t kLarge = 256;
    const __make_integer_seq<Places, uint32_t, parameters> places;
    if constexpr (parameters > kLarge)
      call_large_kernel(kernel, arguments, places);
    else
      call_kernel(kernel, arguments, places);
  }
};

}  // namespace kgnpu

// Set by the linker if tiling.h and KERNEL_TASK_TYPE have put something into the sections.
extern "C" __attribute__((weak, visibility("hidden"))) __aicore__ void __start_kgnpu_keys();
extern "C" __attribute__((weak, visibility("hidden"))) __aicore__ void __stop_kgnpu_keys();
extern "C" __attribute__((weak, visibility("hidden"))) __aicore__ void __start_kgnpu_tasks();
extern "C" __attribute__((weak, visibility("hidden"))) __aicore__ void __stop_kgnpu_tasks();

// The content of a source's epilogue: exports the launcher of its entry point. KG_CUBE_HALF comes from the prologue.
// A template's arguments follow its name.
#define KG_ENTRY_POINT(...)                                                                         \
  extern "C" __attribute__((visibility("default"))) __aicore__ const ::kgnpu::Entry kgnpu_entry = { \
      ::kgnpu::Launcher<&::__VA_ARGS__>::parameters,                                                \
      &::kgnpu::Launcher<&::__VA_ARGS__>::call,                                                     \
      __start_kgnpu_keys,                                                                           \
      __stop_kgnpu_keys,                                                                            \
      __start_kgnpu_tasks,                                                                          \
      __stop_kgnpu_tasks,                                                                           \
      KG_CUBE_HALF};

// After the entry point of a template whose selection gives its kernel type, which goes before all others.
#define KG_TEMPLATE_TASK(type) KG_TASK_TYPE(0, ::kgnpu::kOfTemplate, type);

// After the entry point of a template: it was compiled for this tiling key.
#define KG_TEMPLATE_KEY                                              \
  __attribute__((used)) static __aicore__ bool kg_template_key() {   \
    return ::kgnpu::tiling_key_is<TILING_KEY_VAR, TILING_KEY_VAR>(); \
  }
