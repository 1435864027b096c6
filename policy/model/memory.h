#pragma once

#include <cstddef>

namespace kg::policy {

// Programs that train free and ask for the same gigabytes each step. The C library gives large blocks back to the
// system and takes them anew page by page, or, told to keep them, searches its lists of them for a tenth of a step.
// Programs that link kg_policy have jemalloc's malloc instead, and those that call this function one that keeps what is
// freed until the call.

// Gives what is free back to the system if more than `bytes` of it are kept. Call between steps, with what is still
// affordable (batches of varying length leave holes that do not fit again). True if it gave something back.
bool release_freed_memory_beyond(std::size_t bytes);

}  // namespace kg::policy
