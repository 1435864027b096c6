#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/integration/project_fixture.h"

namespace kg::sandbox::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ProjectTest : public ProjectFixture {};

TEST_F(ProjectTest, AddCustomRunsInTheDataTypeOfTheCaseWithTheBlocksOfItsTiling) {
  proto::ExecutionRequest request = project_request("add_custom");
  for (const proto::DType dtype : {proto::FLOAT32, proto::FLOAT16, proto::INT32}) {
    proto::RunCase& one = *request.add_cases();
    add_input(one, "x", dtype, {3, 700}, ramp(2100, 1));
    add_input(one, "y", dtype, {3, 700}, ramp(2100, 2));
    add_output(one, "z", dtype, {3, 700});
  }
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 3);
  for (const proto::CaseResult& one : result.cases()) {
    ASSERT_TRUE(one.ran()) << one.ShortDebugString();
    EXPECT_EQ(errors_of(one), "");
    EXPECT_EQ(one.host().block_dim(), 5u);
    EXPECT_EQ(one.host().tiling_key(), 0u);
    EXPECT_EQ(one.host().tiling_data(), std::string("\x34\x08\0\0\0\x02\0\0", 8));
    ASSERT_EQ(one.host().inferred_size(), 1);
    EXPECT_THAT(one.host().inferred(0).shape(), ElementsAre(3, 700));
    const std::vector<double> z = values_of(one.outputs(0));
    for (std::size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z[i], ramp(2100, 1)[i] + ramp(2100, 2)[i]) << i;
  }
}

// The host side's precompiled header is made for the first project, and serves all that come later.
TEST_F(ProjectTest, TheFirstProjectOnAMachineLeavesNothingForOthers) {
  const TemporaryFolder home;
  fs::permissions(home.path(), fs::perms(0755));
  const Environment cache("KGTRAIN_HOME", home.path());
  proto::ExecutionRequest request = project_request("add_custom");
  proto::RunCase& one = *request.add_cases();
  for (const char* name : {"x", "y"}) add_input(one, name, proto::FLOAT32, {64}, ramp(64, 1));
  add_output(one, "z", proto::FLOAT32, {64});
  proto::ExecutionRequest first = request;
  for (const char* path : {"op_def_registry.pch/a.h", "op_host/register/op_def_registry.h", "cstdint", "string"}) {
    proto::ProjectFile& file = *first.add_project();
    file.set_path(path);
    file.set_content("#error a project's own file\n");
  }
  const auto sandbox = start_sandbox(options());
  EXPECT_EQ(sandbox->execute(first).sandbox_error(), "");
  const auto result = sandbox->execute(request);
  EXPECT_EQ(result.sandbox_error(), "");
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  EXPECT_TRUE(result.cases(0).ran());
}

TEST_F(ProjectTest, AnotherKernelNeedsNoNewHostSide) {
  const TemporaryFolder cache;
  fs::permissions(cache.path(), fs::perms(0755));
  SandboxOptions with_cache = options();
  with_cache.cache_folder = cache.path();
  const auto sandbox = start_sandbox(with_cache);
  const auto run = [&](const char* comment) {
    proto::ExecutionRequest request = project_request("add_custom");
    for (proto::ProjectFile& file : *request.mutable_project())
      if (file.path() == "op_kernel/add_custom.cpp") file.mutable_content()->append(comment);
    proto::RunCase& one = *request.add_cases();
    for (const char* name : {"x", "y"}) add_input(one, name, proto::FLOAT32, {64}, ramp(64, 1));
    add_output(one, "z", proto::FLOAT32, {64});
    const auto result = sandbox->execute(request);
    EXPECT_TRUE(result.compiled() && result.cases(0).ran()) << result.DebugString();
  };
  const auto compiled = [&] {
    std::size_t objects = 0;
    for (const auto& entry : fs::directory_iterator(cache.path() / "kernels"))
      objects += entry.path().extension() == ".o" ? 1 : 0;
    return objects;
  };
  run("\n// one\n");
  EXPECT_EQ(compiled(), 2U);  // the host side and a kernel
  run("\n// another\n");
  EXPECT_EQ(compiled(), 3U);
}

TEST_F(ProjectTest, WrongTypeIsToldWithTheColumnsThatThereAre) {
  proto::ExecutionRequest request = project_request("add_custom");
  proto::RunCase& one = *request.add_cases();
  for (const char* name : {"x", "y"}) add_input(one, name, proto::INT16, {64}, ramp(64, 1));
  add_output(one, "z", proto::INT16, {64});
  EXPECT_THAT(only_fault(execute(request)).message(),
              AllOf(HasSubstr("x DT_INT16, y DT_INT16, z DT_INT16"), HasSubstr("(DT_FLOAT, DT_FLOAT, DT_FLOAT)")));
}

TEST_F(ProjectTest, MissingInputIsToldWithBothLists) {
  proto::ExecutionRequest request = project_request("add_custom");
  proto::RunCase& one = *request.add_cases();
  add_input(one, "x", proto::FLOAT32, {64}, ramp(64, 1));
  add_output(one, "z", proto::FLOAT32, {64});
  EXPECT_THAT(only_fault(execute(request)).message(), HasSubstr("inputs (x, y) do not fit the task's (x)"));
}

proto::RunCase scale_shift(proto::DType dtype, bool bias) {
  proto::RunCase one;
  add_input(one, "x", dtype, {4, 16}, ramp(64, 1));
  if (bias) add_input(one, "bias", dtype, {4, 16}, std::vector<double>(64, 100));
  add_output(one, "y", dtype, {4, 16});
  proto::Attribute& scale = *one.add_attributes();
  scale.set_name("scale");
  scale.set_real(0.5);
  return one;
}

TEST_F(ProjectTest, AttributesOptionalInputsAndTilingKeysReachTheKernel) {
  proto::ExecutionRequest request = project_request("scale_shift");
  *request.add_cases() = scale_shift(proto::FLOAT16, false);
  *request.add_cases() = scale_shift(proto::FLOAT32, true);
  proto::RunCase& third = *request.add_cases() = scale_shift(proto::FLOAT32, false);
  proto::Attribute& shifts = *third.add_attributes();
  shifts.set_name("shifts");
  for (const int value : {10, 20, 30}) shifts.mutable_integers()->add_values(value);
  proto::Attribute& negate = *third.add_attributes();
  negate.set_name("negate");
  negate.set_flag(true);
  proto::RunCase& fourth = *request.add_cases() = scale_shift(proto::FLOAT32, false);
  fourth.add_attributes()->set_name("mode");
  fourth.mutable_attributes(1)->set_text("none");
  proto::RunCase& fifth = *request.add_cases() = scale_shift(proto::INT32, false);
  fifth.add_attributes()->set_name("repeat");
  fifth.mutable_attributes(1)->set_integer(7);
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 5) << result.ShortDebugString();
  const double keys[] = {10, 20, 20, 20, 30};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(errors_of(result.cases(i)), "");
    EXPECT_EQ(result.cases(i).host().tiling_key(), keys[i]);
    const std::vector<double> y = values_of(result.cases(i).outputs(0));
    for (int n = 0; n < 64; ++n) {
      const double x = ramp(64, 1)[static_cast<std::size_t>(n)];
      const double wanted[] = {0.5 * x + 3, 0.5 * x + 103, -0.5 * x + 60, 0.5 * x, 7 * x};
      ASSERT_EQ(y[static_cast<std::size_t>(n)], wanted[i]) << "case " << i << " element " << n;
    }
  }
  // float, 4 of padding; byte, 7 of padding; 8; three integers, 4 of padding
  EXPECT_EQ(result.cases(0).host().tiling_data().size(), 40u);
  EXPECT_EQ(result.cases(4).host().tiling_data().size(), 8u);
}

// Those of a PyTorch module are told apart by name; the definition need not have all.
TEST_F(ProjectTest, ConstantsOfAModuleAreTheAttributesOfTheirNames) {
  proto::ExecutionRequest request = project_request("scale_shift");
  proto::RunCase& one = *request.add_cases() = scale_shift(proto::FLOAT16, false);
  one.mutable_attributes(0)->set_constant(true);
  for (const char* name : {"width", "eps"}) {
    proto::Attribute& other = *one.mutable_attributes()->Add();
    other.set_name(name);
    other.set_constant(true);
    other.set_integer(512);
  }
  one.mutable_attributes()->SwapElements(0, 2);
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(errors_of(result.cases(0)), "");
  EXPECT_EQ(values_of(result.cases(0).outputs(0))[5], 0.5 * ramp(64, 1)[5] + 3);
}

// The default is silent otherwise: another number in the result was all that a wrong name led to.
TEST_F(ProjectTest, AConstantWhoseNameIsNearlyAnAttributesIsTold) {
  proto::ExecutionRequest request = project_request("scale_shift");
  proto::RunCase& one = *request.add_cases() = scale_shift(proto::FLOAT16, false);
  one.mutable_attributes(0)->set_constant(true);
  for (const char* name : {"neg", "do_repeat", "hidden_mode", "width"}) {
    proto::Attribute& other = *one.mutable_attributes()->Add();
    other.set_name(name);
    other.set_constant(true);
    other.set_integer(1);
  }
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  std::string found;
  for (const proto::Fault& fault : result.cases(0).faults()) found += fault.message() + "\n";
  EXPECT_THAT(found, HasSubstr("\"negate\" keeps its default, and no attribute takes the module's \"neg\""));
  EXPECT_THAT(found, HasSubstr("\"repeat\" keeps its default, and no attribute takes the module's \"do_repeat\""));
  EXPECT_EQ(result.cases(0).faults_size(), 2) << found;
  EXPECT_EQ(errors_of(result.cases(0)), "");
}

// The device's host side hands out a pointer, whatever the type; numbers read through it are garbage.
TEST_F(ProjectTest, AnAttributeReadAsAnotherTypeIsTold) {
  const std::pair<const char*, const char*> wrong[] = {
      {"*attributes->GetInt(2)",
       "attribute 2 is \"mode\", declared with .String(), and the host side reads it as an integer"},
      {"*attributes->GetInt(4) + (attributes->GetListFloat(1) == nullptr)",
       "attribute 1 is \"shifts\", declared with .ListInt(), and the host side reads it as a list of floats"},
      {"*attributes->GetInt(4) + (attributes->GetAttrPointer<double>(0) == nullptr)",
       "attribute 0 is \"scale\", declared with .Float(), and the host side reads it as a double"},
      {"*attributes->GetAttrPointer<int32_t>(4)", ""}};
  for (const auto& [instead, message] : wrong) {
    proto::ExecutionRequest request = project_request("scale_shift");
    for (proto::ProjectFile& file : *request.mutable_project()) {
      const std::string right = "*attributes->GetInt(4)";
      const std::size_t at = file.content().find(right);
      if (at == std::string::npos) continue;
      file.mutable_content()->replace(at, right.size(), instead);
    }
    *request.add_cases() = scale_shift(proto::FLOAT16, false);
    const auto result = execute(request);
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    EXPECT_EQ(errors_of(result.cases(0)), "");
    std::string found;
    for (const proto::Fault& fault : result.cases(0).faults()) found += fault.message() + "\n";
    EXPECT_THAT(found, HasSubstr(message));
    EXPECT_EQ(found.empty(), std::string(message).empty()) << found;
  }
}

TEST_F(ProjectTest, RequiredAttributeThatTheTaskLacksIsNamed) {
  proto::ExecutionRequest request = project_request("scale_shift");
  proto::RunCase& one = *request.add_cases() = scale_shift(proto::FLOAT16, false);
  one.clear_attributes();
  EXPECT_THAT(only_fault(execute(request)).message(), HasSubstr("required attribute \"scale\""));
}

TEST_F(ProjectTest, DynamicListsAreReadByDescriptorAndScalarsTakeTheDefinitionsType) {
  proto::ExecutionRequest request = project_request("foreach_muladd");
  const std::vector<std::vector<std::int64_t>> shapes = {{25}, {4, 8}, {2, 3, 5}};
  for (const proto::DType dtype : {proto::FLOAT16, proto::FLOAT32}) {
    proto::RunCase& one = *request.add_cases();
    for (const char* name : {"x1", "x2"})
      for (const auto& shape : shapes) {
        const std::size_t count = static_cast<std::size_t>(proto::element_count(shape));
        add_input(one, name, dtype, shape, ramp(count, name[1] == '1' ? 1 : 3)).set_kind(proto::DYNAMIC);
      }
    add_input(one, "scalar", proto::FLOAT64, {}, {2});
    for (const auto& shape : shapes) add_output(one, "y", dtype, shape).set_kind(proto::DYNAMIC);
  }
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 2) << result.ShortDebugString();
  for (const proto::CaseResult& one : result.cases()) {
    EXPECT_EQ(errors_of(one), "");
    EXPECT_EQ(one.host().block_dim(), 3u);
    ASSERT_EQ(one.outputs_size(), 3);
    for (int t = 0; t < 3; ++t) {
      const std::vector<double> y = values_of(one.outputs(t));
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y[i], ramp(y.size(), 1)[i] * 2 + ramp(y.size(), 3)[i]) << t << " " << i;
    }
  }
}

// A PyTorch module's lists are tensors with numbers in their names, its results out0, out1 and so on.
TEST_F(ProjectTest, SingleTensorsMakeTheListsOfTheDefinition) {
  proto::ExecutionRequest request = project_request("foreach_muladd");
  for (const bool by_name : {true, false}) {
    proto::RunCase& one = *request.add_cases();
    for (const char* name : {"x1", "x2"})
      for (int i = 0; i < 2; ++i)
        add_input(one, by_name ? name + ("_" + std::to_string(i)) : name + std::string(1, static_cast<char>('a' + i)),
                  proto::FLOAT32, {8 + i}, ramp(8 + static_cast<std::size_t>(i), name[1] == '1' ? 1 : 3));
    add_input(one, "scalar", proto::FLOAT64, {}, {2});
    for (int i = 0; i < 2; ++i) add_output(one, "out" + std::to_string(i), proto::FLOAT32, {8 + i});
  }
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  for (const proto::CaseResult& one : result.cases()) {
    ASSERT_EQ(errors_of(one), "");
    ASSERT_EQ(one.outputs_size(), 2);
    for (int t = 0; t < 2; ++t) {
      const std::vector<double> y = values_of(one.outputs(t));
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y[i], ramp(y.size(), 1)[i] * 2 + ramp(y.size(), 3)[i]) << t << " " << i;
    }
  }
}

// A project with other text in some places.
proto::ExecutionRequest changed_project(const std::string& name,
                                        const std::vector<std::pair<std::string, std::string>>& places) {
  proto::ExecutionRequest request = project_request(name);
  for (const auto& [from, to] : places) {
    bool found = false;
    for (proto::ProjectFile& file : *request.mutable_project())
      if (const std::size_t at = file.content().find(from); at != std::string::npos) {
        file.mutable_content()->replace(at, from.size(), to);
        found = true;
      }
    EXPECT_TRUE(found) << from;
  }
  return request;
}

TEST_F(ProjectTest, SeveralOutputsAndTheUsersWorkspaceBehindTheSystems) {
  proto::ExecutionRequest request = project_request("row_stats");
  proto::RunCase& one = *request.add_cases();
  add_input(one, "x", proto::FLOAT32, {3, 64}, ramp(192, 1));
  add_output(one, "total", proto::FLOAT32, {3});
  add_output(one, "largest", proto::FLOAT32, {3});
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 1);
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  EXPECT_EQ(errors_of(result.cases(0)), "");
  const std::vector<double> x = ramp(192, 1);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(values_of(result.cases(0).outputs(0))[row], 2 * std::accumulate(&x[row * 64], &x[row * 64] + 64, 0.0));
    EXPECT_EQ(values_of(result.cases(0).outputs(1))[row], 2 * *std::max_element(&x[row * 64], &x[row * 64] + 64));
  }
}

TEST_F(ProjectTest, AnOptionalOutputThatTheTaskLacksIsANullPointerInItsPlace) {
  proto::ExecutionRequest request = changed_project(
      "row_stats", {{"this->Output(\"total\").ParamType(REQUIRED)", "this->Output(\"total\").ParamType(OPTIONAL)"},
                    {"DataCopyPad(sums[i], r, one);", "if (total != nullptr) DataCopyPad(sums[i], r, one);"}});
  proto::RunCase& one = *request.add_cases();
  add_input(one, "x", proto::FLOAT32, {3, 64}, ramp(192, 1));
  add_output(one, "largest", proto::FLOAT32, {3});
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  EXPECT_EQ(errors_of(result.cases(0)), "");
  ASSERT_EQ(result.cases(0).outputs_size(), 1);
  const std::vector<double> x = ramp(192, 1);
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_EQ(values_of(result.cases(0).outputs(0))[row], 2 * *std::max_element(&x[row * 64], &x[row * 64] + 64));
}

TEST_F(ProjectTest, OutputOfTheNameOfAnInputIsInItsPlaceAndTheHostReadsValuesItDependsOn) {
  proto::ExecutionRequest request = project_request("accumulate");
  proto::RunCase& one = *request.add_cases();
  add_input(one, "var", proto::FLOAT32, {32}, ramp(32, 5));
  add_input(one, "x", proto::FLOAT32, {32}, ramp(32, 1));
  add_input(one, "count", proto::INT64, {1}, {16});
  add_output(one, "var", proto::FLOAT32, {32});
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  EXPECT_EQ(errors_of(result.cases(0)), "");
  for (std::size_t i = 0; i < 32; ++i)
    EXPECT_EQ(values_of(result.cases(0).outputs(0))[i], ramp(32, 5)[i] + (i < 16 ? ramp(32, 1)[i] : 0));
}

proto::ExecutionRequest changed(const std::vector<std::pair<std::string, std::string>>& places) {
  proto::ExecutionRequest request = changed_project("add_custom", places);
  proto::RunCase& one = *request.add_cases();
  add_input(one, "x", proto::FLOAT32, {64}, ramp(64, 1));
  add_input(one, "y", proto::FLOAT32, {64}, ramp(64, 3));
  add_output(one, "z", proto::FLOAT32, {64});
  return request;
}

TEST_F(ProjectTest, AnOutputWithAnInitialValueIsZeroedIfTheTilingNeedsAtomics) {
  const std::pair<std::string, std::string> sums = {
      "DataCopyPad(z_[at], z, copy);", "SetAtomicAdd<T>(); DataCopyPad(z_[at], z, copy); SetAtomicNone();"};
  const std::pair<std::string, std::string> needs = {"workspace[0] = 0;",
                                                     "workspace[0] = 0; context->SetNeedAtomic(true);"};
  const std::pair<std::string, std::string> initial = {"this->Output(\"z\")",
                                                       "this->Output(\"z\").InitValue({ScalarType::FLOAT32, 0.0})"};
  const auto result = execute(changed({sums, needs, initial}));
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  EXPECT_EQ(errors_of(result.cases(0)), "");
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(values_of(result.cases(0).outputs(0))[i], ramp(64, 1)[i] + ramp(64, 3)[i]);
  const auto without = execute(changed({sums, initial}));
  EXPECT_NE(errors_of(without.cases(0)), "");
  EXPECT_NE(without.cases(0).ShortDebugString().find("the tiling function does not call context->SetNeedAtomic(true)"),
            std::string::npos);
  EXPECT_NE(errors_of(execute(changed({sums, needs})).cases(0)), "");
}

TEST_F(ProjectTest, AFileOfItsOwnRegistersAChipAndARuleForTypes) {
  proto::ExecutionRequest request = changed({{"this->AICore().AddConfig(\"ascend910b\");", ""},
                                             {"this->AICore().AddConfig(\"ascend910_93\");", ""},
                                             {".SetInferDataType(ge::InferDataType)", ""}});
  proto::ProjectFile& file = *request.add_project();
  file.set_path("op_host/add_custom_910b.cpp");
  file.set_content(
      "#include \"register/op_config_registry.h\"\n"
      "namespace ops {\n"
      "REGISTER_OP_AICORE_CONFIG(AddCustom, ascend910b, []() { return OpAICoreConfig(\"ascend910b\"); });\n"
      "IMPL_OP(AddCustom).InferOutDataTypeSameWithFirstInput();\n"
      "}\n");
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 1);
  EXPECT_EQ(errors_of(result.cases(0)), "");
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(values_of(result.cases(0).outputs(0))[i], ramp(64, 1)[i] + ramp(64, 3)[i]);
}

TEST_F(ProjectTest, TilingOfTheLibraryIsNestedAsTheKernelsHeadersHaveIt) {
  proto::ExecutionRequest request = project_request("softmax_rows");
  proto::RunCase& one = *request.add_cases();
  std::vector<double> x = ramp(4 * 32, 1);
  for (double& value : x) value /= 16;
  add_input(one, "x", proto::FLOAT32, {4, 32}, x);
  add_output(one, "y", proto::FLOAT32, {4, 32});
  const auto result = execute(request);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  EXPECT_EQ(errors_of(result.cases(0)), "");
  const std::vector<double> y = values_of(result.cases(0).outputs(0));
  for (std::size_t row = 0; row < 4; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 32; ++i) sum += std::exp(x[row * 32 + i]);
    for (std::size_t i = 0; i < 32; ++i) ASSERT_NEAR(y[row * 32 + i], std::exp(x[row * 32 + i]) / sum, 1e-6);
  }
}

}  // namespace
}  // namespace kg::sandbox::testing
