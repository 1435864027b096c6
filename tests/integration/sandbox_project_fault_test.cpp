#include "tests/integration/project_fixture.h"

// What host sides do wrong: every time a fault of the program, never one of the sandbox, and the next project is
// judged.

namespace kg::sandbox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class ProjectFaultTest : public ProjectFixture {
 protected:
  // AddCustom with another beginning of its tiling function.
  proto::ExecutionRequest with_tiling(const std::string& code, const std::string& before = "") {
    proto::ExecutionRequest request = project_request("add_custom");
    for (proto::ProjectFile& file : *request.mutable_project()) {
      if (!file.path().ends_with("op_host/add_custom.cpp")) continue;
      std::string& text = *file.mutable_content();
      const std::string line = "  AddCustomTilingData tiling;\n";
      text.insert(text.find(line), code + "\n");
      text.insert(0, before + "\n");
    }
    proto::RunCase& one = *request.add_cases();
    for (const char* name : {"x", "y"}) add_input(one, name, proto::FLOAT32, {64}, ramp(64, 1));
    add_output(one, "z", proto::FLOAT32, {64});
    request.mutable_limits()->set_run_seconds(2);
    return request;
  }

  void replace(proto::ExecutionRequest& request, const std::string& path, const std::string& from,
               const std::string& to) {
    for (proto::ProjectFile& file : *request.mutable_project()) {
      if (!file.path().ends_with(path)) continue;
      const std::size_t at = file.content().find(from);
      ASSERT_NE(at, std::string::npos) << from;
      file.mutable_content()->replace(at, from.size(), to);
    }
  }

  void TearDown() override {
    const auto result = execute(with_tiling(""));
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    EXPECT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  }
};

TEST_F(ProjectFaultTest, TilingThatFails) {
  const auto fault = only_fault(execute(with_tiling("  return ge::GRAPH_FAILED;")));
  EXPECT_EQ(fault.fault_class(), "host");
  EXPECT_THAT(fault.message(), MatchesRegex("the tiling function optiling::[A-Za-z]+ returned GRAPH_FAILED; it had set "
                                            "nothing yet"));
}

TEST_F(ProjectFaultTest, TilingThatFailsSaysWhatItHadSetAndWhichPointersWereNull) {
  const auto fault =
      only_fault(execute(with_tiling("  context->SetBlockDim(4);\n  context->SetTilingKey(2);\n"
                                     "  if (context->GetOptionalInputShape(7) == nullptr) return ge::GRAPH_FAILED;")));
  EXPECT_THAT(fault.message(), HasSubstr("returned GRAPH_FAILED; it had set block dimension 4, tiling key 2; null "
                                         "pointers that the context gave it: GetOptionalInputShape(7)"));
}

// The kernel reads a structure of its own in place of the registered one.
constexpr const char* kGetTiling = "GET_TILING_DATA(data, tiling);";

TEST_F(ProjectFaultTest, TilingDataShorterThanTheKernelsStructureByOneMember) {
  auto request = with_tiling("");
  replace(request, "op_kernel/add_custom.cpp", kGetTiling,
          "struct Mine { uint32_t totalLength, tileLength, more; }; GET_TILING_DATA_WITH_STRUCT(Mine, data, tiling);");
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_GT(result.cases(0).faults_size(), 0);
  EXPECT_EQ(result.cases(0).faults(0).fault_class(), "gm");
  EXPECT_THAT(result.cases(0).faults(0).message(), HasSubstr("Mine has 12 bytes, the tiling data has 8"));
}

TEST_F(ProjectFaultTest, TilingDataLongerThanTheKernelsStructureIsAWarning) {
  auto request = with_tiling("");
  replace(request, "op_kernel/add_custom.cpp", kGetTiling,
          "struct Mine { uint32_t totalLength; }; GET_TILING_DATA_WITH_STRUCT(Mine, mine, tiling);\n"
          "  struct { uint32_t totalLength, tileLength; } data = {mine.totalLength, mine.totalLength};");
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases(0).faults_size(), 1) << result.cases(0).ShortDebugString();
  const proto::Fault& fault = result.cases(0).faults(0);
  EXPECT_EQ(fault.severity(), proto::WARNING);
  EXPECT_THAT(fault.message(), HasSubstr("Mine has 4 bytes, but the host side set 8 bytes of tiling data"));
}

TEST_F(ProjectFaultTest, NullPointerInTiling) {
  const auto fault = only_fault(
      execute(with_tiling("  context->SetBlockDim(context->GetInputShape(7)->GetStorageShape().GetDim(0));")));
  EXPECT_THAT(fault.message(), HasSubstr("the host side crashed in the tiling function"));
}

TEST_F(ProjectFaultTest, EndlessLoopInTiling) {
  const auto fault = only_fault(execute(with_tiling("  volatile int more = 1;\n  while (more) {}")));
  EXPECT_EQ(fault.fault_class(), "limit");
  EXPECT_THAT(fault.message(), HasSubstr("the host side was stopped at the time limit of 2 s"));
}

TEST_F(ProjectFaultTest, WritingBeyondTheTilingData) {
  const auto fault = only_fault(execute(with_tiling(
      "  gert::TilingData* raw = context->GetRawTilingData();\n"
      "  for (size_t i = 0; i <= raw->GetCapacity() + 4096; ++i) static_cast<char*>(raw->GetData())[i] = 1;")));
  EXPECT_THAT(fault.message(), HasSubstr("crashed in the tiling function"));
}

TEST_F(ProjectFaultTest, MoreTilingDataThanThereIsRoomFor) {
  const auto fault = only_fault(
      execute(with_tiling("  context->SetBlockDim(1);\n  "
                          "context->GetRawTilingData()->SetDataSize(context->GetRawTilingData()->GetCapacity() "
                          "+ 1);\n  return ge::GRAPH_SUCCESS;")));
  EXPECT_THAT(fault.message(), HasSubstr("SetDataSize(65537) on tiling data of at most 65536 bytes"));
}

TEST_F(ProjectFaultTest, NoBlockDimension) {
  EXPECT_THAT(only_fault(execute(with_tiling("  return ge::GRAPH_SUCCESS;"))).message(),
              HasSubstr("sets no block dimension"));
}

TEST_F(ProjectFaultTest, ExceptionThatNobodyCatches) {
  const auto fault =
      only_fault(execute(with_tiling("  throw std::runtime_error(\"too odd\");", "#include <stdexcept>")));
  EXPECT_THAT(fault.message(), AllOf(HasSubstr("threw an exception in the tiling function"), HasSubstr("too odd")));
}

TEST_F(ProjectFaultTest, ThreadsSocketsAndProgramsAreOutOfReach) {
  for (const char* code :
       {"  fork();", "  socket(2, 1, 0);", "  execl(\"/bin/sh\", \"sh\", nullptr);", "  kill(1, 9);"}) {
    const auto fault =
        only_fault(execute(with_tiling(code, "#include <unistd.h>\n#include <signal.h>\n#include <sys/socket.h>")));
    EXPECT_EQ(fault.fault_class(), "trap");
    EXPECT_THAT(fault.message(), AllOf(HasSubstr("forbidden system call"), HasSubstr("the host side")));
  }
}

TEST_F(ProjectFaultTest, FilesOfTheHostAreNotThere) {
  if (less_isolation()) GTEST_SKIP() << "without namespaces files are readable";
  const auto result = execute(
      with_tiling("  for (const char* path : {\"/etc/passwd\", \"/root\", \"/home\", \"/proc/self/environ\"}) {\n"
                  "    std::ifstream file(path);\n    std::string word;\n    if (file >> word) std::cout << \"READ \" "
                  "<< path << std::endl;\n  }\n"
                  "  std::ofstream(\"/kernel/kernel.so\") << \"x\";",
                  "#include <fstream>\n#include <iostream>\n#include <string>"));
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 1);
  EXPECT_EQ(result.cases(0).host().log().find("READ"), std::string::npos) << result.cases(0).host().log();
}

TEST_F(ProjectFaultTest, MemoryWithoutEnd) {
  const auto fault = only_fault(execute(with_tiling(
      "  std::vector<std::vector<char>> all;\n  for (;;) all.emplace_back(1 << 24, 'x');", "#include <vector>")));
  EXPECT_EQ(fault.fault_class(), "limit");
}

TEST_F(ProjectFaultTest, EndingTheProcess) {
  EXPECT_THAT(only_fault(execute(with_tiling("  _exit(0);", "#include <unistd.h>"))).message(),
              HasSubstr("ended with status 0 and no result"));
}

TEST_F(ProjectFaultTest, FunctionThatNobodyDefines) {
  const auto fault = only_fault(execute(with_tiling(
      "  Nowhere(context);", "namespace gert { class TilingContext; }\nvoid Nowhere(gert::TilingContext*);")));
  EXPECT_THAT(fault.message(), HasSubstr("does not link: undefined symbol"));
}

TEST_F(ProjectFaultTest, HostThatDoesNotCompile) {
  const auto result = execute(with_tiling("  context->SetBlockDimension(3);"));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), AllOf(HasSubstr("op_host/add_custom.cpp:"), HasSubstr("SetBlockDimension")));
}

TEST_F(ProjectFaultTest, AKernelsCallOnTheHostSideIsTold) {
  const auto result =
      execute(with_tiling("  uint32_t length = AscendC::GetSortLen<float>(32);", "#include \"tiling/tiling_api.h\""));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(),
              AllOf(HasSubstr("no member named 'GetSortLen'"),
                    HasSubstr("it is a call of kernels, which the host side does not have"), Not(HasSubstr("form:"))));
}

TEST_F(ProjectFaultTest, KernelThatDoesNotCompile) {
  auto request = with_tiling("");
  replace(request, "op_kernel/add_custom.cpp", "data.tileLength", "data.tileSize");
  const auto result = execute(request);
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), AllOf(StartsWith("op_kernel/add_custom.cpp:53"), HasSubstr("tileSize")));
}

TEST_F(ProjectFaultTest, TilingDataThatWereNeverSaved) {
  auto request = with_tiling("");
  replace(request, "op_host/add_custom.cpp", "context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());", "");
  const auto fault = only_fault(execute(request));
  EXPECT_EQ(fault.fault_class(), "gm");
  EXPECT_THAT(fault.message(), AllOf(HasSubstr("AddCustomTilingData has 8 bytes"), HasSubstr("SetDataSize")));
}

TEST_F(ProjectFaultTest, TilingKeyThatTheKernelDoesNotKnow) {
  auto request = with_tiling("  context->SetTilingKey(4);");
  EXPECT_THAT(only_fault(execute(request)).message(), HasSubstr("sets tiling key 4"));
}

TEST_F(ProjectFaultTest, OperatorForAnotherChip) {
  auto request = with_tiling("");
  replace(request, "op_host/add_custom.cpp", "ascend910b", "ascend310p");
  replace(request, "op_host/add_custom.cpp", "ascend910_93", "ascend310b");
  EXPECT_THAT(only_fault(execute(request)).message(), HasSubstr("not registered for this chip"));
}

TEST_F(ProjectFaultTest, InferShapeThatDisagreesIsAWarning) {
  auto request = with_tiling("");
  replace(request, "op_host/add_custom.cpp", "*context->GetOutputShape(0) = *context->GetInputShape(0);",
          "context->GetOutputShape(0)->SetDimNum(1); context->GetOutputShape(0)->SetDim(0, 5);");
  const auto result = execute(request);
  ASSERT_TRUE(result.cases(0).ran());
  ASSERT_EQ(result.cases(0).faults_size(), 1);
  EXPECT_EQ(result.cases(0).faults(0).severity(), proto::WARNING);
  EXPECT_THAT(result.cases(0).faults(0).message(), HasSubstr("InferShape gives output \"z\" another shape"));
}

TEST_F(ProjectFaultTest, PathsThatLeaveTheProject) {
  for (const char* path : {"../op_host/x.cpp", "/op_host/x.cpp", "op_host/../../x.cpp", "op_host/a b.cpp"}) {
    auto request = with_tiling("");
    request.add_project()->set_path(path);
    const auto result = execute(request);
    EXPECT_FALSE(result.compiled());
    EXPECT_THAT(result.compiler_output(), HasSubstr("cannot be a path of a project"));
  }
}

}  // namespace
}  // namespace kg::sandbox::testing
