#include <algorithm>
#include <cstdio>

#include "tests/integration/dsl_fixture.h"
#include "tests/integration/dsl_quality_kernels.h"

namespace kg::dsl::testing {
namespace {

std::uint64_t cycles_of(const std::string& source, const QualityPair& pair, proto::SourceLanguage language,
                        Values& values) {
  const std::vector<std::int64_t> shape =
      pair.rows ? std::vector<std::int64_t>{384, 4096} : std::vector<std::int64_t>{6291456};
  std::vector<In> inputs;
  for (int i = 0; i < pair.inputs; ++i)
    inputs.push_back({proto::FLOAT32, shape, numbers(elements_of(shape), -2, 2, static_cast<std::uint64_t>(i) + 1)});
  const Out output{proto::FLOAT32, pair.reduces ? std::vector<std::int64_t>{384} : shape};
  const auto result = shared_sandbox().execute(request_for(source, inputs, {output}, 48, language));
  EXPECT_EQ(errors_of(result), "") << source;
  if (result.cases_size() == 0) return 0;
  values = values_of(result.cases(0).outputs(0));
  return result.cases(0).cycles();
}

TEST(DslQuality, LoweredKernelsAreAsFastAsThoseByHand) {
  std::vector<double> ratios;
  for (const QualityPair& pair : quality_pairs()) {
    Values lowered, by_hand;
    const auto ours = cycles_of(pair.program, pair, proto::DSL, lowered),
               hand = cycles_of(pair.kernel, pair, proto::ASCENDC, by_hand);
    EXPECT_EQ(difference(lowered, by_hand, 1e-5, 1e-5), "") << pair.name;
    ASSERT_GT(hand, 0u);
    ratios.push_back(static_cast<double>(ours) / static_cast<double>(hand));
    std::printf("%-12s lowered %8llu by hand %8llu ratio %.3f\n", pair.name.c_str(),
                static_cast<unsigned long long>(ours), static_cast<unsigned long long>(hand), ratios.back());
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = (ratios[4] + ratios[5]) / 2;
  std::printf("median %.3f\n", median);
  EXPECT_LE(median, 1.1);
}

}  // namespace
}  // namespace kg::dsl::testing
