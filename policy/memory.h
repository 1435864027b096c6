#pragma once

#include <cstddef>

namespace kg::policy {

// Programs that train free and ask for the same gigabytes each step; the C library would give each large block back to
// the system when freed and take it anew, page by page (a tenth of a training step).

// Makes the C library keep freed blocks in the process. Call first thing in main.
void keep_freed_memory();

// The bound to that: gives everything free back to the system if more than `bytes` lie idle. Call between steps, with
// what is still affordable (batches of varying length leave holes that do not fit again). True if it gave something
// back.
bool release_freed_memory_beyond(std::size_t bytes);

}  // namespace kg::policy
