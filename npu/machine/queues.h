#pragma once

#include "npu/machine/core.h"

namespace kg::npu {

// Gives the queue or TBuf of `handle` its buffers, one after the other from `address` on; `bytes` are a multiple
// of 32.
void add_buffers(Core& core, kgnpu::Handle& handle, const kgnpu::QueueSpec& spec, std::int64_t address,
                 std::uint32_t number, std::int64_t bytes);

// Event ids of HardEvent `from`_`to` that are taken: by AllocEventID, by tensors between EnQue and DeQue, and by those
// that FreeTensor gave back and AllocTensor has not given out again. The vendor's page on failures of FreeTensor (0107)
// shows that it takes one.
int event_ids_taken(const Core& core, int from, int to);

// Ends the kernel if this many more buffers are too many, or if a number or a size is invalid.
void check_buffers(Core& core, const char* call, std::uint32_t number, std::uint32_t bytes);

}  // namespace kg::npu
