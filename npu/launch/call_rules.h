#pragma once

#include <algorithm>
#include <cstdint>

#include "npu/headers/kgnpu/abi.h"
#include "npu/headers/kgnpu/abi_pool.h"
#include "npu/headers/kgnpu/abi_special.h"
#include "npu/launch/call_structures.h"
#include "npu/machine/pipes.h"

// Requirements for a call's arguments beyond their types, for calls that no published header would make.

namespace kg::npu {

// Offsets of elements: 32-bit numbers of elements.
inline bool is_offset(std::int64_t bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return bytes >= -kMost && bytes <= kMost;
}

// A function that requires only that its objects exist.
template <auto function>
struct Rule {
  static constexpr bool kMayBeAbsent = false;
  static bool holds(const auto&...) { return true; }
};
struct Needed {
  static constexpr bool kMayBeAbsent = false;
};
struct MayBeAbsent {
  static constexpr bool kMayBeAbsent = true;
};

template <>
struct Rule<&kgnpu_local_load> : Needed {
  static bool holds(const kgnpu::Local*, std::int64_t offset, int bytes, int) {
    return is_width(bytes) && is_offset(offset);
  }
};
template <>
struct Rule<&kgnpu_local_store> : Needed {
  static bool holds(const kgnpu::Local*, std::int64_t offset, int bytes, std::uint64_t, int) {
    return is_width(bytes) && is_offset(offset);
  }
};
template <>
struct Rule<&kgnpu_global_load> : Needed {
  static bool holds(std::uint64_t, int bytes, int) { return is_width(bytes); }
};
template <>
struct Rule<&kgnpu_global_store> : Needed {
  static bool holds(std::uint64_t, int bytes, std::uint64_t, int) { return is_width(bytes); }
};
template <>
struct Rule<&kgnpu_fill_global> : Needed {
  static bool holds(const char*, std::uint64_t, std::uint64_t count, int bytes, std::uint64_t, int) {
    return is_width(bytes) && count <= std::uint64_t{1} << 48;
  }
};
template <>
struct Rule<&kgnpu_buffer_get> : Needed {
  static bool holds(const kgnpu::Handle*, kgnpu::Local*, std::int64_t offset, std::int64_t bytes, int) {
    return is_offset(offset) && is_offset(bytes);
  }
};
template <>
struct Rule<&kgnpu_copy_local> : Needed {
  static bool holds(const kgnpu::CopyCall* call) { return call->local_from != nullptr; }
};
template <>
struct Rule<&kgnpu_atomic> : Needed {
  static bool holds(int mode, int type) {
    return mode >= 0 && mode <= 3 && type >= 0 && is_known(static_cast<kgnpu::Type>(type));
  }
};
template <>
struct Rule<&kgnpu_group_arrive> : Needed {
  static bool holds(std::uint64_t, std::uint32_t index, std::uint32_t own, std::uint32_t others, int) {
    return std::max({index, own, others}) < 4096;
  }
};
template <>
struct Rule<&kgnpu_group_wait> : Rule<&kgnpu_group_arrive> {};
template <>
struct Rule<&kgnpu_spill_init> : Needed {
  static bool holds(std::uint64_t, std::int64_t bytes, int) { return is_offset(bytes); }
};
template <>
struct Rule<&kgnpu_spill_at> : Needed {
  static bool holds(const char*, std::int64_t offset, std::int64_t bytes, int) {
    return is_offset(offset) && is_offset(bytes);
  }
};
template <>
struct Rule<&kgnpu_narrowed> : Needed {
  static bool holds(const char*, std::int64_t, int bits, int) { return bits == 8 || bits == 16; }
};
template <>
struct Rule<&kgnpu_reduce_result> : Needed {
  static bool holds(int index) { return index >= 0 && index < 3; }
};
template <>
struct Rule<&kgnpu_memory_at> : Needed {
  static bool holds(int position, std::uint32_t, std::uint32_t, const kgnpu::Local*, int) {
    return position > kgnpu::position::kGm && position <= kgnpu::position::kC2Pipe2Gm;
  }
};
template <>
struct Rule<&kgnpu_matrix_at> : Needed {
  static bool holds(int position, std::uint64_t, const kgnpu::Local*, const char*, int) {
    return position > kgnpu::position::kGm && position <= kgnpu::position::kC2Pipe2Gm;
  }
};
template <>
struct Rule<&kgnpu_event_fetch> : Needed {
  static bool holds(int from, int to) { return is_pipe(from) && is_pipe(to); }
};
template <>
struct Rule<&kgnpu_event_alloc> : Needed {
  static bool holds(int from, int to, int) { return is_pipe(from) && is_pipe(to); }
};
template <>
struct Rule<&kgnpu_event_release> : Needed {
  static bool holds(int from, int to, int, int) { return is_pipe(from) && is_pipe(to); }
};
// The second source of an operation with two sources.
template <>
struct Rule<&kgnpu_vector_first> : MayBeAbsent {
  static bool holds(std::uint32_t op_and_type, const kgnpu::Local* dst, const kgnpu::Local* a, const kgnpu::Local* b,
                    std::uint64_t, std::int32_t, int) {
    return dst != nullptr && (a != nullptr || b == nullptr) &&
           op_and_type >> 16 < static_cast<std::uint32_t>(kgnpu::Op::kCount) &&
           is_known(static_cast<kgnpu::Type>(op_and_type >> 8 & 0xFF)) &&
           is_known(static_cast<kgnpu::Type>(op_and_type & 0xFF));
  }
};
template <>
struct Rule<&kgnpu_library> : MayBeAbsent {  // also the temporary space
  static bool holds(std::uint32_t op_and_type, const kgnpu::Local* dst, const kgnpu::Local* a, const kgnpu::Local* b,
                    const kgnpu::Local*, std::uint64_t scalar, std::int32_t count, int line) {
    return Rule<&kgnpu_vector_first>::holds(op_and_type, dst, a, b, scalar, count, line);
  }
};
template <>
struct Rule<&kgnpu_pool_open> : MayBeAbsent {  // the pool that it is part of, or whose place it shares
  static bool holds(const kgnpu::BufPool* pool, const kgnpu::BufPool*, const kgnpu::BufPool*, std::uint32_t, int) {
    return pool != nullptr;
  }
};

}  // namespace kg::npu
