#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/integration/project_fixture.h"

// A kernel that is a template over the tiling key, tiling in classes, and faults in a project of several files.

namespace kg::sandbox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ProjectTemplateTest : public ProjectFixture {
 protected:
  static proto::RunCase scale(proto::DType dtype, std::int64_t times, bool negate) {
    proto::RunCase one;
    add_input(one, "x", dtype, {64}, ramp(64, 1));
    add_output(one, "y", dtype, {64});
    proto::Attribute& factor = *one.add_attributes();
    factor.set_name("times");
    factor.set_integer(times);
    proto::Attribute& sign = *one.add_attributes();
    sign.set_name("negate");
    sign.set_flag(negate);
    return one;
  }

  static std::string& content(proto::ExecutionRequest& request, const std::string& path) {
    for (proto::ProjectFile& file : *request.mutable_project())
      if (file.path() == path) return *file.mutable_content();
    throw std::runtime_error("no file " + path);
  }
};

TEST_F(ProjectTemplateTest, TheKernelIsCompiledForTheArgumentsOfItsTilingKey) {
  proto::ExecutionRequest request = project_request("template_scale");
  *request.add_cases() = scale(proto::FLOAT32, 1, false);
  *request.add_cases() = scale(proto::FLOAT32, 2, true);
  *request.add_cases() = scale(proto::FLOAT16, 9, false);
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 3);
  const double factors[] = {1, -2, 9};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(result.cases(i).ran()) << result.cases(i).ShortDebugString();
    EXPECT_EQ(errors_of(result.cases(i)), "");
    const std::vector<double> y = values_of(result.cases(i).outputs(0));
    for (std::size_t at = 0; at < y.size(); ++at) ASSERT_EQ(y[at], factors[i] * ramp(64, 1)[at]) << i << ", " << at;
  }
  EXPECT_NE(result.cases(0).host().tiling_key(), result.cases(1).host().tiling_key());
}

TEST_F(ProjectTemplateTest, ACombinationThatIsNotSelectedIsTold) {
  proto::ExecutionRequest request = project_request("template_scale");
  *request.add_cases() = scale(proto::FLOAT16, 2, false);
  EXPECT_THAT(only_fault(execute(request)).message(),
              HasSubstr("no ASCENDC_TPL_ARGS_SEL selects the template arguments (1, 2, 0)"));
}

TEST_F(ProjectTemplateTest, AValueThatIsNotDeclaredIsTold) {
  proto::ExecutionRequest request = project_request("template_scale");
  *request.add_cases() = scale(proto::FLOAT32, 7, false);
  EXPECT_THAT(only_fault(execute(request)).message(), HasSubstr("TIMES is not declared with the value 7"));
}

TEST_F(ProjectTemplateTest, AFaultNamesTheFileItsLineIsIn) {
  proto::ExecutionRequest request = project_request("template_scale");
  std::string& header = content(request, "op_kernel/template_scale.h");
  const std::string line = "    in_.FreeTensor(a);\n";
  header.insert(header.find(line), line);
  *request.add_cases() = scale(proto::FLOAT32, 1, false);
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases(0).faults_size(), 1) << result.cases(0).ShortDebugString();
  const proto::Fault& fault = result.cases(0).faults(0);
  const auto lines = std::count(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(header.find(line)), '\n');
  EXPECT_EQ(fault.line(), lines + 2);
  EXPECT_THAT(fault.message(),
              StartsWith("op_kernel/template_scale.h: FreeTensor of a tensor that is free already (line " +
                         std::to_string(lines + 1) + " of op_kernel/template_scale.h)"));
}

TEST_F(ProjectTemplateTest, AProfilesLinesAndWaitsNameTheirFiles) {
  proto::ExecutionRequest request = project_request("template_scale");
  request.set_want_profile(true);
  *request.add_cases() = scale(proto::FLOAT32, 1, false);
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  std::set<std::string> files;
  for (const auto& line : result.cases(0).profile().lines()) {
    EXPECT_LT(line.line(), 1000);
    if (line.line() > 0) files.insert(line.file());
  }
  EXPECT_TRUE(files.contains("op_kernel/template_scale.h"));
  EXPECT_FALSE(files.contains(""));
  for (const auto& pipe : result.cases(0).profile().pipes())
    for (const auto& wait : pipe.waits()) EXPECT_EQ(wait.file().empty(), wait.line() == 0) << pipe.name();
}

TEST_F(ProjectTemplateTest, ACompilerErrorHasTheLineOfItsFile) {
  proto::ExecutionRequest request = project_request("template_scale");
  std::string& header = content(request, "op_kernel/template_scale.h");
  header.insert(header.find("    in_.EnQue(a);"), "    NoSuchCall(a);\n");
  *request.add_cases() = scale(proto::FLOAT32, 1, false);
  const auto result = execute(request);
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), HasSubstr("op_kernel/template_scale.h:16:5: error: "));
}

}  // namespace
}  // namespace kg::sandbox::testing
