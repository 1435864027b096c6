// Programs that say a module's operators one a statement.
#include <gmock/gmock.h>

#include <set>

#include "dataset/cot/modules/line_program.h"
#include "dataset/cot/modules/texts.h"
#include "dataset/translation/operator_forms.h"
#include "dataset/translation/traced_line.h"

namespace kg::dataset::cot::modules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TracedLine, HasResultsArgumentsAndKeywords) {
  const auto line = translation::traced_line("t1, t2 [64,1] = var(x, [1, 2], correction=0, keepdim)");
  ASSERT_TRUE(line);
  EXPECT_THAT(line->results, ElementsAre("t1", "t2"));
  EXPECT_EQ(line->op, "var");
  EXPECT_THAT(line->given, ElementsAre("x", "[1, 2]"));
  EXPECT_EQ(line->keywords.at("correction"), "0");
  EXPECT_TRUE(line->keywords.contains("keepdim"));
}

TEST(TracedLine, MayBeAnotherName) {
  const auto line = translation::traced_line("out = t3");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->op, "");
  EXPECT_THAT(line->given, ElementsAre("t3"));
  EXPECT_FALSE(translation::traced_line("no line"));
}

translation::OperatorForm form_of(const std::string& text, const std::vector<translation::Kind>& kinds) {
  const auto form = translation::operator_form(*translation::traced_line(text), kinds);
  return form ? *form : translation::OperatorForm{"unknown"};
}

TEST(OperatorForm, FollowsKeywordsAndCounts) {
  const auto tile = translation::Kind::kTile, number = translation::Kind::kNumber;
  EXPECT_EQ(form_of("t = add(x, y, alpha=3)", {tile, tile}).dsl, "$1 + 3 * $2");
  EXPECT_EQ(form_of("t = clamp(x, max=6)", {tile}).dsl, "min($1, 6)");
  EXPECT_EQ(form_of("t = clamp(x, None, 6)", {tile, number, number}).dsl, "min($1, $3)");
  EXPECT_EQ(form_of("t = pow(x, 2)", {tile, number}).dsl, "$1 * $1");
  EXPECT_EQ(form_of("t = gelu(x, approximate=tanh)", {tile}).dsl, "gelu($1)");
  EXPECT_EQ(form_of("t = div(x, y, rounding_mode=floor)", {tile, tile}).dsl, "unknown");
  EXPECT_EQ(form_of("t = argsort(x, 1)", {tile, number}).dsl, "unknown");
}

TEST(OperatorForm, KnowsMasksAndNumbers) {
  const auto tile = translation::Kind::kTile, number = translation::Kind::kNumber, mask = translation::Kind::kMask;
  EXPECT_EQ(form_of("t = gt(x, 0)", {tile, number}).kind, mask);
  EXPECT_EQ(form_of("t = where(m, x, y)", {mask, tile, tile}).dsl, "where($1, $2, $3)");
  EXPECT_EQ(form_of("t = mul(x, m)", {tile, mask}).dsl, "where($2, $1, 0)");
  EXPECT_EQ(form_of("t = mul(m, n)", {mask, mask}).dsl, "$1 & $2");
  EXPECT_EQ(form_of("t = ne(m, n)", {mask, mask}).dsl, "($1 & not $2) | ($2 & not $1)");
  EXPECT_EQ(form_of("t = isinf(x)", {tile}).kind, mask);
  EXPECT_EQ(form_of("t = mean(x, 1, keepdim)", {tile, number}).kind, number);
  EXPECT_EQ(form_of("t = mean(x, 1)", {number, number}).dsl, "unknown");  // of what is a number already
  EXPECT_EQ(form_of("t = mul(m, x)", {number, number}).kind, number);
}

Graph rows() {
  Graph graph;
  graph.nest = "rows";
  graph.extents = {{"R", 64, 3}, {"C", 512, 9}};
  graph.inputs = {{.role = "x", .shape = {"R", "C"}, .program_shape = "R, C", .at = "r, :"},
                  {.role = "weight", .shape = {"C"}, .program_shape = "C", .at = ":"}};
  graph.nodes = {{.name = "something", .operands = {0, 1}}};
  graph.outputs = {2};
  graph.out_shapes = {{"R", "C"}};
  graph.out_program_shapes = {"R, C"};
  graph.program = {"  {1}_ = load {1}[:]", "  for r in cores(R):", "    {0}_ = load {0}[r, :]",
                   "    store {z0}[r, :] = {0}_ * {1}_"};
  return graph;
}

TEST(LineProgram, SaysEachOperatorByItsName) {
  const Graph graph = rows();
  const std::vector<std::string> names = {"hidden", "w"};
  const auto lines = line_program(graph, names,
                                  {"t1 [64,1] = sum(hidden, 1, keepdim)", "t2 [64,1] = div(t1, 512)",
                                   "t3 = sub(hidden, t2)", "t4 [1,512] = unsqueeze(w, 0)", "out = mul(t3, t4)"});
  ASSERT_TRUE(lines);
  EXPECT_EQ(program_text(graph, *lines, names),
            "kernel custom_op(hidden: float[R, C], w: float[C]) -> out: float[R, C]:\n"
            "  w_ = load w[:]\n"
            "  for r in cores(R):\n"
            "    hidden_ = load hidden[r, :]\n"
            "    t1 = sum(hidden_)\n"
            "    t2 = t1 / C\n"
            "    t3 = hidden_ - t2\n"
            "    t4 = w_\n"
            "    store out[r, :] = t3 * t4");
}

TEST(LineProgram, TemporariesKeepClearOfNames) {
  const Graph graph = rows();
  const std::vector<std::string> names = {"a", "u"};
  const auto lines = line_program(graph, names, {"t1 = softmax(a, 1)", "out = mul(t1, u)"});
  ASSERT_TRUE(lines);
  const std::string text = program_text(graph, *lines, names);
  EXPECT_THAT(text, HasSubstr("    v = exp(a_ - max(a_))\n    t1 = v / sum(v)\n"));
}

TEST(LineProgram, AnOutputThatIsReadLaterHasAValue) {
  Graph graph = rows();
  graph.outputs = {2, 2};
  graph.out_shapes.push_back({"R", "C"});
  graph.out_program_shapes.push_back("R, C");
  graph.program.push_back("    store {z1}[r, :] = {0}_");
  const auto lines = line_program(graph, {"x", "w"}, {"out0 = mul(x, w)", "out1 = neg(out0)"});
  ASSERT_TRUE(lines);
  const std::string text = program_text(graph, *lines, {"x", "w"});
  EXPECT_THAT(text, HasSubstr("    out0_ = x_ * w_\n    store out0[r, :] = out0_\n    store out1[r, :] = -out0_"));
}

TEST(LineProgram, IsRefusedWhereTheTableOrTheLoopDoesNotReach) {
  Graph graph = rows();
  EXPECT_FALSE(line_program(graph, {"x", "w"}, {"out = argsort(x, 1)"}));
  EXPECT_FALSE(line_program(graph, {"x", "w"}, {"t1 = mul(x, w)"}));  // nothing is stored
  EXPECT_FALSE(line_program(graph, {"x", "w"}, {"out = mul(x, unknown)"}));
  graph.program.insert(graph.program.begin() + 3, "    %0% += sum({0}_)");
  EXPECT_FALSE(line_program(graph, {"x", "w"}, {"out = mul(x, w)"}));
}

}  // namespace
}  // namespace kg::dataset::cot::modules
