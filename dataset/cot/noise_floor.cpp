#include "dataset/cot/noise_floor.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "operators/golden.h"
#include "operators/operators.h"
#include "reward/tolerance.h"

namespace kg::dataset::cot {
namespace {

using operators::GoldenTensor;

constexpr double kUnit = 1.0 / (1 << 24);  // half a unit in the last place of float
constexpr double kSafety = 8;              // on what was measured: other orders of a sum, other formulas
constexpr double kWalks = 4;               // standard deviations of a random walk
constexpr std::size_t kFew = 256;          // outputs of fewer elements are measured more often
constexpr int kTurns = 1, kTurnsOfFew = 6;
constexpr double kLeast = 1.0 / 64;  // relative to a rough count of the instructions

double mean_size(const GoldenTensor& tensor) {
  double all = 0;
  for (const double value : tensor.values) all += std::abs(value);
  return tensor.values.empty() ? 0 : all / static_cast<double>(tensor.values.size());
}

// The rounding error that a node adds to its float result: relative to each number, and absolute.
struct NodeNoise {
  double relative = 0, absolute = 0;
};

// Uniform in [-1, 1), with few instructions: millions of them are drawn.
class Signed {
 public:
  explicit Signed(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-63;
  }

 private:
  std::uint64_t state_;
};

NodeNoise noise_of(const proto::OperatorGraph& graph, const std::vector<GoldenTensor>& values, int index) {
  const proto::GraphNode& node = graph.nodes(index);
  const operators::OperatorInfo& info = operators::operator_info(node.op());
  const unsigned flags = info.word ? info.word->flags : unsigned{operators::kExact};
  NodeNoise noise;
  if ((flags & operators::kExact) != 0) return noise;
  const GoldenTensor& result = values[static_cast<std::size_t>(graph.input_count() + index)];
  noise.relative = kUnit * (info.cost.simple + info.cost.slow + 1);
  // A formula such as exp(x) - 1 goes through numbers of its operands' size. Along rows they are of the result's.
  double size = mean_size(result);
  if (info.shape != operators::OperatorShape::kRowwise)
    for (const std::int32_t input : node.inputs())
      size = std::max(size, mean_size(values[static_cast<std::size_t>(input)]));
  noise.absolute = noise.relative * size;
  if ((flags & operators::kAccumulates) != 0) {
    const GoldenTensor& from = values[static_cast<std::size_t>(node.inputs(0))];
    const double terms =
        static_cast<double>(from.values.size()) / std::max<double>(1, static_cast<double>(result.values.size()));
    const double divisor = (flags & operators::kMean) != 0 ? std::max(1.0, terms) : 1;
    // A partial sum of signed numbers grows as a random walk, and so does what each addition rounds off.
    noise.absolute += kUnit * kWalks * terms * mean_size(from) / divisor;
  }
  return noise;
}

double largest_of(const std::vector<GoldenTensor>& values) {
  double largest = 0;
  for (const GoldenTensor& tensor : values)
    for (const double value : tensor.values) largest = std::max(largest, std::abs(value));
  return largest;
}

// For each vector instruction half a unit of the largest value that the graph has, and of what reductions add up.
double counted_noise(const Structure& structure, const proto::OperatorGraph& graph,
                     const std::vector<GoldenTensor>& values) {
  double largest = largest_of(values);
  for (int i = 0; i < graph.nodes_size(); ++i) {
    const auto& word = operators::operator_info(graph.nodes(i).op()).word;
    if (!word || (word->flags & operators::kAccumulates) == 0 || (word->flags & operators::kMean) != 0) continue;
    const GoldenTensor& from = values[static_cast<std::size_t>(graph.nodes(i).inputs(0))];
    const GoldenTensor& to = values[static_cast<std::size_t>(graph.input_count() + i)];
    const double terms =
        static_cast<double>(from.values.size()) / std::max<double>(1, static_cast<double>(to.values.size()));
    largest = std::max(largest, mean_size(from) * std::max(std::sqrt(terms) * 4, terms / 4));
  }
  return std::ldexp(1.0, -22) * (structure.rounding_steps + 1) * largest;
}

double two_digits(double bound) {
  if (bound == 0) return 0;
  const double scale = std::pow(10.0, std::floor(std::log10(bound)) - 1);
  return std::ceil(bound / scale) * scale;
}

}  // namespace

double noise_floor(const Structure& structure, const proto::OperatorGraph& graph, const proto::TaskCase& task_case) {
  std::vector<GoldenTensor> inputs;
  for (const proto::Tensor& tensor : operators::make_inputs(task_case)) inputs.push_back(operators::to_golden(tensor));
  const auto values = operators::golden_values(graph, inputs, {});
  std::vector<NodeNoise> noises;
  for (int i = 0; i < graph.nodes_size(); ++i) noises.push_back(noise_of(graph, values, i));
  std::size_t elements = SIZE_MAX;
  for (const std::int32_t output : graph.outputs())
    elements = std::min(elements, values[static_cast<std::size_t>(output)].values.size());
  double excess = 0;
  for (int turn = 0; turn < (elements < kFew ? kTurnsOfFew : kTurns); ++turn) {
    Signed random(task_case.seed() + static_cast<std::uint64_t>(turn));
    std::size_t node = 0;
    const auto rounded = operators::golden_values(graph, inputs, [&](GoldenTensor& result) {
      const NodeNoise noise = noises[node++];
      if (noise.relative == 0) return;
      for (double& value : result.values) value += (noise.relative * std::abs(value) + noise.absolute) * random.next();
    });
    for (int o = 0; o < graph.outputs_size(); ++o) {
      const auto at = static_cast<std::size_t>(graph.outputs(o));
      const proto::DType dtype = task_case.outputs(o).dtype();
      for (std::size_t n = 0; n < values[at].values.size(); ++n) {
        const double wanted = values[at].values[n], error = std::abs(rounded[at].values[n] - wanted);
        excess = std::max(excess, kSafety * error - reward::element_tolerance(dtype, wanted, 0));
      }
    }
  }
  const double counted = counted_noise(structure, graph, values);
  if (!std::isfinite(excess)) excess = counted;
  return two_digits(std::max(excess, kLeast * counted));  // a bound is not a measurement
}

}  // namespace kg::dataset::cot
