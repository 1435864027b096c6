#pragma once

#include "ascendc_bodies.h"

namespace kg::npu::testing {

// Correct kernels: everything that the programming model says is no fault, and the usual ways of writing.
const std::vector<Body>& right_bodies();          // vector cores: order, copies, vector calls, scalars
const std::vector<Body>& right_library_bodies();  // vector cores: sorting, gathering, softmax, norms, styles of writing
const std::vector<Body>& right_cube_bodies();     // cube cores by hand
const std::vector<Body>& right_mixed_bodies();    // cube and vector cores together, the Matmul object

}  // namespace kg::npu::testing
