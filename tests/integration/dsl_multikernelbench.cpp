#include "tests/integration/dsl_multikernelbench.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/joined.h"

namespace kg::dsl::testing {
namespace {

using Inputs = std::vector<Values>;
using Shape = std::vector<std::int64_t>;
using Maker = std::function<BenchmarkTask()>;

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

In uniform(const Shape& shape, std::uint64_t seed, double low = 0, double high = 1) {
  return {proto::FLOAT32, shape, numbers(elements_of(shape), low, high, seed)};
}

// An operator that reads `reads` tensors of n elements and writes `writes`.
Operator op(double n, double reads, double writes, double simple = 1, double slow = 0) {
  return {4 * n * (reads + writes), n, simple, slow};
}

// activation: 4096 x 393216 in the benchmark, here 8 rows.
Maker activation(double (*f)(double), std::vector<std::pair<double, double>> instructions = {{1, 0}},
                 std::vector<double> reads = {}) {
  return [=] {
    const Shape shape = {8, 393216};
    BenchmarkTask task{{uniform(shape, 1, -4, 4)}, {proto::FLOAT32, shape}, {}, {}};
    task.reference = [f](const Inputs& in) {
      Values z = in[0];
      for (double& value : z) value = f(value);
      return z;
    };
    const double n = static_cast<double>(elements_of(shape));
    for (std::size_t i = 0; i < instructions.size(); ++i)
      task.operators.push_back(
          op(n, i < reads.size() ? reads[i] : 1, 1, instructions[i].first, instructions[i].second));
    return task;
  };
}

using RowFunction = std::function<void(double* row, std::int64_t columns)>;
// A function of each row; `cost` of the operators that PyTorch runs.
Maker rows(Shape shape, std::int64_t columns, RowFunction f, std::vector<Operator> operators, double low = 0,
           double high = 1) {
  return [=] {
    BenchmarkTask task{{uniform(shape, 2, low, high)}, {proto::FLOAT32, shape}, {}, operators};
    task.reference = [=](const Inputs& in) {
      Values z = in[0];
      for (std::size_t at = 0; at < z.size(); at += index(columns)) f(&z[at], columns);
      return z;
    };
    return task;
  };
}

void normalise(double* row, std::int64_t n) {
  const double mean = std::accumulate(row, row + n, 0.0) / static_cast<double>(n);
  double variance = 0;
  for (std::int64_t i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean);
  const double scale = 1 / std::sqrt(variance / static_cast<double>(n) + 1e-5);
  for (std::int64_t i = 0; i < n; ++i) row[i] = (row[i] - mean) * scale;
}
void softmax(double* row, std::int64_t n, bool log) {
  const double most = *std::max_element(row, row + n);
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(row[i] - most);
  for (std::int64_t i = 0; i < n; ++i) row[i] = log ? row[i] - most - std::log(sum) : std::exp(row[i] - most) / sum;
}
void scan(double* row, std::int64_t n, double (*f)(double, double)) {
  for (std::int64_t i = 1; i < n; ++i) row[i] = f(row[i - 1], row[i]);
}

// A mean over all of f of one element of each input.
Maker mean_loss(Shape shape, std::size_t count, double (*f)(const double*), std::vector<Operator> operators,
                double divisor = 0) {
  return [=] {
    BenchmarkTask task{{}, {proto::FLOAT32, {1}}, {}, operators};
    for (std::size_t i = 0; i < count; ++i) task.inputs.push_back(uniform(shape, 10 + i, 0.05, 1));
    task.reference = [=](const Inputs& in) {
      double sum = 0, x[3] = {};
      for (std::size_t i = 0; i < in[0].size(); ++i) {
        for (std::size_t k = 0; k < count; ++k) x[k] = in[k][i];
        sum += f(x);
      }
      return Values{sum / (divisor > 0 ? divisor : static_cast<double>(in[0].size()))};
    };
    return task;
  };
}

Maker optimizer(Shape shape, std::size_t count, double (*f)(const double*), std::vector<Operator> operators) {
  return [=] {
    BenchmarkTask task{{}, {proto::FLOAT32, shape}, {}, operators};
    for (std::size_t i = 0; i < count; ++i) task.inputs.push_back(uniform(shape, 20 + i, 0.01, 1));
    task.reference = [=](const Inputs& in) {
      Values z(in[0].size());
      double x[4] = {};
      for (std::size_t i = 0; i < z.size(); ++i) {
        for (std::size_t k = 0; k < count; ++k) x[k] = in[k][i];
        z[i] = f(x);
      }
      return z;
    };
    return task;
  };
}

// [B, D, E] to [B, E]; 128 x 4096 x 4096 in the benchmark.
Maker reduction(double (*f)(double, double), bool mean, bool keeps, double low, double high, std::int64_t depth = 128) {
  return [=] {
    const Shape shape = {8, depth, 4096};
    BenchmarkTask task{
        {uniform(shape, 3, low, high)}, {proto::FLOAT32, keeps ? Shape{8, 1, 4096} : Shape{8, 4096}}, {}, {}};
    task.reference = [=](const Inputs& in) {
      Values z(8 * 4096);
      for (std::int64_t b = 0; b < 8; ++b)
        for (std::int64_t e = 0; e < 4096; ++e) {
          double value = in[0][index(b * depth * 4096 + e)];
          for (std::int64_t d = 1; d < depth; ++d) value = f(value, in[0][index((b * depth + d) * 4096 + e)]);
          z[index(b * 4096 + e)] = mean ? value / static_cast<double>(depth) : value;
        }
      return z;
    };
    const double n = static_cast<double>(elements_of(shape));
    task.operators = {{4 * (n + 8 * 4096), n, 1, 0}};
    return task;
  };
}

// Windows of k, stride s, padding p along the last `dimensions` dimensions.
Maker pooling(Shape shape, int dimensions, std::int64_t k, std::int64_t s, std::int64_t p, bool largest) {
  return [=] {
    Shape out = shape;
    std::int64_t depth[3] = {1, 1, 1}, result[3] = {1, 1, 1}, outer = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto from_end = shape.size() - d;
      if (from_end > static_cast<std::size_t>(dimensions)) {
        outer *= shape[d];
        continue;
      }
      out[d] = (shape[d] + 2 * p - k) / s + 1;
      depth[3 - from_end] = shape[d];
      result[3 - from_end] = out[d];
    }
    BenchmarkTask task{{uniform(shape, 4, -1, 1)}, {proto::FLOAT32, out}, {}, {}};
    task.reference = [=](const Inputs& in) {
      Values z;
      const auto window = [&](std::int64_t at, int axis, std::int64_t& from, std::int64_t& to) {
        const bool pooled = axis >= 3 - dimensions;
        from = pooled ? std::max<std::int64_t>(at * s - p, 0) : at;
        to = pooled ? std::min(at * s - p + k, depth[axis]) : at + 1;
      };
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t a = 0; a < result[0]; ++a)
          for (std::int64_t b = 0; b < result[1]; ++b)
            for (std::int64_t c = 0; c < result[2]; ++c) {
              std::int64_t from[3], to[3];
              window(a, 0, from[0], to[0]);
              window(b, 1, from[1], to[1]);
              window(c, 2, from[2], to[2]);
              double value = largest ? -HUGE_VAL : 0;
              for (std::int64_t i = from[0]; i < to[0]; ++i)
                for (std::int64_t j = from[1]; j < to[1]; ++j)
                  for (std::int64_t l = from[2]; l < to[2]; ++l) {
                    const double x = in[0][index(((o * depth[0] + i) * depth[1] + j) * depth[2] + l)];
                    value = largest ? std::max(value, x) : value + x;
                  }
              z.push_back(largest ? value : value / std::pow(static_cast<double>(k), dimensions));
            }
      return z;
    };
    const double n = static_cast<double>(elements_of(shape)), m = static_cast<double>(elements_of(out));
    task.operators = {{4 * (n + m), m, std::pow(static_cast<double>(k), dimensions), 0}};
    return task;
  };
}

BenchmarkTask cosine() {
  BenchmarkTask task{{uniform({128, 4096}, 5), uniform({128, 4096}, 6)}, {proto::FLOAT32, {1}}, {}, {}};
  task.reference = [](const Inputs& in) {
    double sum = 0;
    for (std::size_t r = 0; r < 128; ++r) {
      double ab = 0, aa = 0, bb = 0;
      for (std::size_t i = r * 4096; i < (r + 1) * 4096; ++i) {
        ab += in[0][i] * in[1][i];
        aa += in[0][i] * in[0][i];
        bb += in[1][i] * in[1][i];
      }
      sum += 1 - ab / std::sqrt(aa * bb);
    }
    return Values{sum / 128};
  };
  const double n = 128 * 4096;  // cosine_similarity, 1 - x, mean
  task.operators = {op(n, 2, 0, 6), op(128, 1, 1), op(128, 1, 0)};
  return task;
}

BenchmarkTask cross_entropy() {
  const std::int64_t r = 512, c = 4096;  // 32768 rows in the benchmark
  BenchmarkTask task{{uniform({r, c}, 7)}, {proto::FLOAT32, {1}}, {}, {}};
  In targets{proto::INT64, {r}, numbers(r, 0, 4096, 8)};
  for (double& value : targets.values) value = std::floor(value);
  task.inputs.push_back(targets);
  task.reference = [=](const Inputs& in) {
    double sum = 0;
    for (std::int64_t i = 0; i < r; ++i) {
      Values row(in[0].begin() + i * c, in[0].begin() + (i + 1) * c);
      softmax(row.data(), c, true);
      sum -= row[index(static_cast<std::int64_t>(in[1][index(i)]))];
    }
    return Values{sum / static_cast<double>(r)};
  };
  const double n = static_cast<double>(r * c);  // log_softmax, nll_loss
  task.operators = {op(n, 1, 1, 4, 2), op(static_cast<double>(r), 2, 0)};
  return task;
}

BenchmarkTask hinge() {
  const std::int64_t r = 96, c = 32768;  // 32768 rows in the benchmark
  BenchmarkTask task{{uniform({r, c}, 9)}, {proto::FLOAT32, {1}}, {}, {}};
  In signs{proto::FLOAT32, {c}, numbers(c, 0, 1, 3)};
  for (double& value : signs.values) value = value < 0.5 ? -1 : 1;
  task.inputs.push_back(signs);
  task.reference = [=](const Inputs& in) {
    double sum = 0;
    for (std::int64_t i = 0; i < r * c; ++i) sum += std::max(0.0, 1 - in[0][index(i)] * in[1][index(i % c)]);
    return Values{sum / static_cast<double>(r * c)};
  };
  const double n = static_cast<double>(r * c);  // mul, rsub, clamp, mean
  task.operators = {op(n, 1, 1), op(n, 1, 1), op(n, 1, 1), op(n, 1, 0)};
  return task;
}

BenchmarkTask triplet() {
  const std::int64_t r = 192, c = 8192;  // 32768 rows in the benchmark
  BenchmarkTask task{{uniform({r, c}, 1), uniform({r, c}, 2), uniform({r, c}, 3)}, {proto::FLOAT32, {1}}, {}, {}};
  task.reference = [=](const Inputs& in) {
    double sum = 0;
    for (std::int64_t i = 0; i < r; ++i) {
      double p = 0, n = 0;
      for (std::int64_t j = i * c; j < (i + 1) * c; ++j) {
        p += std::pow(in[0][index(j)] - in[1][index(j)] + 1e-6, 2);
        n += std::pow(in[0][index(j)] - in[2][index(j)] + 1e-6, 2);
      }
      sum += std::max(0.0, std::sqrt(p) - std::sqrt(n) + 1);
    }
    return Values{sum / static_cast<double>(r)};
  };
  const double n = static_cast<double>(r * c), m = static_cast<double>(r);  // two distances, sub, add, clamp, mean
  task.operators = {op(n, 2, 0, 4), op(n, 2, 0, 4), op(m, 2, 1), op(m, 1, 1), op(m, 1, 1), op(m, 1, 0)};
  return task;
}

BenchmarkTask masked_cumsum() {
  const std::int64_t r = 96, c = 32768;
  BenchmarkTask task{{uniform({r, c}, 1)}, {proto::FLOAT32, {r, c}}, {}, {}};
  In mask{proto::BOOL, {r, c}, numbers(r * c, 0, 1, 5)};
  for (double& value : mask.values) value = value < 0.5 ? 0 : 1;
  task.inputs.push_back(mask);
  task.reference = [=](const Inputs& in) {
    Values z = in[0];
    for (std::size_t i = 0; i < z.size(); ++i) z[i] *= in[1][i];
    for (std::int64_t i = 0; i < r; ++i) scan(&z[index(i * c)], c, [](double a, double b) { return a + b; });
    return z;
  };
  const double n = static_cast<double>(r * c);
  task.operators = {{4 * n * 2 + n, n, 1, 0}, op(n, 1, 1)};
  return task;
}

BenchmarkTask batch_norm() {
  const std::int64_t b = 2, f = 48, s = 256 * 256;  // 64 x 64 x 512 x 512 in the benchmark
  BenchmarkTask task{{uniform({b, f, 256, 256}, 1)}, {proto::FLOAT32, {b, f, 256, 256}}, {}, {}};
  task.reference = [=](const Inputs& in) {
    Values z = in[0];
    for (std::int64_t c = 0; c < f; ++c) {
      Values all;
      for (std::int64_t i = 0; i < b; ++i)
        all.insert(all.end(), z.begin() + (i * f + c) * s, z.begin() + (i * f + c + 1) * s);
      normalise(all.data(), b * s);
      for (std::int64_t i = 0; i < b; ++i)
        std::copy(all.begin() + i * s, all.begin() + (i + 1) * s, z.begin() + (i * f + c) * s);
    }
    return z;
  };
  task.operators = {op(static_cast<double>(b * f * s), 1, 1, 6)};
  return task;
}

BenchmarkTask rms_norm() {
  const std::int64_t b = 8, f = 64, s = 64 * 128;  // 128 x 64 x 512 x 512 in the benchmark
  BenchmarkTask task{{uniform({b, f, 64, 128}, 1)}, {proto::FLOAT32, {b, f, 64, 128}}, {}, {}};
  task.reference = [=](const Inputs& in) {
    Values z = in[0];
    for (std::int64_t i = 0; i < b; ++i)
      for (std::int64_t j = 0; j < s; ++j) {
        double q = 0;
        for (std::int64_t c = 0; c < f; ++c) q += std::pow(z[index((i * f + c) * s + j)], 2);
        q = std::sqrt(q / static_cast<double>(f) + 1e-5);
        for (std::int64_t c = 0; c < f; ++c) z[index((i * f + c) * s + j)] /= q;
      }
    return z;
  };
  const double n = static_cast<double>(b * f * s), m = static_cast<double>(b * s);  // pow, mean, add, sqrt, div
  task.operators = {op(n, 1, 1), {4 * (n + m), n, 1, 0}, op(m, 1, 1), op(m, 1, 1, 0, 1), op(n, 1, 1, 0, 1)};
  return task;
}

BenchmarkTask lamb() {
  const Shape shape = {512, 4096};
  BenchmarkTask task{
      {uniform(shape, 1), uniform(shape, 2), uniform(shape, 3, 1e-3, 1)}, {proto::FLOAT32, shape}, {}, {}};
  task.reference = [](const Inputs& in) {
    double s = 0, q = 0;
    Values z(in[0].size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = in[1][i] / (std::sqrt(in[2][i]) + 1e-6);
      s += in[0][i] * in[0][i];
      q += z[i] * z[i];
    }
    const double ratio = std::sqrt(s) / (std::sqrt(q) + 1e-6);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = in[0][i] - 1e-3 * ratio * z[i];
    return z;
  };
  const double n = 512 * 4096;  // sqrt, add, div, norm, norm, mul, sub
  task.operators = {op(n, 1, 1, 0, 1), op(n, 1, 1), op(n, 2, 1, 0, 1), op(n, 1, 0, 2),
                    op(n, 1, 0, 2),    op(n, 1, 1), op(n, 2, 1)};
  return task;
}

using Makers = std::vector<std::pair<std::string, Maker>>;

// Elements of the shapes that several tasks share.
constexpr double kRows96 = 96.0 * 32768, kRows192 = 192.0 * 16384;

double sum_of(double a, double b) { return a + b; }
double product_of(double a, double b) { return a * b; }

Makers activations() {
  const std::pair<double, double> exp_and_div = {3, 2};
  return {
      {"activation/elu", activation([](double x) { return x > 0 ? x : std::expm1(x); }, {{4, 1}})},
      {"activation/gelu", activation([](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }, {{10, 2}})},
      {"activation/hardsigmoid", activation([](double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }, {{4, 0}})},
      {"activation/hardtanh", activation([](double x) { return std::clamp(x, -1.0, 1.0); }, {{2, 0}})},
      {"activation/leaky_relu", activation([](double x) { return x > 0 ? x : 0.01 * x; })},
      {"activation/log_softmax", rows({48, 393216}, 393216, [](double* row, std::int64_t n) { softmax(row, n, true); },
                                      {op(48.0 * 393216, 1, 1, 4, 2)})},
      // pow, mul, add, mul, tanh, add, mul, mul
      {"activation/min_gpt_new_gelu",
       activation([](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); },
                  {{2, 0}, {1, 0}, {1, 0}, {1, 0}, {3, 2}, {1, 0}, {1, 0}, {1, 0}}, {1, 1, 2, 1, 1, 1, 1, 2})},
      {"activation/relu", activation([](double x) { return std::max(x, 0.0); })},
      {"activation/selu",
       activation([](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); },
                  {{5, 1}})},
      {"activation/sigmoid", activation([](double x) { return 1 / (1 + std::exp(-x)); }, {exp_and_div})},
      {"activation/softmax", rows({48, 393216}, 393216, [](double* row, std::int64_t n) { softmax(row, n, false); },
                                  {op(48.0 * 393216, 1, 1, 3, 2)})},
      {"activation/softplus", activation([](double x) { return std::log1p(std::exp(x)); }, {{1, 2}})},
      {"activation/softsign",
       activation([](double x) { return x / (1 + std::abs(x)); }, {{1, 0}, {1, 0}, {0, 1}}, {1, 1, 2})},
      {"activation/swish", activation([](double x) { return x / (1 + std::exp(-x)); }, {exp_and_div, {1, 0}}, {1, 2})},
      {"activation/tanh", activation([](double x) { return std::tanh(x); }, {exp_and_div})},
  };
}

Makers losses() {
  return {
      {"loss/cosine_similarity_loss", cosine},
      {"loss/cross_entropy_loss", cross_entropy},
      {"loss/hinge_loss", hinge},
      {"loss/huber_loss", mean_loss({96, 32768}, 2,
                                    [](const double* x) {
                                      const double d = std::abs(x[0] - x[1]);
                                      return d < 1 ? 0.5 * d * d : d - 0.5;
                                    },
                                    {op(kRows96, 2, 0, 5)})},
      {"loss/kl_div_loss",
       mean_loss(
           {192, 16384}, 2, [](const double* x) { return x[1] * (std::log(x[1]) - std::log(x[0])); },
           {op(kRows192, 1, 1, 0, 1), op(kRows192, 2, 0, 3, 1)}, 192)},
      {"loss/mse_loss", mean_loss({96, 32768}, 2, [](const double* x) { return (x[0] - x[1]) * (x[0] - x[1]); },
                                  {op(kRows96, 2, 1), op(kRows96, 1, 1), op(kRows96, 1, 0)})},
      {"loss/triplet_margin_loss", triplet},
  };
}

Makers math() {
  return {
      {"math/cumprod", rows(
                           {96, 32768}, 32768, [](double* row, std::int64_t n) { scan(row, n, product_of); },
                           {op(kRows96, 1, 1)}, 0.9, 1.1)},
      {"math/cumsum",
       rows({96, 32768}, 32768, [](double* row, std::int64_t n) { scan(row, n, sum_of); }, {op(kRows96, 1, 1)})},
      // narrow and select are views; cumsum, zeros, cat
      {"math/cumsum_exclusive", rows({96, 32768}, 32768,
                                     [](double* row, std::int64_t n) {
                                       std::rotate(row, row + n - 1, row + n);
                                       row[0] = 0;
                                       scan(row, n, sum_of);
                                     },
                                     {op(kRows96, 1, 1), op(96, 0, 1), op(kRows96, 1, 1)})},
      {"math/cumsum_reverse", rows({96, 32768}, 32768,
                                   [](double* row, std::int64_t n) {
                                     std::reverse(row, row + n);
                                     scan(row, n, sum_of);
                                     std::reverse(row, row + n);
                                   },
                                   {op(kRows96, 1, 1), op(kRows96, 1, 1), op(kRows96, 1, 1)})},
      {"math/masked_cumsum", masked_cumsum},
      {"math/matrix_scalar_multiplication", rows({192, 16384}, 16384,
                                                 [](double* row, std::int64_t n) {
                                                   for (std::int64_t i = 0; i < n; ++i) row[i] *= 3.14;
                                                 },
                                                 {op(kRows192, 1, 1)})},
  };
}

Makers normalizations() {
  const double l = 96.0 * 65535;
  return {
      {"normalization/batch_norm", batch_norm},
      {"normalization/frobenius_norm", rows({2, 64, 128, 128}, 2 * 64 * 128 * 128,
                                            [](double* row, std::int64_t n) {
                                              const double s = std::sqrt(std::inner_product(row, row + n, row, 0.0));
                                              for (std::int64_t i = 0; i < n; ++i) row[i] /= s;
                                            },
                                            {op(2.0 * 64 * 128 * 128, 1, 0, 2), op(2.0 * 64 * 128 * 128, 1, 1, 0, 1)})},
      {"normalization/group_norm", rows({6, 64, 64, 128}, 8 * 64 * 128, normalise, {op(6.0 * 64 * 64 * 128, 1, 1, 6)})},
      {"normalization/instance_norm", rows({1, 48, 256, 256}, 256 * 256, normalise, {op(48.0 * 256 * 256, 1, 1, 6)})},
      // abs, mean, div
      {"normalization/l1_norm", rows({96, 65535}, 65535,
                                     [](double* row, std::int64_t n) {
                                       double s = 0;
                                       for (std::int64_t i = 0; i < n; ++i) s += std::abs(row[i]);
                                       s /= static_cast<double>(n);
                                       for (std::int64_t i = 0; i < n; ++i) row[i] /= s;
                                     },
                                     {op(l, 1, 1), op(l, 1, 0), op(l, 1, 1, 0, 1)})},
      {"normalization/l2_norm", rows({96, 65535}, 65535,
                                     [](double* row, std::int64_t n) {
                                       const double s = std::sqrt(std::inner_product(row, row + n, row, 0.0));
                                       for (std::int64_t i = 0; i < n; ++i) row[i] /= s;
                                     },
                                     {op(l, 1, 0, 2), op(l, 1, 1, 0, 1)})},
      {"normalization/layer_norm", rows({64, 64, 32, 32}, 64 * 32 * 32, normalise, {op(64.0 * 64 * 32 * 32, 1, 1, 6)})},
      {"normalization/rms_norm", rms_norm},
  };
}

Makers optimizers() {
  const double p = 1024.0 * 4096, a = 512.0 * 2048, q = 2048.0 * 2048;
  return {
      // pow, add, mul, sqrt, add, div, sub
      {"optimizer/adagrad",
       optimizer(
           {1024, 4096}, 3,
           [](const double* x) { return x[0] - 0.01 * x[1] / (std::sqrt(x[2] + x[1] * x[1]) + 1e-10); },
           {op(p, 1, 1), op(p, 2, 1), op(p, 1, 1), op(p, 1, 1, 0, 1), op(p, 1, 1), op(p, 2, 1, 0, 1), op(p, 2, 1)})},
      // two moments (mul, mul, add; mul, pow, mul, add), two corrections, mul, sqrt, add, div, sub
      {"optimizer/adam", optimizer({512, 2048}, 4,
                                   [](const double* x) {
                                     const double c = (0.9 * x[2] + 0.1 * x[1]) / (1 - 0.9),
                                                  d = (0.999 * x[3] + 0.001 * x[1] * x[1]) / (1 - 0.999);
                                     return x[0] - 0.001 * c / (std::sqrt(d) + 1e-8);
                                   },
                                   {op(a, 1, 1), op(a, 1, 1), op(a, 2, 1), op(a, 1, 1), op(a, 1, 1), op(a, 1, 1),
                                    op(a, 2, 1), op(a, 1, 1), op(a, 1, 1), op(a, 1, 1), op(a, 1, 1, 0, 1), op(a, 1, 1),
                                    op(a, 2, 1, 0, 1), op(a, 2, 1)})},
      {"optimizer/lamb", lamb},
      // mul, pow, mul, add, mul, sqrt, add, div, sub
      {"optimizer/rmsprop", optimizer({2048, 2048}, 3,
                                      [](const double* x) {
                                        return x[0] -
                                               0.001 * x[1] / (std::sqrt(0.99 * x[2] + 0.01 * x[1] * x[1]) + 1e-8);
                                      },
                                      {op(q, 1, 1), op(q, 1, 1), op(q, 1, 1), op(q, 2, 1), op(q, 1, 1),
                                       op(q, 1, 1, 0, 1), op(q, 1, 1), op(q, 2, 1, 0, 1), op(q, 2, 1)})},
      {"optimizer/sgd", optimizer({1024, 4096}, 3, [](const double* x) { return x[0] - 0.01 * (0.9 * x[2] + x[1]); },
                                  {op(p, 1, 1), op(p, 2, 1), op(p, 1, 1), op(p, 2, 1)})},
  };
}

Makers reductions_and_pooling() {
  return {
      {"reduce/max_reduction_over_a_dimension",
       reduction([](double x, double y) { return std::max(x, y); }, false, false, -1, 1)},
      {"reduce/mean_reduction_over_a_dimension", reduction(sum_of, true, false, 0, 1)},
      {"reduce/min_reduction_over_a_dimension",
       reduction([](double x, double y) { return std::min(x, y); }, false, false, -1, 1)},
      {"reduce/product_reduction_over_a_dimension", reduction(product_of, false, false, 0.9, 1.1)},
      {"reduce/sum_reduction_over_a_dimension", reduction(sum_of, false, true, 0, 1)},
      {"pooling/average_pooling_1d", pooling({2, 24, 65536}, 1, 8, 1, 4, false)},
      {"pooling/average_pooling_2d", pooling({1, 12, 512, 512}, 2, 11, 11, 0, false)},
      {"pooling/average_pooling_3d", pooling({1, 2, 32, 128, 256}, 3, 3, 2, 1, false)},
      {"pooling/max_pooling_1d", pooling({4, 192, 2048}, 1, 8, 1, 4, true)},
      {"pooling/max_pooling_2d", pooling({1, 8, 512, 512}, 2, 4, 1, 1, true)},
      {"pooling/max_pooling_3d", pooling({1, 4, 64, 128, 128}, 3, 3, 2, 1, true)},
  };
}

const Makers& table() {
  static const Makers tasks =
      kg::testing::joined({activations(), losses(), math(), normalizations(), optimizers(), reductions_and_pooling()});
  return tasks;
}

}  // namespace

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : table()) names.push_back(name);
  return names;
}

BenchmarkTask benchmark_task(const std::string& name) {
  for (const auto& [known, make] : table())
    if (known == name) return make();
  ADD_FAILURE() << "no task " << name;
  return {};
}

}  // namespace kg::dsl::testing
