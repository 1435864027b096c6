#pragma once

#include "kgnpu/abi_launch.h"
#include "kgnpu/names.h"

// Host functions that launch a kernel themselves: `kernel<<<blocks, l2ctrl, stream>>>(arguments)`, which the toolchain
// turns into launch_as<kernel>(blocks, l2ctrl, stream)(arguments). Such a source is compiled twice: like any kernel,
// which gives the device's code with an entry for each launched kernel; and as plain C++, for its host
// function.

using aclrtStream = void*;
using aclError = int32_t;

namespace kgnpu {

// A copy of the arguments, by value as on the device.
template <typename... P>
struct Values {
  template <auto kernel, typename... Done>
  __aicore__ void apply(Done... done) const {
    kernel(done...);
  }
};
template <typename First, typename... Rest>
struct Values<First, Rest...> : Values<Rest...> {
  First value;
  template <typename A, typename... More>
  explicit Values(A first, More... more) : Values<Rest...>(more...), value((First)first) {}
  template <auto kernel, typename... Done>
  __aicore__ void apply(Done... done) const {
    Values<Rest...>::template apply<kernel>(done..., value);
  }
};

template <auto kernel>
struct Launched;
template <typename... P, void (*kernel)(P...)>
struct Launched<kernel> {
  using Arguments = Values<P...>;
  static constexpr uint32_t parameters = sizeof...(P);
  static_assert((std::is_trivially_copyable_v<P> && ...), "<<<>>>: a kernel's parameters are copied byte by byte");
  __aicore__ static void call(const void* arguments) {
    static_cast<const Arguments*>(arguments)->template apply<kernel>();
  }
  __aicore__ __attribute__((used, section("kgnpu_launches"))) static inline const LaunchedKernel entry = {
      &call, sizeof(Arguments)};
};

template <auto kernel>
struct BoundLaunch {
  uint32_t block_dim;

  template <typename... A>
  void operator()(A... arguments) const {
    static_assert(sizeof...(A) == Launched<kernel>::parameters, "<<<>>>: the kernel takes another number of arguments");
    const typename Launched<kernel>::Arguments values(arguments...);
    kgnpu_launch(&Launched<kernel>::entry, block_dim, &values);
  }
};

template <auto kernel, typename Control, typename Stream>
inline BoundLaunch<kernel> launch_as(uint32_t block_dim, Control, Stream) {
  return {block_dim};
}

// Parameters of a host function, by their types: a number before the first data address is the block dimension, void
// pointers before it are control and stream, unless the source's text tells which ones are; numbers after it are the
// task's attributes, in order. A structure takes as many of them as it has numbers.
template <typename P>
constexpr bool is_data_pointer = std::is_pointer_v<P> && !std::is_void_v<std::remove_pointer_t<P>>;

// Stands for any number in the list that initialises a structure.
struct AnyNumber {
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
  operator T() const;
};
struct AnyMember {
  template <typename T>
  operator T() const;
};
constexpr uint32_t kMostNumbers = 256;  // in a structure
template <typename T, typename = void, typename... N>
struct TakesNumbers : std::false_type {};
template <typename T, typename... N>
struct TakesNumbers<T, std::void_t<decltype(T{std::declval<N>()...})>, N...> : std::true_type {};
// 0: T has a member that is no number.
template <typename T, typename... N>
constexpr uint32_t numbers_of() {
  if constexpr (sizeof...(N) < kMostNumbers && TakesNumbers<T, void, N..., AnyNumber>::value)
    return numbers_of<T, N..., AnyNumber>();
  else
    return TakesNumbers<T, void, N..., AnyMember>::value ? 0 : sizeof...(N);
}

template <typename I, I... i>
struct Counted {};

template <typename... P>
struct HostCall {
  static constexpr uint32_t total = sizeof...(P);
  static constexpr bool typed = (is_data_pointer<P> || ...);
  static constexpr uint32_t pointers = (0u + ... + (std::is_pointer_v<P> ? 1u : 0u));

  const HostArguments& given;
  const uint64_t streams;  // bits of parameters; 0: their types tell
  uint32_t address = 0, number = 0, pointer = 0;

  struct NextNumber {
    HostCall* call;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
    operator T() const {
      return call->next_number<T>();
    }
  };
  template <typename T>
  T next_number() {
    return number < given.number_count ? (T)given.numbers[number++] : (++number, T());
  }
  template <typename T, uint32_t... i>
  T next_structure(Counted<uint32_t, i...>) {
    return T{((void)i, NextNumber{this})...};
  }
  // If every pointer is void* and the text does not tell, the last ones are the data.
  template <typename T>
  bool is_data(uint32_t parameter) const {
    const uint64_t later = parameter < 64 ? streams >> parameter : 0;
    if (later & 1) return false;
    if (is_data_pointer<T> || address > 0) return true;
    if (streams != 0) return !typed || later == 0;
    return !typed && pointers - pointer <= given.address_count;
  }
  template <typename T>
  T next(uint32_t parameter) {
    if constexpr (std::is_pointer_v<T>) {
      const bool data = is_data<T>(parameter);
      ++pointer;
      if (!data) return nullptr;
      return address < given.address_count ? (T)given.addresses[address++] : (++address, nullptr);
    } else if constexpr (std::is_aggregate_v<T> && numbers_of<T>() > 0) {
      return next_structure<T>(__make_integer_seq<Counted, uint32_t, numbers_of<T>()>());
    } else {
      static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>,
                    "a host function that launches a kernel takes addresses, numbers and structures of numbers here");
      return address == 0 ? (T)given.block_dim : next_number<T>();
    }
  }
  template <typename F, typename... Done>
  void call(F* function, Done... done) {
    if constexpr (sizeof...(Done) == total)
      function(done...);
    else
      call(function, done..., next<typename Nth<sizeof...(Done), P...>::type>(sizeof...(Done)));
  }
  template <uint32_t n, typename First, typename... Rest>
  struct Nth : Nth<n - 1, Rest...> {};
  template <typename First, typename... Rest>
  struct Nth<0, First, Rest...> {
    using type = First;
  };
};

template <typename R, typename... P>
inline void call_host(R (*function)(P...), const HostArguments& arguments, uint64_t streams) {
  HostCall<P...> call{arguments, streams};
  call.call(function);
  kgnpu_host_arguments_used(call.address, call.number);
}

}  // namespace kgnpu

#define KG_HOST_ENTRY_POINT(name, streams)                                                          \
  extern "C" __attribute__((visibility("default"))) void kgnpu_host_entry(const void* arguments) {  \
    ::kgnpu::call_host(&::name, *static_cast<const ::kgnpu::HostArguments*>(arguments), (streams)); \
  }

// In front of the source; kHasCubeHalf.
#define KG_DIRECT_LAUNCHES \
  extern "C" __attribute__((used, visibility("default"))) __aicore__ const int32_t kgnpu_has_cube_half = KG_CUBE_HALF;

// The toolchain's replacement for <<<>>>; a source cannot use these names itself.
#define KG_LAUNCH ::kgnpu::launch_as
