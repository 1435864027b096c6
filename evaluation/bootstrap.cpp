#include "evaluation/bootstrap.h"

#include "base/random.h"

namespace kg::evaluation {

std::vector<double> resampled_means(const std::vector<Cluster>& clusters, std::uint64_t seed) {
  constexpr std::size_t kResamples = 10000;
  Philox random(seed, /*stream=*/0);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    Cluster drawn;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const Cluster& cluster = clusters[random.next_below(clusters.size())];
      drawn.sum += cluster.sum;
      drawn.count += cluster.count;
    }
    mean = drawn.sum / drawn.count;
  }
  return means;
}

}  // namespace kg::evaluation
