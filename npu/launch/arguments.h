#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/machine/global_memory.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// The meaning of a kernel's parameters: inputs, then outputs, in the case's order. A dynamic list is one parameter, the
// address of its descriptor; an absent input is a null pointer; an output in place is its input's memory.
struct Arguments {
  std::vector<std::uint64_t> values;
  std::vector<GlobalMemory::Allocation*> outputs;  // one for each output of the case, null if it is absent
  std::vector<GlobalMemory::Allocation*> inputs;   // likewise; an input whose memory an output shares is that output
};

// Allocates and fills them. Throws Error if the case contradicts itself (an output in place of a missing input).
Arguments make_arguments(GlobalMemory& memory, const proto::RunCase& run_case);

// The addresses of parameters after the outputs that no host side has described. The workspace begins
// with the system's part, as if a host side had requested both; `bytes` is the user's part, 0: a default.
std::uint64_t add_workspace(GlobalMemory& memory, std::uint64_t bytes, std::uint8_t poison);
std::uint64_t add_empty_tiling(GlobalMemory& memory);

// The descriptor of a dynamic list in global memory (docs/design/emulated-npu.md): byte offset of the
// addresses; for each tensor its rank and index, 4 bytes each, and its extents, 8 bytes each; then the addresses.
std::string list_descriptor(const std::vector<std::vector<std::int64_t>>& shapes,
                            const std::vector<std::uint64_t>& addresses);

}  // namespace kg::npu
