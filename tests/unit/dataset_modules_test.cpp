#include <gtest/gtest.h>

#include <array>
#include <set>

#include "base/file.h"
#include "dataset/cot/meaning_audit.h"
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
      if (essence->scalar) {
        ++scalars;
        dsl::TensorShape scalar = given.tensors[0];
        scalar.shape = {1};
        scalar.name = essence->scalar->name;
        scalar.dtype = dsl::dtype_of(essence->scalar->type);
        given.tensors.insert(given.tensors.begin() + static_cast<std::ptrdiff_t>(made.inputs.size()), scalar);
        EXPECT_EQ(essence->answer.find("Numbers " + essence->scalar->number + "."), std::string::npos)
            << essence->answer;
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

namespace kg::dataset::cot {
namespace {

// Probes of six tasks, on numbers that a reference in this test computes. Of the third, an absolute value, one row
// has a single positive number.
std::string probe_lines() {
  std::string text;
  for (int draw = 0; draw < 3; ++draw) {
    const auto list = [](const std::vector<double>& values) {
      std::string made;
      for (const double value : values) made += (made.empty() ? "" : ",") + std::to_string(value);
      return "{\"dtype\":\"float\",\"shape\":[" + std::to_string(values.size()) + "],\"values\":[" + made + "]}";
    };
    std::vector<double> x, y, relu, difference, absolute, below;
    for (int i = 0; i < 40; ++i) {
      x.push_back(static_cast<double>((i * 7 + draw * 3) % 19 - 9) / 4);
      y.push_back(static_cast<double>((i * 5 + draw) % 23 - 11) / 8);
      relu.push_back(std::max(x.back(), 0.0));
      difference.push_back(x.back() - 2 * y.back());
      absolute.push_back(std::abs(x.back()));
      below.push_back(x.back() < y.back() ? 1 : 0);
    }
    const std::string number = list({1.5 + draw});
    std::vector<double> centred;
    for (int row = 0; row < 4; ++row)
      for (int i = 0; i < 10; ++i) {
        double sum = 0;
        for (int k = 0; k < 10; ++k) sum += x[static_cast<std::size_t>(10 * row + k)];
        centred.push_back(x[static_cast<std::size_t>(10 * row + i)] - sum / 10);
      }
    const auto in_rows = [&](std::string text) { return text.replace(text.find("[40]"), 4, "[4,10]"); };
    text += "{\"task\":\"rows\",\"inputs\":[" + in_rows(list(x)) + "],\"outputs\":[" + in_rows(list(centred)) + "]}\n";
    text += "{\"task\":\"absolute#0\",\"inputs\":[" + number + "],\"outputs\":[" + number + "]}\n";
    text += "{\"task\":\"absolute#1\",\"inputs\":[" + list(x) + "],\"outputs\":[" + list(absolute) + "]}\n";
    text += "{\"task\":\"relu\",\"inputs\":[" + list(x) + "],\"outputs\":[" + list(relu) + "]}\n";
    text += "{\"task\":\"below\",\"inputs\":[" + list(x) + "," + list(y) + "],\"outputs\":[" + list(below) + "]}\n";
    text += "{\"task\":\"both\",\"inputs\":[" + list(x) + "," + list(y) + "],\"outputs\":[" + list(relu) + "," +
            list(difference) + "]}\n";
    text += "{\"task\":\"less twice\",\"inputs\":[" + list(x) + "," + list(y) + "],\"outputs\":[" + list(difference) +
            "]}\n";
  }
  return text;
}

std::string flat(const std::string& parameters, const std::string& body) {
  return "kernel custom_op(" + parameters + ") -> out: float[N]:\n  for t in cores(tiles(N)):\n" + body;
}

TEST(MeaningAudit, FindsWhatComputesTheSameInOtherWordsAndKeepsTheRest) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "probes.jsonl", probe_lines());
  fs::create_directories(folder.path() / "programs");
  write_file_atomically(folder.path() / "programs/scaled.dsl",
                        flat("x: float[N]", "    a = load x[t]\n    store out[t] = a * 3.14\n"));
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"relu (numbers)", flat("h: float[N]", "    a = load h[t]\n    store out[t] = max(a, 0)\n")},
      {"relu (numbers)", flat("q: half[N]", "    store out[t] = (load q[t] + abs(load q[t])) / 2\n")},
      // The inputs the other way round.
      {"less twice (numbers)",
       flat("y: float[N], x: float[N]", "    a = load y[t]\n    store out[t] = load x[t] - a - a\n")},
      {"scaled (program)", flat("w: float[N]", "    u = load w[t]\n    store out[t] = u * 0.5\n")},
      {"absolute#1 (numbers)", flat("x: float[N]", "    store out[t] = sqrt(load x[t] * load x[t])\n")},
      // The result is a bool.
      {"below (numbers)",
       "kernel custom_op(x: half[N], y: half[N]) -> z: bool[N]:\n  for t in cores(tiles(N)):\n    a = load x[t]\n    b "
       "= load "
       "y[t]\n    store z[t] = where(a < b, 1, 0)\n"},
      // Results in another order; written where the input lies.
      {"both (numbers)",
       "kernel custom_op(a: float[N], b: float[N]) -> (u: float[N], v: float[N]):\n  for t in cores(tiles(N)):\n    a_ "
       "= "
       "load a[t]\n    store u[t] = a_ - 2 * load b[t]\n    store v[t] = relu(a_)\n"},
      {"both (numbers)",
       "kernel custom_op(a: float[N], b: float[N]) -> (r: float[N], a):\n  for t in cores(tiles(N)):\n    a_ = load "
       "a[t]\n    store r[t] = relu(a_)\n    store a[t] = a_ - 2 * load b[t]\n"},
      {"relu (numbers)",
       "kernel custom_op(a: half[N]) -> a:\n  for t in cores(tiles(N)):\n    store a[t] = relu(load a[t])\n"},
      {"",
       "kernel custom_op(a: float[N], b: float[N]) -> (r: float[N], a):\n  for t in cores(tiles(N)):\n    a_ = load "
       "a[t]\n    store r[t] = relu(a_)\n    store a[t] = a_ - 3 * load b[t]\n"},
      // A number of each row beside it.
      {"rows (numbers)",
       "kernel custom_op(x: half[R, C]) -> (m: float[R, 1], y: half[R, C]):\n  for r in cores(R):\n    x_ = load x[r, "
       ":]\n"
       "    a = mean(x_)\n    y_ = x_ - a\n    store m[r, 0] = a\n    store y[r, :] = y_\n"},
      {"",
       "kernel custom_op(x: half[R, C]) -> (m: float[R, C], y: half[R, C]):\n  for r in cores(R):\n    x_ = load x[r, "
       ":]\n"
       "    store m[r, :] = x_ * 2\n    store y[r, :] = x_ - mean(x_)\n"},
      // Each tensor of a list.
      {"relu (numbers)",
       "kernel custom_op(xs: float[..]*) -> y: float[..]*:\n  for i in tensors(xs):\n    for t in "
       "cores(tiles(size(xs[i]))):\n      a = load xs[i, t]\n      store y[i, t] = max(a, 0)\n"},
      // The same for a positive number.
      {"", flat("x: float[N]", "    a = load x[t]\n    store out[t] = leaky_relu(a, 0.01)\n")},
      {"", flat("x: float[N], y: float[N]", "    a = load x[t]\n    store out[t] = a - 3 * load y[t]\n")},
      {"", flat("x: float[N]", "    a = load x[t]\n    store out[t] = a + 0.5\n")},
  };
  const auto data = Dataset::open(folder.path() / "data.h5", OpenMode::kAppendOrCreate);
  std::vector<proto::JournalRecord> records;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    proto::Sample& sample = *records.emplace_back().mutable_sample();
    sample.set_id(std::to_string(i));
    sample.set_kind("kernel");
    sample.set_style("dsl");
    sample.set_instruction("prompt " + std::to_string(i));
    sample.set_output("Steps.\n```dsl\n" + programs[i].second + "```");
  }
  data->append(records);
  const MeaningReport report = meaning_audit(*data, folder.path() / "probes.jsonl", folder.path() / "programs");
  std::vector<std::string> found(programs.size());
  for (const MeaningFinding& one : report.findings) found[std::stoul(one.sample)] = one.task + " (" + one.how + ")";
  for (std::size_t i = 0; i < programs.size(); ++i) EXPECT_EQ(found[i], programs[i].first) << programs[i].second;
}

}  // namespace
}  // namespace kg::dataset::cot
