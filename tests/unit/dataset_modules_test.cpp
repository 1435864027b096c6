#include <gtest/gtest.h>

#include <array>
#include <set>

#include "base/file.h"
#include "dataset/cot/modules/essence.h"
#include "dataset/cot/modules/formula.h"
#include "dataset/cot/modules/list_form.h"
#include "dataset/cot/modules/texts.h"
#include "dataset/cot/modules/unit.h"
#include "dsl/check.h"
#include "dsl/lower.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"

namespace kg::dataset::cot::modules {
namespace {

constexpr int kGraphs = 300;

Graph graph(std::uint64_t index) {
  Philox random(7, index);
  return draw_graph(random);
}

dsl::Bindings bindings(const Graph& graph, bool full) {
  dsl::Bindings made;
  const auto add = [&](const std::vector<std::string>& letters, proto::DType dtype, bool output) {
    std::vector<std::int64_t> shape;
    for (const std::string& letter : letters) shape.push_back(graph.size(letter, full));
    if (shape.empty()) shape.push_back(1);
    made.tensors.push_back({.dtype = dtype, .shape = shape, .name = "", .output = output});
  };
  for (const Input& input : graph.inputs) add(input.shape, dtype_of(graph, input), false);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) add(graph.out_shapes[i], out_dtype_of(graph, i), true);
  return made;
}

TEST(Modules, EveryProgramIsOneForItsTensorsWhateverTheNames) {
  std::set<std::string> nests;
  std::vector<std::string> refused;  // at the size that the prompt shows
  for (int i = 0; i < kGraphs; ++i) {
    const Graph made = graph(static_cast<std::uint64_t>(i));
    nests.insert(made.nest);
    Philox random(8, static_cast<std::uint64_t>(i));
    const Surface surface = write_surface(made, random);
    const std::string program = program_text(made, made.program, surface.names);
    try {
      dsl::check(dsl::parse(program), bindings(made, /*full=*/false), {.tile = 64});
    } catch (const dsl::Refusal& refusal) {
      ADD_FAILURE() << refusal.what() << "\n" << program;
    }
    if (i % 3 != 0) continue;
    const dsl::Lowered lowered = dsl::lower(program, {.bindings = bindings(made, /*full=*/true), .entry_point = ""});
    if (!lowered.ok) refused.push_back(lowered.refusal + "\n" + program);
  }
  EXPECT_GE(nests.size(), 18u);
  EXPECT_LE(refused.size(), 3u) << refused.front();
}

TEST(Modules, TheSameSeedWritesTheSameTexts) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    Philox first(9, i), second(9, i);
    EXPECT_EQ(write_surface(graph(i), first).text, write_surface(graph(i), second).text);
  }
}

TEST(Modules, ProgramAndReadingLineSpellNumbersAsTheModuleDoes) {
  int numbers = 0;
  for (std::uint64_t i = 0; i < kGraphs; ++i) {
    const Graph made = graph(i);
    Philox random(10, i);
    const Surface surface = write_surface(made, random);
    const std::string line = reading_line(made, surface.names, /*with_steps=*/true);
    for (const Constant& constant : made.constants) {
      // A padding of 0, or a stride as wide as the window, may be left unsaid.
      if (constant.role == "padding" || constant.role == "stride" || constant.role == "start") continue;
      ++numbers;
      const std::string bare = constant.text.substr(constant.text.starts_with("-") ? 1 : 0);
      EXPECT_NE(surface.text.find(bare), std::string::npos) << bare << " is not in\n" << surface.text;
      EXPECT_NE(line.find(constant.text), std::string::npos) << line;
    }
  }
  EXPECT_GT(numbers, 200);
}

TEST(Modules, APromptNamesEveryInputThatTheProgramHas) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Graph made = graph(i);
    Philox random(11, i);
    const Surface surface = write_surface(made, random);
    std::set<std::string> names;
    for (const std::string& name : surface.names) {
      EXPECT_FALSE(name.empty()) << surface.text;
      EXPECT_TRUE(names.insert(name).second) << name << " twice\n" << surface.text;
      EXPECT_NE(module_prompt(made, surface).find(name + ": "), std::string::npos);
    }
  }
}

// A description's program takes the tensors that its prompt lists, by their names, and a constant given as a tensor is
// loaded, not spelled.
TEST(Modules, DescriptionsHaveProgramsForTheirTensors) {
  int described = 0, scalars = 0, lists = 0, in_place = 0;
  for (std::uint64_t i = 0; i < kGraphs; ++i) {
    const Graph made = graph(i);
    Philox random(12, i);
    if (const auto essence = essence_form(made, random)) {
      ++described;
      dsl::Bindings given = bindings(essence->graph, /*full=*/false);
      for (std::size_t k = 0; k < made.outputs.size(); ++k) {
        dsl::TensorShape& output = given.tensors[made.inputs.size() + k];
        output.name = essence->graph.out_name(k);
        if (!is_in_place(essence->graph, k, essence->names)) continue;
        ++in_place;
        output.in_place_of = essence->graph.out_name(k);
        output.without_parameter = true;
        EXPECT_NE(essence->prompt.find(output.in_place_of + ", in place"), std::string::npos) << essence->prompt;
      }
      for (std::size_t k = 0; k < made.inputs.size(); ++k) given.tensors[k].name = essence->names[k];
      std::size_t place = made.inputs.size();
      for (const ScalarInput& one : essence->scalars) {
        ++scalars;
        dsl::TensorShape scalar = given.tensors[0];
        scalar.shape = {1};
        scalar.name = one.name;
        scalar.dtype = dsl::dtype_of(one.type);
        given.tensors.insert(given.tensors.begin() + static_cast<std::ptrdiff_t>(place++), scalar);
        EXPECT_EQ(essence->answer.find("Numbers " + one.number + "."), std::string::npos) << essence->answer;
      }
      try {
        dsl::check(dsl::parse(essence->program), given, {.tile = 64});
      } catch (const dsl::Refusal& refusal) {
        ADD_FAILURE() << refusal.what() << "\n" << essence->prompt << "\n" << essence->program;
      }
      for (const std::string& name : essence->names)
        EXPECT_NE(essence->prompt.find(name + ": "), std::string::npos) << essence->prompt;
    }
    if (const auto form = list_form(made, random)) {
      ++lists;
      EXPECT_NO_THROW(dsl::parse(form->program)) << form->program;
    }
  }
  EXPECT_GT(described, kGraphs / 3);
  EXPECT_GT(scalars, 10);
  EXPECT_GT(in_place, 5);
  EXPECT_GT(lists, 30);
}

FormulaStyle style(bool latex) {
  Philox random(13, 0);
  Draw draw(random);
  FormulaStyle made(draw);
  made.latex = latex;
  made.product = 2;
  made.fraction = latex ? 1 : 3;
  made.exponential = made.call = made.choice = made.bars = made.reduction = 0;
  made.wide = true;
  made.left = "(";
  made.right = ")";
  made.count = "N";
  made.index = "i";
  return made;
}

// What a reader would take for the same number: brackets stand where they are needed, and only there.
TEST(Modules, FormulasAreWrittenAsTheyAreRead) {
  const std::vector<std::array<std::string, 3>> formulas = {
      {"a - (b - c)", "a - (b - c)", "a - (b - c)"},
      {"(a - b) - c", "a - b - c", "a - b - c"},
      {"a * (b / c)", "a \\cdot \\frac{b}{c}", "a * (b / c)"},
      {"(a + b) / (c + 1)", "\\frac{a + b}{c + 1}", "(a + b) / (c + 1)"},
      {"a / (b * c)", "\\frac{a}{b \\cdot c}", "a / (b * c)"},
      {"-(a + b) * c", "-(a + b) \\cdot c", "-(a + b) * c"},
      {"-a ** 2", "-a^2", "-a**2"},
      {"(-a) ** 2", "(-a)^2", "(-a)**2"},
      {"(a / b) ** 2", "(\\frac{a}{b})^2", "(a / b)**2"},
      {"a * -1.5", "a \\cdot (-1.5)", "a * (-1.5)"},
      {"a * a", "a^2", "a^2"},
      {"a * (1 / sqrt(b))", "\\frac{a}{\\sqrt{b}}", "a / sqrt(b)"},
      {"exp(a - b)", "e^{a - b}", "e^(a - b)"},
      {"mean((x - m) ** 2)", "\\frac{1}{N} \\sum_{i=1}^{N} (x - m)^2", "mean((x - m)**2)"},
      {"where(a > 0, a, b)", "\\begin{cases}\na, & \\text{if } a > 0 \\\\\nb, & \\text{otherwise}\n\\end{cases}",
       "where(a > 0, a, b)"},
      {"(a < b) & ((c < a) | (c > b))", "a < b \\land (c < a \\lor c > b)", "a < b and (c < a or c > b)"},
      {"(a & b) | not (c & d)", "a \\land b \\lor \\neg (c \\land d)", "a and b or not (c and d)"},
      {"a == 0", "a == 0", "a == 0"},
  };
  for (const auto& [formula, latex, plain] : formulas) {
    const auto parsed = parse_formula(formula);
    ASSERT_TRUE(parsed) << formula;
    EXPECT_EQ(formula_text(**parsed, style(true), {}), latex);
    EXPECT_EQ(formula_text(**parsed, style(false), {}), plain);
  }
  EXPECT_FALSE(parse_formula("x[i]"));
  EXPECT_FALSE(parse_formula("cumsum(x)"));
}

TEST(Modules, AFifthOfTheStructuresIsHeldOut) {
  int held = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) held += split_of(graph(i)) == "heldout";
  EXPECT_GT(held, 120);
  EXPECT_LT(held, 280);
}

}  // namespace
}  // namespace kg::dataset::cot::modules
