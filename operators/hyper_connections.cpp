#include <cmath>

#include "operators/operators.h"

// Manifold-constrained hyper-connections (arXiv 2512.24880): a layer reads a mix of four residual streams and writes
// back into all of them, with coefficients from the token itself. Shapes: T tokens, 4 streams, C channels, D = 4 C.
namespace kg::operators {
namespace {

using Shapes = std::vector<Shape>;
using Inputs = std::vector<Values>;
using Attributes = std::vector<double>;

constexpr Eigen::Index kStreams = 4, kLogits = 2 * kStreams + kStreams * kStreams;
constexpr double kEpsilon = 1e-6;
constexpr int kTurns = 20;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

bool is_post(const Shapes& in) {
  if (in.size() != 4 || in[0].size() != 2 || in[1].size() != 3) return false;
  const std::int64_t tokens = in[0][0], channels = in[0][1];
  return in[1] == Shape{tokens, kStreams, channels} && in[2] == Shape{tokens, kStreams} &&
         in[3] == Shape{tokens, kStreams, kStreams};
}

bool is_pre(const Shapes& in) {
  return in.size() == 4 && in[0].size() == 3 && in[0][1] == kStreams && in[1] == Shape{kLogits, kStreams * in[0][2]} &&
         in[2] == Shape{3} && in[3] == Shape{kLogits};
}

// z[i] = p[i] x + sum over j of h[j, i] r[j], for each token.
Values post(const Inputs& in, const Attributes&) {
  const Values &x = in[0], &r = in[1], &p = in[2], &h = in[3];
  Values z(r.rows(), r.cols());
  for (Eigen::Index t = 0; t < x.rows(); ++t)
    for (Eigen::Index i = 0; i < kStreams; ++i) {
      z.row(t * kStreams + i) = p(t, i) * x.row(t);
      for (Eigen::Index j = 0; j < kStreams; ++j)
        z.row(t * kStreams + i) += h(t * kStreams + j, i) * r.row(t * kStreams + j);
    }
  return z;
}

// (T, 24): the normalised streams of a token times w, scaled by group and moved.
Values logits(const Inputs& in) {
  const Values &x = in[0], &w = in[1], &s = in[2], &b = in[3];
  Values result(x.rows() / kStreams, kLogits);
  for (Eigen::Index t = 0; t < result.rows(); ++t) {
    const Eigen::Map<const Values> token(x.data() + t * w.cols(), 1, w.cols());
    const double scale = 1 / std::sqrt(token.square().mean() + kEpsilon);
    for (Eigen::Index k = 0; k < kLogits; ++k)
      result(t, k) = (token * w.row(k)).sum() * scale * s(0, k < kStreams ? 0 : k < 2 * kStreams ? 1 : 2) + b(0, k);
  }
  return result;
}

Values pre_mix(const Inputs& in, const Attributes&) {
  const Values &x = in[0], g = logits(in);
  Values y = Values::Zero(g.rows(), x.cols());
  for (Eigen::Index t = 0; t < g.rows(); ++t)
    for (Eigen::Index i = 0; i < kStreams; ++i) y.row(t) += (sigmoid(g(t, i)) + kEpsilon) * x.row(t * kStreams + i);
  return y;
}

Values pre_post(const Inputs& in, const Attributes&) {
  return logits(in).middleCols(kStreams, kStreams).unaryExpr([](double v) { return 2 * sigmoid(v); });
}

// Doubly stochastic by Sinkhorn and Knopp, from the softmax of each row.
Values pre_streams(const Inputs& in, const Attributes&) {
  const Values g = logits(in);
  Values h(g.rows() * kStreams, kStreams);
  for (Eigen::Index t = 0; t < g.rows(); ++t) {
    Values m = Eigen::Map<const Values>(g.data() + t * kLogits + 2 * kStreams, kStreams, kStreams);
    m = (m.colwise() - m.rowwise().maxCoeff()).exp().eval();
    m = (m.colwise() / m.rowwise().sum().eval() + kEpsilon).eval();
    m = (m.rowwise() / (m.colwise().sum() + kEpsilon).eval()).eval();
    for (int turn = 1; turn < kTurns; ++turn) {
      m = (m.colwise() / (m.rowwise().sum() + kEpsilon).eval()).eval();
      m = (m.rowwise() / (m.colwise().sum() + kEpsilon).eval()).eval();
    }
    h.middleRows(t * kStreams, kStreams) = m;
  }
  return h;
}

std::optional<Shape> post_shape(const Shapes& in, const Attributes&) {
  return is_post(in) ? std::optional(in[1]) : std::nullopt;
}
std::optional<Shape> mix_shape(const Shapes& in, const Attributes&) {
  return is_pre(in) ? std::optional(Shape{in[0][0], in[0][2]}) : std::nullopt;
}
std::optional<Shape> post_coefficient_shape(const Shapes& in, const Attributes&) {
  return is_pre(in) ? std::optional(Shape{in[0][0], kStreams}) : std::nullopt;
}
std::optional<Shape> stream_shape(const Shapes& in, const Attributes&) {
  return is_pre(in) ? std::optional(Shape{in[0][0], kStreams, kStreams}) : std::nullopt;
}

double tokens_of(const Shape& shape) { return static_cast<double>(shape[0]); }

// Casts of the streams and of the layer's output to float, bmm, mul, add, cast back.
std::vector<double> post_bytes(const Shapes& in) {
  const double one = tokens_of(in[0]) * static_cast<double>(in[0][1]), all = kStreams * one;
  const double matrices = tokens_of(in[0]) * kStreams * kStreams * 4;
  return {6 * all, 8 * all + matrices, 6 * one, 4 * one + 4 * all, 12 * all, 6 * all};
}

// Cast, square, sum, matmul; mean, + epsilon, rsqrt; three steps on the logits; sigmoid, + epsilon; mul, sum, cast.
std::vector<double> mix_bytes(const Shapes& in) {
  const double tokens = tokens_of(in[0]), all = tokens * static_cast<double>(in[1][1]), one = all / kStreams;
  const double wide = tokens * kLogits * 8, four = tokens * kStreams * 8;
  const double weights = static_cast<double>(kLogits * in[1][1]) * 4;
  return {6 * all, 8 * all, 4 * all, 4 * all + weights, 8 * tokens,        8 * tokens, 8 * tokens, wide, wide,
          wide,    four,    four,    6 * all,           4 * all + 4 * one, 6 * one};
}

std::vector<double> post_coefficient_bytes(const Shapes& in) {
  const double four = tokens_of(in[0]) * kStreams * 8;
  return {four, four};  // sigmoid, mul
}

// Softmax, + epsilon, then sum, + epsilon, div by columns, and by rows and columns 19 times.
std::vector<double> stream_bytes(const Shapes& in) {
  const double matrices = tokens_of(in[0]) * kStreams * kStreams * 4, sums = matrices / kStreams;
  std::vector<double> bytes = {2 * matrices, 2 * matrices};
  for (int half = 0; half < 2 * kTurns - 1; ++half) {
    bytes.push_back(matrices + sums);
    bytes.push_back(2 * sums);
    bytes.push_back(2 * matrices + sums);
  }
  return bytes;
}

}  // namespace

const std::vector<OperatorInfo>& hyper_connection_operators() {
  const auto row = [](const char* name, const char* formula, decltype(OperatorInfo::evaluate) value,
                      decltype(OperatorInfo::infer) infer, decltype(OperatorInfo::eager_bytes) eager_bytes) {
    return OperatorInfo{.name = name,
                        .category = "hyper_connections",
                        .arity = 4,
                        .shape = OperatorShape::kOther,
                        .formula = formula,
                        .evaluate = std::move(value),
                        .infer = std::move(infer),
                        .eager_bytes = std::move(eager_bytes)};
  };
  static const std::vector<OperatorInfo> table = {
      row("mhc_post", "p[t, i] x[t] + sum over j of h[t, j, i] r[t, j]", post, post_shape, post_bytes),
      row("mhc_pre_mix", "sum over i of (sigmoid(l[t, i]) + 1e-6) x[t, i]", pre_mix, mix_shape, mix_bytes),
      row("mhc_pre_post", "2 sigmoid(l[t, 4:8])", pre_post, post_coefficient_shape, post_coefficient_bytes),
      row("mhc_pre_streams", "20 turns of Sinkhorn and Knopp of softmax(l[t, 8:24])", pre_streams, stream_shape,
          stream_bytes),
  };
  return table;
}

}  // namespace kg::operators
