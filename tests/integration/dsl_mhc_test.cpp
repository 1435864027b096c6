#include <cstdio>

#include "tests/integration/dsl_fixture.h"

// Manifold-constrained hyper-connections: four residual streams a token, mixed by coefficients of the token itself.
namespace kg::sandbox::dsl::testing {
namespace {

constexpr std::int64_t kTokens = 384, kWidth = 1024, kStreams = 4;
constexpr double kLaunch = 9250;

std::string program(const std::string& name) {
  return read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/dsl_programs/mhc/" + name + ".dsl");
}
In input(std::vector<std::int64_t> shape, double low, double high, std::uint64_t seed) {
  In in{proto::FLOAT32, shape, numbers(elements_of(shape), low, high, seed)};
  for (double& value : in.values) value = rounded_to(proto::FLOAT32, value);
  return in;
}
std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }
// Bytes of operators from and to global memory, 80 % of 1.46 TB/s, and their launches (design page).
double baseline(double floats, int operators) { return floats * 4 / 1.46e12 / 0.8 * 1.85e9 + operators * kLaunch; }

void report(const char* name, std::uint64_t cycles, double eager) {
  std::printf("%s: %llu cycles, operators one by one %.0f, speed-up %.1f\n", name,
              static_cast<unsigned long long>(cycles), eager, eager / static_cast<double>(cycles));
  EXPECT_GT(eager, static_cast<double>(cycles));
}

TEST(DslMhc, PostMixesTheStreams) {
  const std::vector<In> in = {input({kTokens, 4, kWidth}, -1, 1, 1), input({kTokens, kWidth}, -1, 1, 2),
                              input({kTokens, 16}, 0, 1, 3), input({kTokens, 4}, 0, 2, 4)};
  const auto result =
      shared_sandbox().execute(request_for(program("mhc_post"), in, {{proto::FLOAT32, {kTokens, 4, kWidth}}}, 48));
  ASSERT_EQ(errors_of(result), "");
  Values wanted;
  for (std::int64_t t = 0; t < kTokens; ++t)
    for (std::int64_t i = 0; i < kStreams; ++i)
      for (std::int64_t c = 0; c < kWidth; ++c) {
        double sum = in[3].values[at(t * 4 + i)] * in[1].values[at(t * kWidth + c)];
        for (std::int64_t j = 0; j < kStreams; ++j)
          sum += in[2].values[at(t * 16 + i * 4 + j)] * in[0].values[at((t * 4 + j) * kWidth + c)];
        wanted.push_back(sum);
      }
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(0)), wanted, 1e-5, 1e-5), "");
  // bmm of 4 to 4 streams, mul of 1 to 4, add of 4 and 4 to 4
  report("mhc_post", result.cases(0).cycles(), baseline(static_cast<double>(kTokens * kWidth) * (8 + 5 + 12), 3));
}

TEST(DslMhc, PreFindsTheCoefficients) {
  const std::int64_t d = kStreams * kWidth;
  const std::vector<In> in = {input({kTokens, 4, kWidth}, -1, 1, 5), input({24, d}, -0.05, 0.05, 6),
                              input({24}, -1, 1, 7)};
  const auto result = shared_sandbox().execute(request_for(
      program("mhc_pre"), in,
      {{proto::FLOAT32, {kTokens, kWidth}}, {proto::FLOAT32, {kTokens, 4}}, {proto::FLOAT32, {kTokens, 16}}}, 48));
  ASSERT_EQ(errors_of(result), "") << result.compiler_output();
  Values y, p, r;
  for (std::int64_t t = 0; t < kTokens; ++t) {
    const double* x = &in[0].values[at(t * d)];
    double square = 0, logit[24], m[16];
    for (std::int64_t c = 0; c < d; ++c) square += x[c] * x[c];
    for (std::int64_t k = 0; k < 24; ++k) {
      double dot = 0;
      for (std::int64_t c = 0; c < d; ++c) dot += x[c] * in[1].values[at(k * d + c)];
      logit[k] = dot / std::sqrt(square / static_cast<double>(d) + 1e-6) + in[2].values[at(k)];
    }
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    for (std::int64_t c = 0; c < kWidth; ++c) {
      double sum = 0;
      for (std::int64_t i = 0; i < 4; ++i) sum += sigmoid(logit[i]) * x[i * kWidth + c];
      y.push_back(sum);
    }
    for (int i = 4; i < 8; ++i) p.push_back(2 * sigmoid(logit[i]));
    for (int i = 0; i < 16; ++i) m[i] = std::exp(logit[8 + i]);
    for (int turn = 0; turn < 20; ++turn) {
      for (int i = 0; i < 4; ++i) {
        const double sum = m[4 * i] + m[4 * i + 1] + m[4 * i + 2] + m[4 * i + 3];
        for (int j = 0; j < 4; ++j) m[4 * i + j] /= sum;
      }
      for (int j = 0; j < 4; ++j) {
        const double sum = m[j] + m[4 + j] + m[8 + j] + m[12 + j];
        for (int i = 0; i < 4; ++i) m[4 * i + j] /= sum;
      }
    }
    r.insert(r.end(), m, m + 16);
  }
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(0)), y, 1e-4, 1e-4), "");
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(1)), p, 1e-4, 1e-4), "");
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(2)), r, 1e-4, 1e-4), "");
  // pow, mean, add, rsqrt, matmul, mul, add; two sigmoids, mul; mix; exp and 20 turns of sum, div, sum, div
  const double n = static_cast<double>(kTokens * d), small = static_cast<double>(kTokens * 16);
  report("mhc_pre", result.cases(0).cycles(),
         baseline(2 * n + n + n + n + 2 * small + 20 * 6 * small, 7 + 3 + 1 + 1 + 80));
}

}  // namespace
}  // namespace kg::sandbox::dsl::testing
