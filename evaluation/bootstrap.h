#pragma once

#include <cstdint>
#include <vector>

namespace kg::evaluation {

// What is drawn as a whole: the sum of its tasks' values, and how many there are.
struct Cluster {
  double sum = 0, count = 0;
};

// Means over tasks of 10,000 resamples: as many clusters as there are, drawn with replacement.
std::vector<double> resampled_means(const std::vector<Cluster>& clusters, std::uint64_t seed);

}  // namespace kg::evaluation
