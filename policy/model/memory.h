#pragma once

#include <cstddef>

namespace kg::policy {

// Training programs free and allocate the same gigabytes at each step. The C library returns large blocks to the
// system and gets them back page by page, or, if told to keep them, searches its lists of them for a tenth of a step.
// Programs that link kg_policy use jemalloc's malloc instead, and those that call this function one that keeps freed
// memory until the call.

// Returns free memory to the system if more than `bytes` of it are kept. Call it between steps, with what is still
// affordable (batches of varying length leave holes that cannot be reused). True if it returned something.
bool release_freed_memory_beyond(std::size_t bytes);

}  // namespace kg::policy
