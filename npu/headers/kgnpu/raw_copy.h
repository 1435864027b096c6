#pragma once

#include "kgnpu/raw_reduce.h"

// Raw copies between GM and UB. Lengths and gaps in units of 32 bytes; in the _align_ forms in bytes on the GM
// side.

namespace kgnpu {

inline CopyCall raw_copy(const char* name, const Local* local, uint64_t gm, uint16_t bursts, int64_t bytes, int line) {
  CopyCall call;
  call.name = name;
  call.gm = gm;
  call.local = local;
  call.blocks = bursts;
  call.block_bytes = bytes;
  call.line = line;
  return call;
}
template <typename T>
inline void raw_align_in(const char* name, __ubuf__ void* dst, __gm__ void* src, uint16_t bursts, uint32_t bytes,
                         uint8_t left, uint8_t right, uint32_t gm_gap, uint32_t ub_gap, int line) {
  const RawLocal to(dst, name, line);
  CopyCall call = raw_copy(name, &to.local, (uint64_t)src, bursts, bytes, line);
  call.gm_gap = gm_gap;
  call.local_gap = static_cast<int64_t>(ub_gap) * 32;
  call.pad = 1;
  call.explicit_pad = left != 0 || right != 0;
  call.element_bytes = sizeof(T);
  call.left_bytes = left * static_cast<int32_t>(sizeof(T));
  call.right_bytes = right * static_cast<int32_t>(sizeof(T));
  call.pad_value = kgnpu_pad_value();
  kgnpu_copy_in(&call);
}
template <typename T>
inline void raw_align_out(const char* name, __gm__ void* dst, __ubuf__ void* src, uint16_t bursts, uint32_t bytes,
                          uint32_t ub_gap, uint32_t gm_gap, int line) {
  const RawLocal from(src, name, line);
  CopyCall call = raw_copy(name, &from.local, (uint64_t)dst, bursts, bytes, line);
  call.gm_gap = gm_gap;
  call.local_gap = static_cast<int64_t>(ub_gap) * 32;
  call.pad = 1;
  call.element_bytes = sizeof(T);
  kgnpu_copy_out(&call);
}

}  // namespace kgnpu

inline void copy_gm_to_ubuf(__ubuf__ void* dst, __gm__ void* src, uint8_t, uint16_t nBurst, uint16_t lenBurst,
                            uint16_t srcGap, uint16_t dstGap, KG_WHERE) {
  const ::kgnpu::RawLocal to(dst, "copy_gm_to_ubuf", kg_where.line);
  auto call =
      ::kgnpu::raw_copy("copy_gm_to_ubuf", &to.local, (uint64_t)src, nBurst, int64_t{lenBurst} * 32, kg_where.line);
  call.gm_gap = srcGap * 32;
  call.local_gap = dstGap * 32;
  kgnpu_copy_in(&call);
}
inline void copy_ubuf_to_gm(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t nBurst, uint16_t lenBurst,
                            uint16_t srcGap, uint16_t dstGap, KG_WHERE) {
  const ::kgnpu::RawLocal from(src, "copy_ubuf_to_gm", kg_where.line);
  auto call =
      ::kgnpu::raw_copy("copy_ubuf_to_gm", &from.local, (uint64_t)dst, nBurst, int64_t{lenBurst} * 32, kg_where.line);
  call.gm_gap = dstGap * 32;
  call.local_gap = srcGap * 32;
  kgnpu_copy_out(&call);
}
inline void copy_ubuf_to_ubuf(__ubuf__ void* dst, __ubuf__ void* src, uint8_t, uint16_t nBurst, uint16_t lenBurst,
                              uint16_t srcGap, uint16_t dstGap, KG_WHERE) {
  const ::kgnpu::RawLocal to(dst, "copy_ubuf_to_ubuf", kg_where.line), from(src, "copy_ubuf_to_ubuf", kg_where.line);
  auto call = ::kgnpu::raw_copy("copy_ubuf_to_ubuf", &to.local, 0, nBurst, int64_t{lenBurst} * 32, kg_where.line);
  call.local_from = &from.local;
  call.from_gap = srcGap * 32;
  call.local_gap = dstGap * 32;
  kgnpu_copy_local(&call);
}
#define KG_RAW_ALIGN(bits, T)                                                                                      \
  inline void copy_gm_to_ubuf_align_b##bits(__ubuf__ void* dst, __gm__ void* src, uint8_t, uint16_t nBurst,        \
                                            uint32_t lenBurst, uint8_t leftPaddingNum, uint8_t rightPaddingNum,    \
                                            uint32_t srcGap, uint32_t dstGap, KG_WHERE) {                          \
    ::kgnpu::raw_align_in<T>("copy_gm_to_ubuf_align_b" #bits, dst, src, nBurst, lenBurst, leftPaddingNum,          \
                             rightPaddingNum, srcGap, dstGap, kg_where.line);                                      \
  }                                                                                                                \
  inline void copy_ubuf_to_gm_align_b##bits(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t nBurst,        \
                                            uint32_t lenBurst, uint8_t, uint8_t, uint32_t srcGap, uint32_t dstGap, \
                                            KG_WHERE) {                                                            \
    ::kgnpu::raw_align_out<T>("copy_ubuf_to_gm_align_b" #bits, dst, src, nBurst, lenBurst, srcGap, dstGap,         \
                              kg_where.line);                                                                      \
  }
KG_RAW_ALIGN(8, uint8_t)
KG_RAW_ALIGN(16, uint16_t)
KG_RAW_ALIGN(32, uint32_t)
#undef KG_RAW_ALIGN
inline void set_mov_pad_val(uint64_t value) { kgnpu_set_pad_value(value); }

enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
inline void dcci(__gm__ void* address, uint64_t entire, KG_WHERE) {
  kgnpu_clean_cache((uint64_t)address, entire != 0, kg_where.line);
}
inline void dcci(__gm__ void* address, uint64_t entire, uint64_t, KG_WHERE) {
  kgnpu_clean_cache((uint64_t)address, entire != 0, kg_where.line);
}
