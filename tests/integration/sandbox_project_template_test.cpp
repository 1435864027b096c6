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

TEST_F(ProjectTemplateTest, AParameterOfAnotherKindIsNamedInOneLine) {
  proto::ExecutionRequest request = project_request("template_scale");
  std::string& key = content(request, "op_kernel/template_scale_key.h");
  for (std::size_t at; (at = key.find("_DATATYPE_")) != std::string::npos;) key.replace(at, 10, "_DTYPE_");
  const std::string input = ", ASCENDC_TPL_INPUT(0)";
  key.erase(key.find(input), input.size());
  *request.add_cases() = scale(proto::FLOAT32, 2, true);
  EXPECT_EQ(execute(request).compiler_output(),
            "op_kernel/template_scale.cpp:6:28: error: template parameter 'D_T_X' of template_scale does not take its "
            "argument from ASCENDC_TPL_ARGS_DECL, which gives D_T_X = 0, TIMES = 2, NEGATE = 1; "
            "ASCENDC_TPL_DATATYPE_DECL gives a type (for typename), every other declaration a number\n");
}

TEST_F(ProjectTemplateTest, AParameterWithoutADeclarationIsNamedInOneLine) {
  proto::ExecutionRequest request = project_request("template_scale");
  std::string& kernel = content(request, "op_kernel/template_scale.cpp");
  const std::string list = "bool NEGATE>";
  kernel.replace(kernel.find(list), list.size(), "bool NEGATE, int MORE>");
  *request.add_cases() = scale(proto::FLOAT32, 2, true);
  EXPECT_THAT(execute(request).compiler_output(),
              HasSubstr("error: template parameter 'MORE' of template_scale gets no argument from "
                        "ASCENDC_TPL_ARGS_DECL, which gives D_T_X = float, TIMES = 2, NEGATE = 1"));
}

// The kernel's own default says vector cores; the selection goes before it.
TEST_F(ProjectTemplateTest, AKernelTypeOfTheSelectionGoesBeforeTheKernelsOwn) {
  for (const char* type : {"ASCENDC_TPL_AIV_ONLY", "ASCENDC_TPL_AIC_ONLY"}) {
    proto::ExecutionRequest request = project_request("template_scale");
    std::string& key = content(request, "op_kernel/template_scale_key.h");
    const std::string selection = "ASCENDC_TPL_ARGS_SEL(";
    for (std::size_t at = key.find(selection); at != std::string::npos; at = key.find(selection, at + 1))
      key.insert(at + selection.size(), std::string("ASCENDC_TPL_KERNEL_TYPE_SEL(") + type + "), ");
    std::string& kernel = content(request, "op_kernel/template_scale.cpp");
    kernel.insert(kernel.find("  GET_TILING_DATA"), "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);\n");
    *request.add_cases() = scale(proto::FLOAT32, 2, false);
    const auto result = execute(request);
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    ASSERT_EQ(result.cases_size(), 1);
    ASSERT_EQ(result.cases(0).outputs_size(), 1) << result.cases(0).ShortDebugString();
    const bool vector = std::string(type) == "ASCENDC_TPL_AIV_ONLY";  // a cube core does nothing of this kernel
    EXPECT_EQ(values_of(result.cases(0).outputs(0))[3] == 2 * ramp(64, 1)[3], vector) << type;
  }
}

TEST_F(ProjectTemplateTest, AKernelTypeCanBeAnArgumentOfTheKernel) {
  proto::ExecutionRequest request = project_request("template_scale");
  const auto replace = [&](const char* path, const std::string& from, const std::string& to) {
    std::string& text = content(request, path);
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("op_kernel/template_scale_key.h", "ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1),",
          "ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1), ASCENDC_TPL_KERNEL_TYPE_DECL(KIND, ASCENDC_TPL_AIC_ONLY, "
          "ASCENDC_TPL_AIV_ONLY),");
  replace("op_kernel/template_scale_key.h", "ASCENDC_TPL_BOOL_SEL(NEGATE, 0",
          "ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(KIND, ASCENDC_TPL_AIV_ONLY), ASCENDC_TPL_BOOL_SEL(NEGATE, 0");
  replace("op_host/template_scale.cpp", "times_, negate_)", "times_, negate_, ASCENDC_TPL_AIV_ONLY)");
  replace("op_kernel/template_scale.cpp", "bool NEGATE>", "bool NEGATE, uint8_t KIND>");
  replace("op_kernel/template_scale.cpp", "TemplateScale<D_T_X, TIMES,",
          "static_assert(KIND == ASCENDC_TPL_AIV_ONLY, \"\");\n  TemplateScale<D_T_X, TIMES,");
  *request.add_cases() = scale(proto::FLOAT32, 2, false);
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  EXPECT_EQ(errors_of(result.cases(0)), "");
  EXPECT_EQ(values_of(result.cases(0).outputs(0))[3], 2 * ramp(64, 1)[3]);

  replace("op_host/template_scale.cpp", "negate_, ASCENDC_TPL_AIV_ONLY)", "negate_, ASCENDC_TPL_AIC_ONLY)");
  EXPECT_THAT(only_fault(execute(request)).message(), HasSubstr("no ASCENDC_TPL_ARGS_SEL selects"));
}

TEST_F(ProjectTemplateTest, AKernelTypeIsSelectedForAllOrForNone) {
  proto::ExecutionRequest request = project_request("template_scale");
  std::string& key = content(request, "op_kernel/template_scale_key.h");
  const std::string selection = "ASCENDC_TPL_ARGS_SEL(";
  key.insert(key.find(selection) + selection.size(), "ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY), ");
  *request.add_cases() = scale(proto::FLOAT32, 2, false);
  EXPECT_THAT(only_fault(execute(request)).message(), HasSubstr("only 1 of 2 ASCENDC_TPL_ARGS_SEL have"));
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
