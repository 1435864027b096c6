#pragma once

#include <optional>

#include "dsl/form.h"

namespace kg::dsl {

// A rough estimate of a core's cycles by the emulated NPU's cycle model (docs/design/emulated-npu.md, "Time"): the
// busiest pipe for all of the work, the others for one turn, and the waits of the scalar unit. Only for comparing tile
// sizes.
double estimated_cycles(const Form& form);

struct Estimate {
  double cycles;
  std::int64_t ub_bytes;
};

// Of a form whose tiles have no places yet; none: UB has no room for it.
std::optional<Estimate> estimate_placed(Form form);

// The best free tile sizes of each loop of the cube cores, by the same model; the default where none fits. False: there
// is no free size.
bool choose_gemm_sizes(const Checked& checked, TileSizes& sizes);

}  // namespace kg::dsl
