#pragma once

#include "ascendc_bodies.h"

namespace kg::npu::testing {

const std::vector<Body>& wrong_queues();
const std::vector<Body>& wrong_buffers();
const std::vector<Body>& wrong_memory();
const std::vector<Body>& wrong_order();
const std::vector<Body>& wrong_global();
const std::vector<Body>& wrong_caches();
const std::vector<Body>& wrong_others();  // argument, trap, assert, limit
const std::vector<Body>& wrong_cubes();   // the same classes on cube cores
const std::vector<Body>& wrong_mixed();   // flags and global memory between cube and vector cores

}  // namespace kg::npu::testing
