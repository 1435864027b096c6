#pragma once

#include "abi.h"

// What a kernel loads and stores through its own pointers, without a call of the API. No header of the kernel's calls
// these: a pass of the compiler (sandbox/compiler/pointer_accesses.cpp) puts them in the place of the instructions.

extern "C" {

// `pointer` as the kernel has it; `space`: 1 __gm__, 2 __ubuf__, 0: either of them, or memory of the core's own.
void kgnpu_pointer_load(uint64_t pointer, int space, void* to, uint64_t bytes, int line);
void kgnpu_pointer_store(uint64_t pointer, int space, const void* from, uint64_t bytes, int line);
void kgnpu_pointer_copy(uint64_t to, uint64_t from, uint64_t bytes, int line);
void kgnpu_pointer_fill(uint64_t to, int value, uint64_t bytes, int line);

// Ends the kernel: an access at `offset` of a variable of `bytes`.
void kgnpu_beyond_variable(uint64_t offset, uint64_t bytes, int line);
// What a call of the runtime is handed by address: it must be the kernel's own, and one of its variables if it may be
// filled.
void kgnpu_check_object(uint64_t address, uint64_t bytes, int filled, int line);
// Ends the kernel: a call through a pointer that leads to no function whose address the kernel takes.
void kgnpu_call_nowhere(int line);
// Where the stack of the variables begins whose addresses the running core takes, and its bytes; 0, 0 outside a kernel.
extern uint64_t kgnpu_own_stack[2];

// Instructions of the scalar unit that the kernel's own text took since the last call of the runtime
// (sandbox/compiler/scalar_work.h).
extern uint64_t kgnpu_scalar_work;

// kgnpu_local_pointer() where accesses through the pointer are seen.
uint64_t kgnpu_local_address(const kgnpu::Local* tensor);

}  // extern "C"
