#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>

// Copy functions that check the size of the destination.

using errno_t = int;
#define EOK 0
#define KG_SECUREC_RANGE 34

inline errno_t memset_s(void* to, size_t capacity, int value, size_t count) {
  if (to == nullptr || count > capacity) return KG_SECUREC_RANGE;
  std::memset(to, value, count);
  return EOK;
}
inline errno_t memcpy_s(void* to, size_t capacity, const void* from, size_t count) {
  if (to == nullptr || from == nullptr || count > capacity) return KG_SECUREC_RANGE;
  std::memcpy(to, from, count);
  return EOK;
}
inline errno_t strcpy_s(char* to, size_t capacity, const char* from) {
  return from == nullptr ? KG_SECUREC_RANGE : memcpy_s(to, capacity, from, std::strlen(from) + 1);
}
template <typename... Values>
inline int sprintf_s(char* to, size_t capacity, const char* format, Values... values) {
  const int length = std::snprintf(to, capacity, format, values...);
  return length >= 0 && static_cast<size_t>(length) < capacity ? length : -1;
}
