#pragma once

#include "abi.h"

// What a kernel loads and stores through its own pointers, without a call of the API. No header of the kernel's calls these: a pass
// of the compiler (sandbox/compiler/pointer_accesses.cpp) puts them in the place of the instructions.

extern "C" {

// `pointer` as the kernel has it; `space`: 1 __gm__, 2 __ubuf__, 0: made from a number, either of them or the core's own memory.
void kgnpu_pointer_load(uint64_t pointer, int space, void* to, uint64_t bytes, int line);
void kgnpu_pointer_store(uint64_t pointer, int space, const void* from, uint64_t bytes, int line);
void kgnpu_pointer_copy(uint64_t to, uint64_t from, uint64_t bytes, int line);
void kgnpu_pointer_fill(uint64_t to, int value, uint64_t bytes, int line);

// kgnpu_local_pointer() where accesses through the pointer are seen.
uint64_t kgnpu_local_address(const kgnpu::Local* tensor);

}  // extern "C"
