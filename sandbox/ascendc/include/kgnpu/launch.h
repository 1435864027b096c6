#pragma once

#include "kgnpu/abi_launch.h"
#include "kgnpu/names.h"

// Host functions that launch a kernel themselves. Such a source is compiled a second time as plain C++, with
// `kernel<<<blocks, l2ctrl, stream>>>(arguments)` turned into launch_as(kernel, blocks, l2ctrl, stream)(arguments).

namespace kgnpu {

// One launch: a copy of the arguments, by value as the device gets them, and how to call the kernel with them.
template <typename... P>
class BoundLaunch {
 public:
  BoundLaunch(void (*kernel)(P...), uint32_t block_dim) : kernel_(kernel), block_dim_(block_dim) {}

  template <typename... A>
  void operator()(A... arguments) const {
    static_assert(sizeof...(A) == sizeof...(P), "<<<>>>: the kernel takes another number of arguments");
    Values<P...> values(arguments...);
    values.kernel = kernel_;
    kgnpu_launch(block_dim_, &Values<P...>::call, &values, sizeof(values));
  }

 private:
  template <typename... Rest>
  struct Values {
    void (*kernel)(P...);
    template <typename... Done>
    void apply(Done... done) const {
      kernel(done...);
    }
    Values() = default;
    static void call(const void* self) { static_cast<const Values*>(self)->apply(); }
  };
  template <typename First, typename... Rest>
  struct Values<First, Rest...> : Values<Rest...> {
    First value;
    template <typename A, typename... More>
    explicit Values(A first, More... more) : Values<Rest...>(more...), value((First)first) {}
    template <typename... Done>
    void apply(Done... done) const {
      Values<Rest...>::apply(done..., value);
    }
    static void call(const void* self) { static_cast<const Values*>(self)->apply(); }
  };

  void (*kernel_)(P...);
  uint32_t block_dim_;
};

template <typename... P, typename Control, typename Stream>
inline BoundLaunch<P...> launch_as(void (*kernel)(P...), uint32_t block_dim, Control, Stream) {
  return BoundLaunch<P...>(kernel, block_dim);
}

// Parameters of a host function by their types: a number ahead of the first data address is the block dimension, void
// pointers ahead of it are control and stream; numbers behind it are the task's attributes, in order.
template <typename P>
constexpr bool is_data_pointer = std::is_pointer_v<P> && !std::is_void_v<std::remove_pointer_t<P>>;

template <typename... P>
struct HostCall {
  static constexpr uint32_t total = sizeof...(P);
  static constexpr bool typed = (is_data_pointer<P> || ...);
  static constexpr uint32_t pointers = (0u + ... + (std::is_pointer_v<P> ? 1u : 0u));

  const HostArguments& given;
  uint32_t address = 0, number = 0, pointer = 0;

  template <typename T>
  T next() {
    if constexpr (std::is_pointer_v<T>) {
      // Where every pointer is void*, the last ones are the data.
      const bool is_data = is_data_pointer<T> || address > 0 || (!typed && pointers - pointer <= given.address_count);
      ++pointer;
      if (!is_data) return nullptr;
      return address < given.address_count ? (T)given.addresses[address++] : (++address, nullptr);
    } else {
      static_assert(std::is_arithmetic_v<T>, "a host function that launches a kernel takes addresses and numbers here");
      if (address == 0) return (T)given.block_dim;
      return number < given.number_count ? (T)given.numbers[number++] : (++number, T());
    }
  }
  template <typename F, typename... Done>
  void call(F* function, Done... done) {
    if constexpr (sizeof...(Done) == total)
      function(done...);
    else
      call(function, done..., next<typename Nth<sizeof...(Done), P...>::type>());
  }
  template <uint32_t n, typename First, typename... Rest>
  struct Nth : Nth<n - 1, Rest...> {};
  template <typename First, typename... Rest>
  struct Nth<0, First, Rest...> {
    using type = First;
  };
};

template <typename R, typename... P>
inline void call_host(R (*function)(P...), const HostArguments& arguments) {
  HostCall<P...> call{arguments};
  call.call(function);
  kgnpu_host_arguments_used(call.address, call.number);
}

}  // namespace kgnpu

#define KG_HOST_ENTRY_POINT(name)                                                                  \
  extern "C" __attribute__((visibility("default"))) void kgnpu_host_entry(const void* arguments) { \
    ::kgnpu::call_host(&::name, *static_cast<const ::kgnpu::HostArguments*>(arguments));           \
  }

// What the toolchain writes where a source says <<<>>>; the names themselves are out of a source's reach.
#define KG_LAUNCH ::kgnpu::launch_as
