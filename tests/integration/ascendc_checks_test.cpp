// The run-time checks: wrong kernels are named by class and line, correct ones by nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "ascendc_kernel_files.h"

namespace kg::npu::testing {
namespace {

struct Case {
  const char* group;
  const std::vector<Body>* bodies;
  std::size_t which;
};

void PrintTo(const Case& c, std::ostream* out) { *out << (*c.bodies)[c.which].text; }

std::vector<Case> cases_of(std::initializer_list<std::pair<const char*, const std::vector<Body>*>> groups) {
  std::vector<Case> cases;
  for (const auto& [group, bodies] : groups)
    for (std::size_t i = 0; i < bodies->size(); ++i) cases.push_back({group, bodies, i});
  return cases;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return std::string(info.param.group) + (*info.param.bodies)[info.param.which].name;
}

std::string faults_of(const proto::CaseResult& result) {
  std::string text;
  for (const proto::Fault& fault : result.faults()) text += fault.ShortDebugString() + "\n";
  return text;
}

class WrongKernel : public ::testing::TestWithParam<Case> {};

TEST_P(WrongKernel, IsNamedByClassAndLine) {
  const Body& body = (*GetParam().bodies)[GetParam().which];
  const auto result = run_body(*GetParam().bodies, GetParam().which);
  // What follows from the first fault (a race that leaves garbage in the output, say) may be reported as well.
  std::istringstream wanted(body.errors);
  for (std::string fault; wanted >> fault;) {
    const bool is_warning = fault[0] == '~';
    const std::string found = is_warning ? warnings_of(result) : errors_of(result);
    EXPECT_NE((" " + found + " ").find(" " + fault.substr(is_warning ? 1 : 0) + " "), std::string::npos)
        << fault << " is not among \"" << found << "\"\n"
        << faults_of(result);
  }
  ASSERT_GT(result.faults_size(), 0);
  std::string first;  // error's class
  for (std::istringstream all(body.errors); all >> first && first[0] == '~';) first.clear();
  if (first.empty()) {
    EXPECT_EQ(errors_of(result), "") << faults_of(result);
  }
  first = first.substr(0, first.find(':'));
  for (const proto::Fault& fault : result.faults())
    if (fault.severity() == proto::ERROR) {
      EXPECT_EQ(fault.fault_class(), first) << fault.message();
      EXPECT_GT(fault.message().size(), 20u);
      break;
    }
}

INSTANTIATE_TEST_SUITE_P(Checks, WrongKernel,
                         ::testing::ValuesIn(cases_of({{"Queue", &kernels_of("wrong/queues")},
                                                       {"Buffer", &kernels_of("wrong/buffers")},
                                                       {"Memory", &kernels_of("wrong/memory")},
                                                       {"Order", &kernels_of("wrong/order")},
                                                       {"Global", &kernels_of("wrong/global")},
                                                       {"Cache", &kernels_of("wrong/caches")},
                                                       {"Temporary", &kernels_of("wrong/temporaries")},
                                                       {"Other", &kernels_of("wrong/others")},
                                                       {"Cube", &kernels_of("wrong/cube")},
                                                       {"Mixed", &kernels_of("wrong/mixed")}})),
                         name_of);

class RightKernel : public ::testing::TestWithParam<Case> {};

TEST_P(RightKernel, HasNoErrorInAnyOrderOfCores) {
  std::string output;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto result = run_body(*GetParam().bodies, GetParam().which, {.seed = seed});
    ASSERT_TRUE(result.ran()) << faults_of(result);
    EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
    const std::string& z = result.outputs(0).data();
    if (seed == 0)
      output = z;
    else
      EXPECT_TRUE(z == output) << "other numbers with seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Checks, RightKernel,
                         ::testing::ValuesIn(cases_of({{"", &kernels_of("right/vector")},
                                                       {"", &kernels_of("right/library")},
                                                       {"", &kernels_of("right/cube")},
                                                       {"", &kernels_of("right/mixed")}})),
                         name_of);

TEST(Race, BetweenACubeCoreAndItsVectorCoresNamesBothAndTheFlagToPutBetween) {
  const std::vector<Body>& kernels = kernels_of("wrong/mixed");
  const auto one = std::find_if(kernels.begin(), kernels.end(),
                                [](const Body& body) { return body.name == "VectorReadsWhatTheCubeStillWrites"; });
  ASSERT_NE(one, kernels.end());
  const auto result = run_body(kernels, static_cast<std::size_t>(one - kernels.begin()));
  ASSERT_GE(result.faults_size(), 1);
  EXPECT_EQ(result.faults(0).message(),
            "DataCopy reads byte 0 of the workspace that pipe FIX of the cube core of group 0 writes (line 6), while "
            "pipe MTE2 of "
            "vector core 0 of group 0 may run at the same time; order them with CrossCoreSetFlag<0x2, PIPE_FIX>(id) on "
            "the cube core of group 0 after its access, and CrossCoreWaitFlag(id) on vector core 0 of group 0 before "
            "its own");
}

}  // namespace
}  // namespace kg::npu::testing
