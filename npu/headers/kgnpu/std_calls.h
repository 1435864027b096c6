#pragma once

#include <initializer_list>

// Functions that a kernel must not call although the compiler could compile them. Constexpr standard functions count as
// functions of both sides, but the device has no algorithms of the standard library. An overload for the device,
// preferred because of its enable_if, is an error if such a call remains in the code (the library's own headers also
// call it, in functions that a kernel never uses). The same goes for the heap.

#ifdef __CUDA__
namespace std {

#define KG_NOT_ON_DEVICE(name)     \
  __attribute__((                  \
      device, enable_if(true, ""), \
      error("the device has no std::" name "; write a ? b : c, or a function of your own with __aicore__")))
template <typename T>
KG_NOT_ON_DEVICE("min")
const T& min(const T&, const T&);
template <typename T, typename Compare>
KG_NOT_ON_DEVICE("min")
const T& min(const T&, const T&, Compare);
template <typename T>
KG_NOT_ON_DEVICE("min")
T min(initializer_list<T>);
template <typename T>
KG_NOT_ON_DEVICE("max")
const T& max(const T&, const T&);
template <typename T, typename Compare>
KG_NOT_ON_DEVICE("max")
const T& max(const T&, const T&, Compare);
template <typename T>
KG_NOT_ON_DEVICE("max")
T max(initializer_list<T>);
template <typename T>
KG_NOT_ON_DEVICE("clamp")
const T& clamp(const T&, const T&, const T&);
#undef KG_NOT_ON_DEVICE

}  // namespace std

#define KG_NO_HEAP __attribute__((device, unavailable("the device has no heap; use a local array, TBuf or TQue")))
KG_NO_HEAP void* operator new(__SIZE_TYPE__);
KG_NO_HEAP void* operator new[](__SIZE_TYPE__);
KG_NO_HEAP void operator delete(void*) noexcept;
KG_NO_HEAP void operator delete[](void*) noexcept;
#undef KG_NO_HEAP
#endif
