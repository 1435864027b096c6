#pragma once

#include "kgnpu/names.h"

// The kernel's side of tiling data. For an operator project the toolchain writes, before the kernel, the
// structures that the host side registered, KG_TILING_STRUCT (the one for this tiling key) and TILING_KEY_VAR.

namespace kgnpu {

struct NoTilingDataWithoutAHostSide;  // used by GET_TILING_DATA where no operator project is judged

// A copy of the tiling data, with its extent checked.
template <typename T, typename Pointer>
inline void read_tiling(T* to, Pointer from, const char* type, int line) {
  // What follows the last member may be less than an alignment; without any padding it is nothing.
  constexpr uint32_t padding = __has_unique_object_representations(T) ? 0 : alignof(T) - 1;
  kgnpu_read_tiling(to, sizeof(T), (uint64_t)from, type, line, padding);
}
template <typename T, typename Pointer>
inline void read_whole_tiling(T* to, Pointer from, const char* type, int line) {
  read_tiling(to, from, type, line);
  kgnpu_whole_tiling(sizeof(T), (uint64_t)from, type, line);
}

// The tiling keys that a kernel knows, for the launch: all keys in TILING_KEY_IS are collected in one section.
template <uint64_t key>
struct KnownKey {
  __attribute__((used, section("kgnpu_keys"))) static inline const uint64_t number = key;
};

template <uint64_t key, uint64_t present>
inline bool tiling_key_is() {
  return KnownKey<key>::number == present;
}

}  // namespace kgnpu

#ifndef KG_TILING_STRUCT
#define KG_TILING_STRUCT ::kgnpu::NoTilingDataWithoutAHostSide
#endif
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR 0UL
#endif

#define __tiling_data_ptr__ __gm__
#define TILING_KEY_IS(key) (::kgnpu::tiling_key_is<(key), (TILING_KEY_VAR)>())
#define TILING_KEY_LIST(one, other) (TILING_KEY_IS(one) || TILING_KEY_IS(other))
#define GET_TILING_DATA_WITH_STRUCT(type, data, tiling) \
  type data;                                            \
  ::kgnpu::read_whole_tiling(&data, tiling, #type, __LINE__)
#define KG_GET_TILING_DATA(type, data, tiling) GET_TILING_DATA_WITH_STRUCT(type, data, tiling)
#define GET_TILING_DATA(data, tiling) KG_GET_TILING_DATA(KG_TILING_STRUCT, data, tiling)
#define GET_TILING_DATA_MEMBER(type, member, data, tiling)                                                      \
  decltype(type::member) data;                                                                                  \
  ::kgnpu::read_tiling(&data, (__gm__ uint8_t*)(tiling) + __builtin_offsetof(type, member), #type "::" #member, \
                       __LINE__)
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, data, tiling) \
  const __tiling_data_ptr__ type* data = (const __tiling_data_ptr__ type*)(tiling)
#define COPY_TILING_WITH_STRUCT(type, from, to) *(to) = *(const type*)(from)
#define COPY_TILING_WITH_ARRAY(type, count, from, to) \
  for (uint32_t kg_i = 0; kg_i < (count); ++kg_i) (to)[kg_i] = ((const type*)(from))[kg_i]
// Read by the toolchain, which then chooses KG_TILING_STRUCT; here they only need a type.
#define REGISTER_TILING_DEFAULT(...) static_assert(sizeof(__VA_ARGS__) > 0, "")
#define REGISTER_TILING_FOR_TILINGKEY(condition, ...) \
  static_assert(sizeof(condition) > 1 && sizeof(__VA_ARGS__) > 0, "")
