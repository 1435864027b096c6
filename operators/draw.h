#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "proto/task.pb.h"

namespace kg::operators {

// The elements of a tensor, drawn one after the other from a distribution.
//
// UNEVEN numbers are all in [low, high), but no part of a tensor predicts the rest. The tensor consists of
// runs of random length; each run has its own magnitude and centre, and so has the whole tensor. Single numbers from
// the whole range are scattered in between. A mean, maximum or norm of such a tensor differs from seed to seed, and
// a sample of its elements does not reveal it.
std::vector<double> draw(Philox& random, const proto::Distribution& distribution, std::size_t count);

}  // namespace kg::operators
