#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "dsl/lower.h"

// What each pass leaves, word for word, and what it refuses.
namespace kg::dsl {
namespace {

using ::testing::ContainsRegex;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;

Lowered passes_of(const std::string& source, std::map<std::string, std::int64_t> names, bool compact = false) {
  LowerOptions options;
  options.bindings.names = std::move(names);
  options.bindings.cores = 8;
  options.compact = compact;
  options.want_forms = true;
  return lower(source, options);
}

constexpr const char* kRows =
    "kernel k(x: half[R, C]) -> z: half[R, C]:\n"
    "  for r in cores(R):\n"
    "    a = load x[r, :]\n"
    "    store z[r, :] = a / sum(a)\n";

TEST(DslPasses, TilingCutsRowsOverCores) {
  EXPECT_THAT(passes_of(kRows, {{"R", 20}, {"C", 1000}}).tiling, Eq("cores 8\n"
                                                                    "rBegin = GetBlockIdx() * 3\n"
                                                                    "rEnd = rBegin + 3 < R ? rBegin + 3 : R\n"
                                                                    "for r from rBegin to rEnd (3 turns)\n"
                                                                    "  xIn <- x[r * C, 1000]\n"
                                                                    "  a = Cast(xIn, CAST_NONE) of 1000\n"
                                                                    "  %3 = ReduceSum(a) of 1000\n"
                                                                    "  reduced = %3.GetValue(0)\n"
                                                                    "  %4 = Muls(a, 1.0f / reduced) of 1000\n"
                                                                    "  zOut = Cast(%4, CAST_RINT) of 1000\n"
                                                                    "  z[r * C, 1000] <- zOut\n"
                                                                    "end\n"));
}

TEST(DslPasses, TilingTakesTheTileThatTheProgramNamesAndElseOneThatFits) {
  const std::string named =
      "kernel k(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N, 256)):\n    store z[t] = load x[t] + 1\n";
  EXPECT_THAT(passes_of(named, {{"N", 4096}}).tiling, HasSubstr("for t from tBegin to tEnd by 256 (2 turns)"));
  const std::string open =
      "kernel k(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n    store z[t] = load x[t] + 1\n";
  EXPECT_THAT(passes_of(open, {{"N", 1 << 20}}).tiling, HasSubstr("tile "));
  EXPECT_THAT(passes_of(open, {{"N", 1000003}}).tiling, HasSubstr("tLen = tEnd - t < "));
}

// Loops behind one another, each with `body`, in which $1 is the number of the tensor that it reads and $2 of the next.
std::string loops_in_a_row(int count, const std::string& body) {
  std::string scratches, text;
  for (int i = 0; i < count; ++i) {
    std::string loop = body;
    for (const auto& [mark, number] : {std::pair("$1", i), std::pair("$2", i + 1)})
      for (std::size_t at = loop.find(mark); at != std::string::npos; at = loop.find(mark))
        loop.replace(at, 2, std::to_string(number));
    if (i > 0) {
      scratches += "  scratch x" + std::to_string(i) + ": float[R, C]\n";
      text += "  barrier\n";
    }
    text += loop;
  }
  return "kernel k(x0: float[R, C]) -> x" + std::to_string(count) + ": float[R, C]:\n" + scratches + text;
}

TEST(DslPasses, TilingGivesEachLoopItsOwnTileSize) {
  const std::string two =
      "kernel k(x: float[N], y: float[M]) -> (a: float[N], b: float[M]):\n"
      "  for t in cores(tiles(N)):\n    store a[t] = load x[t] + 1\n"
      "  for t in cores(tiles(M)):\n    store b[t] = load y[t] + 1\n";
  const std::string text = passes_of(two, {{"N", 1024}, {"M", 1 << 20}}).tiling;
  EXPECT_THAT(text, HasSubstr("by 128 (1 turns)"));
  EXPECT_THAT(text, ContainsRegex("by [0-9]{4,5} "));
}

// Alone each loop has room for its rows of 40,000 bytes; five in a row have, since their copies share queues.
TEST(DslPasses, InitialisationSharesQueuesBetweenLoops) {
  const std::string rows = "  for r in cores(R):\n    store x$2[r, :] = load x$1[r, :] * 2\n";
  const Lowered made = passes_of(loops_in_a_row(5, rows), {{"R", 64}, {"C", 10000}});
  ASSERT_TRUE(made.ok) << made.refusal;
  EXPECT_THAT(made.initialisation, HasSubstr("queue of 2 x 40192 bytes"));
}

double seconds_for(int loops) {
  const std::string program = loops_in_a_row(
      loops, "  for r, t in cores(R, tiles(C)):\n    x = load x$1[r, t]\n    store x$2[r, t] = x * sigmoid(x)\n");
  const std::clock_t begin = std::clock();  // processor time: other tests run beside
  EXPECT_TRUE(passes_of(program, {{"R", 3000}, {"C", 60}}).ok);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Four times as many take about four times as long: each loop is judged by itself.
TEST(DslPasses, LoweringTakesTimeInProportionToTheLoops) {
  const double few = std::min({seconds_for(25), seconds_for(25), seconds_for(25)});
  EXPECT_LT(seconds_for(100), 10 * few);
}

TEST(DslPasses, TilingRefusesWhatItCannotCut) {
  EXPECT_THAT(
      passes_of(
          "kernel k(x: float[N]) -> z: float[N]:\n  n = 3\n  n = 4\n  for t in cores(tiles(n)):\n    store z[0] = 1\n",
          {{"N", 8}})
          .refusal,
      Eq("line 4: n: tiles cuts a constant length of at least 1"));
}

TEST(DslPasses, InitialisationSharesPlacesAndDoublesQueues) {
  const std::string text = passes_of(kRows, {{"R", 20}, {"C", 1000}}).initialisation;
  EXPECT_THAT(text, HasSubstr("xIn: half[1000], copy in, queue of 2 x 2048 bytes"));
  EXPECT_THAT(text, HasSubstr("zOut: half[1000], copy out, queue of 2 x 2048 bytes"));
  EXPECT_THAT(text, HasSubstr("a: float[1000], work, bytes 256 to 4352"));
  // The quotient takes the place of the row, which it is the last to read.
  EXPECT_THAT(text, HasSubstr("float[1000], work, bytes 256 to 4352, steps 7 to 8"));
}

// The operands of an instruction lie half a line of UB's banks apart, if there is room.
TEST(DslPasses, InitialisationKeepsOperandsApart) {
  const std::string text =
      passes_of(
          "kernel k(x: float[N], y: float[N]) -> z: float[N]:\n  a = load x[:] * 2\n  b = load y[:] * 3\n  c = a + b\n"
          "  d = a - b\n  store z[:] = c / d\n",
          {{"N", 1024}})
          .initialisation;
  EXPECT_THAT(text, HasSubstr("a: float[1024], work, bytes 256 to 4352"));  // xIn begins a line
  EXPECT_THAT(text, HasSubstr("c: float[1024], work, bytes "));
}

TEST(DslPasses, TilingLoadsShortRowsTogether) {
  const std::string source =
      "kernel k(x: float[B, D, E]) -> z: float[B, E]:\n  for b in cores(B):\n    s = zeros(E)\n    for d in range(D):\n"
      "      s += load x[b, d, :]\n    store z[b, :] = s\n";
  const Lowered result = passes_of(source, {{"B", 8}, {"D", 60}, {"E", 100}});
  EXPECT_THAT(result.tiling, HasSubstr("for dFirst from 0 to D by 2 (30 turns)\n"));
  EXPECT_THAT(result.tiling, HasSubstr("xIn <- x[(b * D + dFirst) * E, (dLast - dFirst) x 100]\n"));
  EXPECT_THAT(result.unaligned, HasSubstr("DataCopyExtParams{static_cast<uint16_t>(dLast - dFirst), 400, 0, 0, 0}"));
  EXPECT_THAT(result.unaligned, HasSubstr("Add(s, s, xIn[(d - dFirst) * 104], 100);"));
  // Rows that overlap are copied one by one.
  EXPECT_THAT(
      passes_of("kernel k(x: float[C]) -> z: float[C]:\n  for t in cores(tiles(C, 64)):\n    m = load x[t]\n    for k "
                "in range(1, 3):\n      m = max(m, load x[t + k] pad 0)\n    store z[t] = m\n",
                {{"C", 640}})
          .tiling,
      Not(HasSubstr("First")));
}

TEST(DslPasses, TilingMovesAnAxisOfTheCoresInsideToCopyItsRowsTogether) {
  const std::string source =
      "kernel k(x: float[A, C, E, D]) -> z: float[A, E, C, D]:\n  for a, e, c in cores(A, E, C):\n    store z[a, e, c, "
      ":] "
      "= load x[a, c, e, :]\n";
  EXPECT_THAT(passes_of(source, {{"A", 4}, {"C", 62}, {"E", 128}, {"D", 62}}).tiling,
              HasSubstr("for cFirst from 0 to C"));
  // So few pieces are left for the cores that it does not pay.
  EXPECT_THAT(passes_of(source, {{"A", 2}, {"C", 62}, {"E", 4}, {"D", 62}}).tiling, Not(HasSubstr("First")));
}

TEST(DslPasses, TilingMakesOneInstructionOfASumWithAProduct) {
  const std::string text =
      passes_of(
          "kernel k(x: float[N]) -> z: float[N]:\n  a = load x[:]\n  store z[:] = a * a + a * 3 + a\n  b = a * 2\n  b "
          "= b * 3 + b * 4\n  store z[:] = b\n",
          {{"N", 64}})
          .processing;
  EXPECT_THAT(text, HasSubstr("Axpy("));
  EXPECT_THAT(text, HasSubstr("Add(b, "));  // b is read after it would have been overwritten
}

TEST(DslPasses, TilingUsesSlicesWhereTheyLie) {
  const std::string head = "kernel k(x: float[R, C]) -> z: float[R, 64]:\n  for r in cores(R):\n    a = load x[r, :]\n";
  const std::map<std::string, std::int64_t> sizes = {{"R", 8}, {"C", 256}};
  EXPECT_THAT(passes_of(head + "    store z[r, :] = a[0:64] + a[128:192]\n", sizes).processing,
              HasSubstr("Add(zOut, xIn, xIn[128], 64);"));
  EXPECT_THAT(passes_of(head + "    store z[r, :] = a[0:64] + a[129:193]\n", sizes).processing, HasSubstr("Gather("));
  // A part of what changes is a value of its own.
  EXPECT_THAT(passes_of(head + "    b = a * 2\n    c = b[0:64]\n    b += 1\n    store z[r, :] = c + b[64:128]\n", sizes)
                  .processing,
              HasSubstr("DataCopy(c, b, 64);"));
}

TEST(DslPasses, TilingFoldsLongReductions) {
  const std::string text =
      passes_of("kernel k(x: float[R, C]) -> z: float[R]:\n  for r in cores(R):\n    store z[r] = sum(load x[r, :])\n",
                {{"R", 8}, {"C", 4096}})
          .tiling;
  EXPECT_THAT(text, HasSubstr("= Add(xIn, xIn[2048:]) of 2048"));
  EXPECT_THAT(text, HasSubstr("of 512\n"));
}

// Compare read 256 bytes of a tile of 32.
TEST(DslPasses, InitialisationGivesShortTilesThatAreComparedAWholeRepeat) {
  const std::string text =
      passes_of("kernel k(x: half[N]) -> z: half[N]:\n  a = load x[:]\n  store z[:] = where(a > 1, a, 0)\n", {{"N", 7}})
          .initialisation;
  EXPECT_THAT(text, HasSubstr("a: float[7], work, bytes 0 to 256"));
}

TEST(DslPasses, InitialisationRefusesWhatUbDoesNotHold) {
  EXPECT_THAT(
      passes_of("kernel k(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N, 40000)):\n    a = load x[t]\n    "
                "store z[t] = a * exp(a)\n",
                {{"N", 400000}})
          .refusal,
      HasSubstr("line 3: buffers: the tiles that live at the same time take"));
}

TEST(DslPasses, ProcessingWritesStagesAndQueueCalls) {
  const std::string text = passes_of(kRows, {{"R", 20}, {"C", 1000}}).processing;
  EXPECT_THAT(text, HasSubstr("  LocalTensor<half> xIn = xInQueue.AllocTensor<half>();\n  DataCopy(xIn, xGm[r * C], "
                              "1000);\n  xInQueue.EnQue(xIn);\n  xIn = xInQueue.DeQue<half>();\n"));
  EXPECT_THAT(text, HasSubstr("  zOutQueue.EnQue(zOut);\n  zOut = zOutQueue.DeQue<half>();\n  DataCopy(zGm[r * C], "
                              "zOut, 1000);\n  zOutQueue.FreeTensor(zOut);\n"));
}

TEST(DslPasses, CompactProcessingOrdersPipesByTwoBarriersATurn) {
  const std::string text = passes_of(kRows, {{"R", 20}, {"C", 1000}}, /*compact=*/true).processing;
  std::size_t barriers = 0;
  for (std::size_t at = text.find("PipeBarrier"); at != std::string::npos; at = text.find("PipeBarrier", at + 1))
    ++barriers;
  EXPECT_EQ(barriers, 2u) << text;
  EXPECT_THAT(text, Not(HasSubstr("EnQue")));
}

TEST(DslPasses, UnalignedAccessPadsOnlyWhatIsNotWhole) {
  EXPECT_THAT(
      passes_of(kRows, {{"R", 20}, {"C", 1000}}).unaligned,
      HasSubstr("DataCopyPad(xIn, xGm[r * C], DataCopyExtParams{1, 2000, 0, 0, 0}, DataCopyPadExtParams<half>{});"));
  EXPECT_THAT(passes_of(kRows, {{"R", 20}, {"C", 1024}}).unaligned, Not(HasSubstr("DataCopyPad")));
  const std::string compare =
      "kernel k(x: float[N]) -> z: float[N]:\n  a = load x[:]\n  store z[:] = where(a > 0, a, 0)\n";
  EXPECT_THAT(passes_of(compare, {{"N", 100}}).processing, HasSubstr("CMPMODE::GT, 100);"));
  EXPECT_THAT(passes_of(compare, {{"N", 100}}).unaligned, HasSubstr("CMPMODE::GT, 128);"));
}

TEST(DslPasses, LinesOfTheKernelLeadBackToTheProgram) {
  const Lowered result = passes_of(kRows, {{"R", 20}, {"C", 1000}});
  std::size_t line = 0, begin = 0;
  for (std::size_t end; (end = result.source.find('\n', begin)) != std::string::npos; begin = end + 1, ++line) {
    const std::string text = result.source.substr(begin, end - begin);
    const bool copies = text.find("DataCopyPad(xIn") != std::string::npos;
    if (copies || text.find("ReduceSum") != std::string::npos) {
      EXPECT_EQ(result.lines.at(line), copies ? 3 : 4);
    }
  }
  EXPECT_EQ(result.lines.size(), line);
}

TEST(DslPasses, LoweringIsDeterministic) {
  EXPECT_EQ(passes_of(kRows, {{"R", 20}, {"C", 1000}}).source, passes_of(kRows, {{"R", 20}, {"C", 1000}}).source);
}

}  // namespace
}  // namespace kg::dsl
