// The calls have the types that the public documentation prints: a function pointer takes each of them, and templates
// take their arguments in the published order. ascendc_declarations.csv is transcribed from the pages that it names.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

struct Declaration {
  std::string name, template_parameters, parameters, types;
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

std::vector<Declaration> declarations() {
  std::ifstream in(std::string(KG_SOURCE_DIR) + "/tests/integration/ascendc_declarations.csv");
  std::vector<Declaration> all;
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "name,template,parameters,types,page");
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = fields_of(line);
    EXPECT_EQ(fields.size(), 5u) << line;
    EXPECT_TRUE(fields.back().starts_with("https://")) << line;
    all.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return all;
}

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Arguments for the template parameters: all of them, or those alone that have no default. Numbers without a default
// are 1, which every call takes.
std::string template_arguments(const std::string& parameters, const std::vector<std::string>& types, bool all) {
  std::string text;
  std::size_t type = 0;
  for (const std::string& part : words_of(parameters, ',')) {
    const std::size_t equals = part.find(" = ");
    if (equals != std::string::npos && !all) break;
    text += text.empty() ? "" : ", ";
    if (part.find("typename ") != std::string::npos)
      text += types[type++];
    else
      text += equals == std::string::npos ? "1" : part.substr(equals + 3);
  }
  return text;
}

// `use(pointer)` for one declaration and its types ("float/half": T and U).
std::string statements(const Declaration& declaration, const std::string& types_text) {
  const std::vector<std::string> types = words_of(types_text, '/');
  std::string parameters = replaced(declaration.parameters, "<T>", "<" + types[0] + ">");
  parameters = replaced(parameters, " T&", " " + types[0] + "&");
  parameters = replaced(parameters, " T,", " " + types[0] + ",");
  if (parameters.ends_with(" T")) parameters = parameters.substr(0, parameters.size() - 1) + types[0];
  if (types.size() > 1) {
    parameters = replaced(parameters, "<U>", "<" + types[1] + ">");
    parameters = replaced(parameters, " U&", " " + types[1] + "&");
  }
  std::string text;
  for (const bool all : {false, true})
    text += "  { void (*f)(" + parameters + ") = &" + declaration.name + "<" +
            template_arguments(declaration.template_parameters, types, all) + ">; use(f); }\n";
  return text;
}

TEST(Declarations, AFunctionPointerTakesEachCallByItsPublishedType) {
  std::map<std::string, std::vector<std::string>> by_name;
  std::size_t pointers = 0;
  for (const Declaration& declaration : declarations())
    for (const std::string& types : words_of(declaration.types, ' ')) {
      by_name[declaration.name].push_back(statements(declaration, types));
      pointers += 2;
    }
  EXPECT_GT(pointers, 400u);
  for (const auto& [name, all] : by_name) {
    std::string body;
    for (const std::string& one : all) body += one;
    const std::string source =
        "#include \"kernel_operator.h\"\nusing namespace AscendC;\n"
        "template <typename F> __aicore__ inline void use(F) {}\n"
        "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {\n" +
        body + "}\n";
    const Compiled compiled = compile_kernel(source, "k");
    EXPECT_TRUE(compiled.ok) << name << "\n" << compiled.messages;
  }
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
