#pragma once

#include "abi.h"

// TBufPool: a part of a memory that is given out and taken back as a whole. Its state is stored in the kernel's object.

namespace kgnpu {

struct BufPool {
  int32_t address = 0, bytes = 0, used = 0;
  uint8_t position = 0;  // TPosition
  uint8_t limit = 0;     // number of buffers it may give out
  uint8_t buffers = 0;   // number of buffers given out
  bool is_open = false;
};

}  // namespace kgnpu

extern "C" {
// From `parent`, or from TPipe's memory if null; in the place of `shared` if not null.
void kgnpu_pool_open(kgnpu::BufPool* pool, kgnpu::BufPool* parent, const kgnpu::BufPool* shared, uint32_t bytes,
                     int line);
void kgnpu_pool_buffer(kgnpu::BufPool* pool, kgnpu::Handle* handle, const kgnpu::QueueSpec* spec, uint32_t number,
                       uint32_t bytes, int line);
void kgnpu_pool_reset(kgnpu::BufPool* pool, int line);
}
