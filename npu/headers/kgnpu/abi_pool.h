#pragma once

#include "abi.h"

// TBufPool: a stretch of a memory that is given out and taken back as a whole. Its state is the kernel's object.

namespace kgnpu {

struct BufPool {
  int32_t address = 0, bytes = 0, used = 0;
  uint8_t position = 0;  // TPosition
  uint8_t limit = 0;     // buffers that it may give out
  uint8_t buffers = 0;   // that it gave out
  bool is_open = false;
};

}  // namespace kgnpu

extern "C" {
// From `parent`, or from TPipe's memory if null; at the place of `shared` if not null.
void kgnpu_pool_open(kgnpu::BufPool* pool, kgnpu::BufPool* parent, const kgnpu::BufPool* shared, uint32_t bytes,
                     int line);
void kgnpu_pool_buffer(kgnpu::BufPool* pool, kgnpu::Handle* handle, const kgnpu::QueueSpec* spec, uint32_t number,
                       uint32_t bytes, int line);
void kgnpu_pool_reset(kgnpu::BufPool* pool, int line);
}
