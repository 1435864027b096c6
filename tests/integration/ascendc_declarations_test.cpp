// The calls have the types that the public documentation prints: a function pointer takes each of them, and templates
// take their arguments in the published order; so do methods, and the functions of the host side.
// ascendc_declarations.csv, ascendc_methods.csv and ascendc_host_declarations.csv are transcribed from the pages that
// they name. ascendc_traits.csv holds what a page says of a template: an expression that is true.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ascendc_kernel.h"
#include "base/file.h"
#include "base/join.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/compiler/find_tools.h"
#include "sandbox/compiler/installation.h"

namespace kg::npu::testing {
namespace {

// One prototype of a page. `arguments` are lists of arguments for the template parameters without a default: "half/1".
struct Declaration {
  std::string name, template_parameters, returns, parameters, arguments;
};

// Fields of a line of a table, of which some are in quotes.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::vector<Declaration> declarations(const std::string& table) {
  std::ifstream in(std::string(KG_SOURCE_DIR) + "/tests/integration/" + table);
  std::vector<Declaration> all;
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "name,template,returns,parameters,arguments,page");
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = fields_of(line);
    EXPECT_EQ(fields.size(), 6u) << line;
    EXPECT_TRUE(fields.back().starts_with("https://")) << line;
    all.push_back({fields[0], fields[1], fields[2], fields[3], fields[4]});
  }
  return all;
}

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

// "a, b<c, d>" at the commas outside of angle brackets.
std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> list;
  std::string one;
  int depth = 0;
  for (const char c : text.empty() ? text : text + ",") {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c != ',' || depth > 0) {
      one += c;
      continue;
    }
    list.push_back(one.substr(one.find_first_not_of(' ')));
    one.clear();
  }
  return list;
}

// "<T, isSetMask>" of "typename T, bool isSetMask = true": all parameters, or those without a default. A condition has
// no name and nobody writes an argument for it.
std::string arguments_of(const std::string& template_parameters, bool all) {
  std::vector<std::string> list;
  for (std::string parameter : list_of(template_parameters)) {
    const std::size_t equals = parameter.find(" = ");
    if ((!all && equals != std::string::npos) || parameter.find("enable_if") != std::string::npos) continue;
    parameter.resize(std::min(equals, parameter.size()));
    const bool pack = parameter.find("...") != std::string::npos;
    list.push_back(parameter.substr(parameter.find_last_of(" &") + 1) + (pack ? "..." : ""));
  }
  return "<" + join(list) + ">";
}

// What a program of the tables begins with.
constexpr const char* kSame = R"(
template <typename F, F* by_default, F* written>
__aicore__ inline void same() {
  static_assert(by_default == written, "the defaults are the published ones");
  F* pointer = by_default;
  (void)pointer;
}
)";

// A function with the template parameters of the page that names the call with its own defaults and with the page's;
// and a use of it for each list of arguments.
std::string statements(const Declaration& declaration, std::size_t number) {
  const std::string use = "use" + std::to_string(number), address = "&" + declaration.name;
  const bool is_template = !declaration.template_parameters.empty();
  std::string text = is_template ? "template <" + declaration.template_parameters + ">\n" : "";
  text +=
      "__aicore__ inline void " + use + "() {\n  same<" + declaration.returns + "(" + declaration.parameters + "), ";
  text += is_template ? address + arguments_of(declaration.template_parameters, false) + ", " + address +
                            arguments_of(declaration.template_parameters, true)
                      : address + ", " + address;
  text += ">();\n}\n";
  if (!is_template) return text;
  text += "__aicore__ inline void all_of_" + use + "() {\n";
  for (const std::string& list : words_of(declaration.arguments, ' ')) {
    text += "  " + use + "<" + join(words_of(list, '/')) + ">();\n";
  }
  return text + "}\n";
}

// What stands for each class, and for the names that its pages use for types.
const std::map<std::string, std::string> kClasses = {
    {"GlobalTensor", "using PrimType = T; using C = GlobalTensor<T>;"},
    {"LocalTensor", "using PrimType = T; using C = LocalTensor<T>;"},
    {"TPipe", "using C = TPipe;"},
    {"TQue", "using C = TQue<TPosition::VECIN, 2>;"},
    {"TQueBind", "using C = TQueBind<TPosition::VECIN, TPosition::VECOUT, 2>;"},
    {"TBuf", "using C = TBuf<TPosition::VECCALC>;"},
    {"TBufPool", "using C = TBufPool<TPosition::VECCALC>;"},
    {"TQueSync", "using C = TQueSync<PIPE_MTE2, PIPE_V>;"},
    {"GroupBarrier", "using C = GroupBarrier<PipeMode::MTE3_MODE>;"},
    {"TensorDesc", "using C = TensorDesc<T>;"},
    {"ListTensorDesc", "using C = ListTensorDesc;"},
    {"LocalMemAllocator", "using C = LocalMemAllocator<>;"},
    {"PlatformAscendC", "using C = platform_ascendc::PlatformAscendC;"},
    {"TilingContext", "using C = gert::TilingContext;"},
    {"ExtendedKernelContext", "using C = gert::ExtendedKernelContext;"},
    {"InferShapeContext", "using C = gert::InferShapeContext;"},
    {"InferDataTypeContext", "using C = gert::InferDataTypeContext;"},
    {"RuntimeAttrs", "using C = gert::RuntimeAttrs;"},
    {"CompileTimeTensorDesc", "using C = gert::CompileTimeTensorDesc;"},
    {"Shape", "using C = gert::Shape;"},
    {"StorageShape", "using C = gert::StorageShape;"},
    {"Tensor", "using C = gert::Tensor;"},
    {"TilingData", "using C = gert::TilingData;"},
    {"StorageFormat", "using C = gert::StorageFormat;"},
    {"ExpandDimsType", "using C = gert::ExpandDimsType;"},
    {"AnchorInstanceInfo", "using C = gert::AnchorInstanceInfo;"},
    {"ComputeNodeInfo", "using C = gert::ComputeNodeInfo;"},
    {"ContinuousVector", "using C = gert::ContinuousVector;"},
    {"TypedContinuousVector", "using C = gert::TypedContinuousVector<T>;"},
    {"ContinuousVectorVector", "using C = gert::ContinuousVectorVector;"},
    {"InferShapeRangeContext", "using C = gert::InferShapeRangeContext;"},
    {"Range", "using C = gert::Range<T>;"},
    {"OpImplRegisterV2", "using C = gert::OpImplRegisterV2;"},
    {"PlatformAscendCManager", "using C = platform_ascendc::PlatformAscendCManager;"},
    {"ge::Shape", "using C = ge::Shape;"},
    {"ge::AscendString", "using C = ge::AscendString;"},
    {"ge::TypeUtils", "using C = ge::TypeUtils;"},
    {"OpDef", "using C = ops::OpDef;"},
    {"OpParamDef", "using C = ops::OpParamDef;"},
    {"OpAttrDef", "using C = ops::OpAttrDef;"},
    {"OpAICoreDef", "using C = ops::OpAICoreDef;"},
    {"OpAICoreConfig", "using C = ops::OpAICoreConfig;"},
    {"MatmulApiTiling", "using C = matmul_tiling::MatmulApiTiling;"},
    {"MultiCoreMatmulTiling", "using C = matmul_tiling::MultiCoreMatmulTiling;"},
    {"BatchMatmulTiling", "using C = matmul_tiling::BatchMatmulTiling;"},
    {"Matmul",
     "using SrcAT = half; using SrcBT = half; using DstT = float; using BiasT = float;"
     "using C = matmul::Matmul<matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>, "
     "matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<TPosition::GM, CubeFormat::ND, "
     "float>, "
     "matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>>;"},
};

// "Class" of "const Class::Name", or "" for a function.
std::string class_of(std::string name) {
  if (name.starts_with("const ")) name.erase(0, 6);
  const std::size_t colons = name.rfind("::");
  name.resize(colons == std::string::npos ? 0 : colons);
  return kClasses.contains(name) ? name : "";
}

// Nobody takes the address of a method, so a row is a call with arguments of the published types; "const Class::Name"
// is a method that a constant object has too.
constexpr const char* kMethods = R"(
template <typename A, typename B> constexpr bool kSame = false;
template <typename A> constexpr bool kSame<A, A> = true;
template <typename T> T value_of();
)";

std::string method_statements(const Declaration& declaration, const std::string& type, std::size_t number) {
  const bool constant = declaration.name.starts_with("const ");
  const std::string of = class_of(declaration.name), name = declaration.name.substr(declaration.name.rfind("::") + 2);
  const bool is_template = !declaration.template_parameters.empty();
  std::vector<std::string> values;
  for (const std::string& parameter : list_of(declaration.parameters))
    values.push_back("value_of<" + parameter + ">()");
  const auto call = [&](bool all) {
    return "  static_assert(kSame<decltype(value_of<" + std::string(constant ? "const C&" : "C&") + ">()." +
           (is_template ? "template " + name : name) +
           (is_template ? arguments_of(declaration.template_parameters, all) : "") + "(" + join(values) + ")), " +
           (declaration.returns == of ? "C" : declaration.returns) + ">, \"" + declaration.name + "\");\n";
  };
  std::string text = "namespace row" + std::to_string(number) + " { using T = " + type + "; " + kClasses.at(of) + "\n";
  if (!is_template) return text + call(false) + "}\n";
  text += "template <" + declaration.template_parameters + "> struct Use {\n" + call(false) + call(true) + "};\n";
  for (const std::string& list : words_of(declaration.arguments, ' ')) {
    text += "template struct Use<" + join(words_of(list, '/')) + ">;\n";
  }
  return text + "}\n";
}

// The compiler's messages about uses of calls, on each kind of core that has them.
std::string device_messages(const std::string& uses) {
  const std::string source =
      "#include \"kernel_operator.h\"\n#include \"lib/matmul_intf.h\"\nusing namespace AscendC;\n" +
      std::string(kSame) + uses + "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {}\n";
  const bool both = sandbox::has_cube_half(source);
  std::string messages = check_kernel(source, sandbox::prologue(sandbox::CoreType::kVector, both));
  if (both) messages += check_kernel(source, sandbox::prologue(sandbox::CoreType::kCube, both));
  return messages;
}

TEST(Declarations, AMethodHasItsPublishedTypeAndTemplateParameters) {
  std::map<std::string, std::string> by_class;
  std::size_t rows = 0, number = 0;
  for (const Declaration& declaration : declarations("ascendc_methods.csv")) {
    ++rows;
    const std::string of = class_of(declaration.name);
    const bool of_elements = of == "GlobalTensor" || of == "LocalTensor";
    for (const char* type : {"half", "float", "bfloat16_t", "int8_t", "uint8_t", "int16_t", "int32_t", "int64_t"})
      if (of_elements || std::string(type) == "half") by_class[of] += method_statements(declaration, type, number++);
  }
  EXPECT_GT(rows, 120u);
  for (const auto& [name, uses] : by_class) EXPECT_EQ(device_messages(kMethods + uses), "") << name;
}

TEST(Declarations, ACallHasItsPublishedTypeAndTemplateParameters) {
  std::map<std::string, std::string> by_name;
  std::size_t number = 0;
  for (const Declaration& declaration : declarations("ascendc_declarations.csv"))
    by_name[declaration.name] += statements(declaration, number++);
  EXPECT_GT(number, 520u);
  // Many calls in one source, and each by itself only where that fails.
  constexpr std::size_t kTogether = 64;
  std::vector<std::string> names;
  std::string uses;
  for (auto at = by_name.begin(); at != by_name.end();) {
    names.push_back(at->first);
    uses += at->second;
    if (++at != by_name.end() && names.size() < kTogether) continue;
    if (!device_messages(uses).empty()) {
      for (const std::string& name : names) EXPECT_EQ(device_messages(by_name.at(name)), "") << name;
    }
    names.clear();
    uses.clear();
  }
}

// The classes of the pages' examples.
constexpr const char* kExamples = R"(
struct Base {};
struct Derived : Base {};
struct Unrelated {};
struct ClassA {};
struct ClassB {};
struct ClassC {};
using ClassC_alias = ClassC;
template <typename T> struct TemplateClass {};
template <typename T, typename = void> constexpr bool kHasType = false;
template <typename T> constexpr bool kHasType<T, std::void_t<typename T::type>> = true;
)";

TEST(Declarations, ATraitHasItsPublishedParametersAndSaysWhatItsPageSays) {
  std::ifstream in(std::string(KG_SOURCE_DIR) + "/tests/integration/ascendc_traits.csv");
  std::string line, uses;
  std::getline(in, line);
  EXPECT_EQ(line, "name,template,expression,page");
  std::size_t number = 0;
  for (; std::getline(in, line); ++number) {
    const std::vector<std::string> fields = fields_of(line);
    ASSERT_EQ(fields.size(), 4u) << line;
    if (!fields[1].empty()) {
      const std::string takes = "kTakes" + std::to_string(number);
      uses += "template <template <" + fields[1] + "> class> constexpr bool " + takes + " = true;\nstatic_assert(" +
              takes + "<" + fields[0] + ">);\n";
    }
    uses += "static_assert(" + fields[2] + ");\n";
  }
  EXPECT_GT(number, 20u);
  const Compiled compiled = compile_kernel(
      "#include \"kernel_operator.h\"\n#include \"kernel_operator_layout.h\"\nusing namespace AscendC;\nusing "
      "namespace "
      "AscendC::Std;\n" +
          std::string(kMethods) + kExamples + uses + "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {}\n",
      "k");
  EXPECT_TRUE(compiled.ok) << compiled.messages;
}

// The compiler's messages about a file of an operator project's host side.
std::string host_messages(const std::string& source) {
  const TemporaryFolder folder("kg-host-declarations");
  const fs::path file = folder.path() / "host.cpp";
  write_file_atomically(file, source);
  std::string command = sandbox::find_compiler().string();
  for (const std::string& flag : sandbox::host_flags()) command += " " + flag;
  command += " -I" + std::string(KG_SOURCE_DIR) + "/npu/headers/host -fsyntax-only " + file.string() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string messages;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) messages.append(buffer, n);
  const int status = pclose(pipe);
  return status == 0 ? messages : messages + "\nstatus " + std::to_string(status);
}

TEST(Declarations, AFunctionOfTheHostSideHasItsPublishedType) {
  std::string uses;
  std::size_t number = 0;
  for (const Declaration& declaration : declarations("ascendc_host_declarations.csv")) {
    uses += !class_of(declaration.name).empty() ? method_statements(declaration, "float", number)
                                                : statements(declaration, number);
    ++number;
  }
  EXPECT_GT(number, 570u);
  EXPECT_EQ(host_messages("#include \"graph/utils/type_utils.h\"\n#include \"register/op_def_registry.h\"\n#include "
                          "\"tiling/tiling_api.h\"\n#define "
                          "__aicore__\nusing namespace AscendC;\n" +
                          std::string(kSame) + kMethods + uses),
            "");
}

// Through a pointer and as a template argument a call computes what it does by its name.
TEST(Declarations, ACallThroughAPointerComputes) {
  const int n = 64;
  const std::string source = vector_kernel(
      "float", "float", n,
      "void (*muls)(const LocalTensor<float>&, const LocalTensor<float>&, const float&, const int32_t&) = Muls;\n"
      "muls(z, x, 3.0f, n);\n"
      "apply<float, Add<float>>(z, y, n);");
  const std::string helper =
      "template <typename T, void (*f)(const AscendC::LocalTensor<T>&, const AscendC::LocalTensor<T>&, "
      "const AscendC::LocalTensor<T>&, const int32_t&)>\n"
      "__aicore__ inline void apply(const AscendC::LocalTensor<T>& a, const AscendC::LocalTensor<T>& b, int32_t n) "
      "{ f(a, a, b, n); }\n";
  const std::string include = "#include \"kernel_operator.h\"\n";
  ASSERT_TRUE(source.starts_with(include));
  proto::RunCase run_case;
  std::vector<double> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[static_cast<std::size_t>(i)] = i;
    y[static_cast<std::size_t>(i)] = 1000 - i;
  }
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, x);
  *run_case.add_inputs() = tensor("y", proto::FLOAT32, y);
  add_output(run_case, "z", proto::FLOAT32, n);
  const proto::CaseResult result = run_kernel(include + helper + source.substr(include.size()), "k", run_case);
  EXPECT_EQ(errors_of(result), "");
  ASSERT_EQ(result.outputs_size(), 1);
  const std::vector<double> z = values_of(result.outputs(0));
  for (int i = 0; i < n; ++i) EXPECT_EQ(z[static_cast<std::size_t>(i)], 3.0 * i + 1000 - i) << i;
}

}  // namespace
}  // namespace kg::npu::testing
