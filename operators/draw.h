#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "proto/task.pb.h"

namespace kg::operators {

// The elements of a tensor from a distribution, one after the other.
//
// UNEVEN numbers all lie in [low, high), but no part of a tensor tells what the rest is like. The tensor consists of
// runs of random length; each run has a magnitude and a centre of its own, and so has the tensor as a whole. Among them
// are single numbers from the whole range. A mean, a maximum or a norm of such a tensor differs from seed to seed, and
// a sample of its elements does not say what it is.
std::vector<double> draw(Philox& random, const proto::Distribution& distribution, std::size_t count);

}  // namespace kg::operators
