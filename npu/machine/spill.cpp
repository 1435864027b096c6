// The SPM buffer: a part of GM in which a core keeps what does not fit into UB.

#include <string>

#include "npu/machine/core.h"

using namespace kg::npu;

extern "C" {

void kgnpu_spill_init(uint64_t gm, int64_t bytes, int line) {
  Core& self = core_at(line);
  self.special.spill_at = gm;
  self.special.spill_bytes = bytes;
}

uint64_t kgnpu_spill_at(const char* call, int64_t offset, int64_t bytes, int line) {
  Core& self = core_at(line);
  const SpecialState& state = self.special;
  if (state.spill_at == 0) self.fail(FaultClass::kGm, call, " without an SPM buffer; call InitSpmBuffer first");
  if (offset < 0 || bytes > state.spill_bytes - offset)
    self.error(FaultClass::kGm, call, ": bytes ", offset, " to ", offset + bytes, " of an SPM buffer that has ",
               state.spill_bytes, "; give InitSpmBuffer a larger size");
  return state.spill_at + static_cast<uint64_t>(offset);
}

}  // extern "C"
