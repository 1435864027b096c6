#pragma once

#include "kgnpu/names.h"

namespace AscendC {

inline int64_t GetBlockIdx() { return kgnpu_block_index(); }
inline int64_t GetBlockNum() { return kgnpu_block_count(); }
inline int64_t GetSubBlockIdx() { return kgnpu_sub_block_index(); }
inline int64_t GetSubBlockNum() { return kgnpu_sub_block_count(); }
inline int64_t GetTaskRation() { return kgnpu_task_ratio(); }
inline int64_t GetTaskRatio() { return kgnpu_task_ratio(); }
inline int64_t GetSystemCycle() { return kgnpu_system_cycle(); }

constexpr uint32_t GetUBSizeInBytes() { return 192 * 1024; }
constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
// A core starts in the state that this call sets.
inline void InitSocState() {}
// Marks for measuring tools.
inline void PrintTimeStamp(uint32_t) {}
inline void MetricsProfStart() {}
inline void MetricsProfStop() {}
#define TRACE_START(mark) static_cast<void>(mark)
#define TRACE_STOP(mark) static_cast<void>(mark)

// Calls the function on one kind of core.
enum class EngineType : int32_t { AIC = 1, AIV = 2 };
template <EngineType engine, auto funPtr, class... Args>
inline void Async(Args... args) {
  if constexpr (static_cast<int32_t>(engine) == ::kg_core_kind<Args...>::value) funPtr(args...);
}

template <typename A, typename B>
struct IsSameType {
  static constexpr bool value = std::is_same_v<A, B>;
};

template <typename... Arguments>
inline void printf(const char* format, Arguments... arguments) {
  kgnpu_print(format, arguments...);
}
template <typename... Arguments>
inline void PRINTF(const char* format, Arguments... arguments) {
  kgnpu_print(format, arguments...);
}

namespace kg_detail {
// What ASSERT leaves. A minus comes before it, and changes neither it nor a value in front: with the official headers
// the macro leaves nothing, so it may follow an expression.
struct Asserted {};
inline void operator-(Asserted) {}
template <typename T>
inline T&& operator-(T&& value, Asserted) {
  return static_cast<T&&>(value);
}
inline Asserted asserted(bool holds, const char* expression, int line) {
  if (!holds) kgnpu_assert_failed(expression, line);
  return {};
}
inline void say() {}
template <typename... Arguments>
inline void say(const char* format, Arguments... arguments) {
  kgnpu_print(format, arguments...);
}
}  // namespace kg_detail

// A condition, then a format and its arguments if there is something to say.
#define ascendc_assert(condition, ...) \
  ((condition) ? (void)0 : (::AscendC::kg_detail::say(__VA_ARGS__), kgnpu_assert_failed(#condition, __builtin_LINE())))
#define assert ascendc_assert
#define ASSERT(...) -::AscendC::kg_detail::asserted(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __builtin_LINE())
// Of the CPU's debugging library: nothing on the device, whatever their arguments name.
#define ASCENDC_ASSERT(...)
#define KERNEL_LOG(...)
// Brings instructions to the cache.
#define PRELOAD(...)

}  // namespace AscendC

// The mark of C programs, which is off unless a build asks for it.
inline void asc_time_stamp(uint32_t) {}
