#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sandbox/programs/direct_launch.h"
#include "sandbox/programs/project_files.h"

namespace kg::sandbox {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

proto::ExecutionRequest files(std::initializer_list<std::pair<const char*, const char*>> list) {
  proto::ExecutionRequest request;
  for (const auto& [path, content] : list) {
    proto::ProjectFile& file = *request.add_project();
    file.set_path(path);
    file.set_content(content);
  }
  return request;
}

TEST(Project, SourcesAreFoundBelowAnyFolderAndTheInterfaceIsLeftOut) {
  const Project project = read_project(files({{"question/op_host/add.cpp", "x"},
                                              {"question/op_host/tiling/add_tiling.cpp", ""},
                                              {"question/op_host/add_tiling.h", ""},
                                              {"question/op_host/op_api/aclnn_add.cpp", ""},
                                              {"question/op_host/add_l0.cpp", "#include \"opdev/op_log.h\""},
                                              {"question/op_kernel/add.cpp", ""}}));
  EXPECT_THAT(project.host_sources, ElementsAre("op_host/add.cpp", "op_host/tiling/add_tiling.cpp"));
  EXPECT_THAT(project.kernel_sources, ElementsAre("op_kernel/add.cpp"));
  EXPECT_EQ(kernel_file(project, "add"), "op_kernel/add.cpp");
  EXPECT_THROW(kernel_file(project, "sub"), Error);
}

TEST(Project, TheHostSideReadsWhatItsFilesIncludeOneByOne) {
  const auto content = [](const char* kernel, const char* tiling, const char* host) {
    return host_content(read_project(files({{"op_host/add.cpp", host},
                                            {"op_kernel/add.cpp", kernel},
                                            {"op_kernel/parts/add_tiling.h", "# include <numbers.h>\n"},
                                            {"op_kernel/numbers.h", tiling}})));
  };
  const char* const host = "// add.cpp\n#include \"../op_kernel/parts/add_tiling.h\"\n";
  EXPECT_EQ(content("a", "1", host), content("b", "1", host));
  EXPECT_NE(content("a", "1", host), content("a", "2", host));
  EXPECT_EQ(content("a", "1", "int x;"), content("b", "2", "int x;"));
  EXPECT_NE(content("a", "1", "int x;"), content("a", "1", "int y;"));
  // Names that only the preprocessor knows.
  for (const char* unknown : {"#include NAME\n", "#if __has_include(\"a.h\")\n#endif\n", "#include"})
    EXPECT_NE(content("a", "1", unknown), content("b", "1", unknown)) << unknown;
}

TEST(Project, ALineOfAMillionCharactersIsReadLikeAnyOther) {
  const std::string name(1'000'000, 'x');
  for (const std::string& line : {"#include \"" + name + "\"\n", "#include " + name, "REGISTER_TILING_DEFAULT(" + name,
                                  "REGISTER_TILING_DEFAULT(" + name + ");"}) {
    const Project project = read_project(files({{"op_host/a.cpp", line.c_str()}, {"op_kernel/a.cpp", line.c_str()}}));
    EXPECT_FALSE(host_content(project).empty());
    EXPECT_EQ(registered_tiling(project).find(name) != std::string::npos, line.ends_with(";"));
  }
}

TEST(Project, RegisteredStructuresBecomePreprocessorLinesWithoutComments) {
  const Project project = read_project(
      files({{"op_host/a.cpp", ""},
             {"op_kernel/a.cpp",
              "// REGISTER_TILING_DEFAULT(Wrong);\n/* REGISTER_TILING_DEFAULT(Wrong); */\n"
              "REGISTER_TILING_DEFAULT(ns::Usual);\n"
              "REGISTER_TILING_FOR_TILINGKEY(\"TILING_KEY_VAR == 1\", One);\n"
              "REGISTER_TILING_FOR_TILINGKEY(\"(TILING_KEY_VAR >= 10) && (TILING_KEY_VAR < 20)\", Ten);\n"}}));
  EXPECT_EQ(registered_tiling(project),
            "#if TILING_KEY_VAR == 1\n#undef KG_TILING_STRUCT\n#define KG_TILING_STRUCT One\n"
            "#elif (TILING_KEY_VAR >= 10) && (TILING_KEY_VAR < 20)\n#undef KG_TILING_STRUCT\n#define KG_TILING_STRUCT "
            "Ten\n#else\n#undef KG_TILING_STRUCT\n#define KG_TILING_STRUCT ns::Usual\n#endif\n");
}

TEST(Project, WithoutHostOrKernelThereIsNone) {
  EXPECT_THROW(read_project(files({{"op_kernel/a.cpp", ""}})), Error);
  EXPECT_THROW(read_project(files({{"op_host/a.cpp", ""}})), Error);
  EXPECT_THROW(read_project(files({{"op_host/a.cpp", ""}, {"op_kernel/a.cpp", ""}, {"a//b.h", ""}})), Error);
}

TEST(DirectLaunch, EveryLaunchIsRewrittenAndTheHostFunctionFound) {
  const std::string source =
      "void one(int b, void* s, uint8_t* x) { if (b > 0) { k::run<half, (3)> <<<b, nullptr, s>>>(x); } }\n"
      "void two(int b, void* s, uint8_t* x) {\n  other<<<b, nullptr, s>>>(x);  // old<<<1>>>(x)\n}\n";
  const DirectLaunch direct = read_direct_launch(source, "run");
  EXPECT_EQ(direct.host_function, "one");
  EXPECT_THAT(direct.source, HasSubstr("{ KG_LAUNCH<k::run<half, (3)> >(b, nullptr, s)(x); }"));
  EXPECT_THAT(direct.source, HasSubstr("  KG_LAUNCH<other>(b, nullptr, s)(x);  // old<<<1>>>(x)"));
  EXPECT_EQ(read_direct_launch(source, "two").host_function, "two");
  EXPECT_THROW(read_direct_launch(source, "old"), Error);
}

TEST(DirectLaunch, AFunctionThatLaunchesThroughAnotherIsAnEntryPoint) {
  const std::string source =
      "__global__ __aicore__ void unused(GM_ADDR x) {}\n"
      "void one(int b, void* s, uint8_t* x) { run<<<b, nullptr, s>>>(x); }\n"
      "namespace a { void three(int b, void* s, uint8_t* x); void three (int b, void* s, uint8_t* x)\n{ one(b, s, x); "
      "} }\n";
  EXPECT_EQ(read_direct_launch(source, "three").host_function, "a::three");
  EXPECT_THROW(read_direct_launch(source, "unused"), Error);  // a kernel that nothing launches
  EXPECT_THROW(read_direct_launch(source, "four"), Error);
}

TEST(DirectLaunch, TheBodyOfMainIsLeftOutWhereAnotherFunctionLaunches) {
  const std::string start = "void start(int b, void* s, uint8_t* x) { run<<<b, nullptr, s>>>(x); }\n";
  const std::string two =
      "#ifdef A\nint main() { if (a) { b(); } }\n#else\nint main(int n, char** v) {\n aclInit(0);\n"
      " run<<<8, nullptr, s>>>(x);\n}\n#endif\n";
  const DirectLaunch direct = read_direct_launch(start + two, "run");
  EXPECT_EQ(direct.host_function, "start");
  EXPECT_THAT(direct.source, AllOf(HasSubstr("int main() { "), HasSubstr("char** v) {\n"), HasSubstr("\n}\n#endif"),
                                   Not(HasSubstr("aclInit")), Not(HasSubstr("<8,"))));
  EXPECT_THROW(read_direct_launch(two, "run"), Error);
}

// Macros that define kernels with their launchers; that launch in a function that uses them; that use one another.
TEST(DirectLaunch, LaunchInsideAMacroBelongsToTheFunctionThatItsUseMakes) {
  const std::string source =
      "#define MAKE(name, type) \\\n  void run_##name(int b, void* s, uint8_t* x) \\\n"
      "  { name##_kernel<type> \\\n <<<b, nullptr, s>>>(x); }\n"
      "#define BOTH(name) MAKE(name##_half, half) MAKE(name##_float, float)\n"
      "#define START(kernel, ...) kernel<<<__VA_ARGS__>>>\n"
      "BOTH(add)\nMAKE(mul, half)\n"
      "namespace own { void start_it(int b, void* s, uint8_t* x) { START(other, b, nullptr, s)(x); } }\n";
  const DirectLaunch direct = read_direct_launch(source, "run_add_float");
  EXPECT_EQ(direct.host_function, "run_add_float");
  EXPECT_THAT(direct.source, HasSubstr("{ KG_LAUNCH<name##_kernel<type> \\\n >(b, nullptr, s)(x); }"));
  EXPECT_THAT(direct.source, HasSubstr("KG_LAUNCH<kernel>(__VA_ARGS__)\n"));
  EXPECT_EQ(read_direct_launch(source, "add_half_kernel").host_function, "run_add_half");
  EXPECT_EQ(read_direct_launch(source, "mul_kernel").host_function, "run_mul");
  EXPECT_EQ(read_direct_launch(source, "other").host_function, "own::start_it");
  EXPECT_THROW(read_direct_launch(source, "name_kernel"), Error);
  const std::string without = without_launchers(source);
  EXPECT_THAT(without, Not(HasSubstr("<<<")));
  EXPECT_EQ(std::count(without.begin(), without.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
}

// Each doubles the one before, more than memory has.
TEST(DirectLaunch, MacrosThatExplodeEnd) {
  std::string source = "#define M0(x) k<<<1, 0, s>>>(x); x x x x\n";
  for (int i = 1; i < 30; ++i)
    source += "#define M" + std::to_string(i) + "(x) M" + std::to_string(i - 1) + "(x x x x x x x x x x)\n";
  source += "void f(int b, void* s, uint8_t* x) { M29(x) k<<<b, 0, s>>>(x); }\n";
  try {
    EXPECT_EQ(read_direct_launch(source, "k").host_function, "f");
  } catch (const Error&) {  // too much text: the launch is not found
  }
}

TEST(DirectLaunch, ShiftsTextAndCommentsAreNoLaunches) {
  EXPECT_FALSE(
      launches_directly("// k<<<1>>>(x)\nconst char* t = \"k<<<1>>>(x)\"; /* <<< */ int a = 1 << 3; auto c = '<';"));
  EXPECT_TRUE(launches_directly("k<<<1, 0, s>>>(x);"));
}

}  // namespace
}  // namespace kg::sandbox
