#pragma once

#include "ascendc_bodies.h"

namespace kg::sandbox::ascendc::testing {

const std::vector<Body>& wrong_queues();
const std::vector<Body>& wrong_buffers();
const std::vector<Body>& wrong_memory();
const std::vector<Body>& wrong_order();
const std::vector<Body>& wrong_global();
const std::vector<Body>& wrong_caches();
const std::vector<Body>& wrong_others();

}  // namespace kg::sandbox::ascendc::testing
