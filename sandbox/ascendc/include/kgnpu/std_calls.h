#pragma once

// Standard functions that are constexpr would be accepted as functions of both sides; the device has no algorithms of
// the standard library. A device function that is deleted is preferred to them and says so.

#ifdef __CUDA__
namespace std {

#define KG_NOT_ON_DEVICE(name)                                                                         \
  template <typename T, typename... Rest>                                                              \
  __attribute__((device)) constexpr const T& name(const T&, const T&, const Rest&...) = delete;        \
  template <typename T, typename... Rest>                                                              \
  __attribute__((device)) constexpr T name(initializer_list<T>, const Rest&...) = delete;
KG_NOT_ON_DEVICE(min)
KG_NOT_ON_DEVICE(max)
KG_NOT_ON_DEVICE(clamp)
#undef KG_NOT_ON_DEVICE

}  // namespace std
#endif
