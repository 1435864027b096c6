#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/machine/global_memory.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// What a kernel's parameters stand for: inputs, then outputs, in the case's order. A dynamic list is one parameter, the
// address of its descriptor; an input that is not given is a null pointer; an output in place is its input's memory.
struct Arguments {
  std::vector<std::uint64_t> values;
  std::vector<GlobalMemory::Allocation*> outputs;  // one for each output of the case, null where it is absent
  std::vector<GlobalMemory::Allocation*> inputs;   // likewise; one that an output lies in place of is that output
};

// Allocates and fills. Throws Error where the case contradicts itself (an output in place of no input).
Arguments make_arguments(GlobalMemory& memory, const proto::RunCase& run_case);

// Parameters behind the outputs where no host side has said anything of them; their addresses. The workspace begins
// with the system's part, as where a host side has asked for both; `bytes` of the user's, 0: a default.
std::uint64_t add_workspace(GlobalMemory& memory, std::uint64_t bytes, std::uint8_t poison);
std::uint64_t add_empty_tiling(GlobalMemory& memory);

// The descriptor of a dynamic list as it lies in global memory (docs/design/emulated-npu.md): byte offset of the
// addresses; of each tensor its rank and index, 4 bytes each, and its extents, 8 bytes each; then the addresses.
std::string list_descriptor(const std::vector<std::vector<std::int64_t>>& shapes,
                            const std::vector<std::uint64_t>& addresses);

}  // namespace kg::npu
