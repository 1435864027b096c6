#include "dataset/cot/reasoning.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "dataset/cot/strided_reasoning.h"
#include "dataset/cot/words.h"
#include "dsl/initialise.h"
#include "operators/operators.h"
#include "proto/dtype.h"

namespace kg::dataset::cot {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::string plural(std::int64_t count, const std::string& what) {
  return number(count) + " " + what + (count == 1 ? "" : "s");
}

// One of several ways to say it. Each call uses another part of the number.
class Chooser {
 public:
  explicit Chooser(std::uint64_t pick) : pick_(pick) {}
  const std::string& operator()(const std::vector<std::string>& ways) {
    const std::string& chosen = ways[pick_ % ways.size()];
    pick_ = pick_ / ways.size() + pick_ % 7919;
    return chosen;
  }

 private:
  std::uint64_t pick_;
};

bool by_rows(const Instance& instance, const KernelStyle& style) {
  const Walk walk = instance.structure->walk;
  return by_rows(walk) || (walk == Walk::kFlat && style.writing.layout == Writing::Layout::kRows);
}

std::string split(const Instance& instance, const KernelStyle& style, const Facts& facts, Chooser& choose) {
  const std::int64_t cores = instance.cores;
  if (by_rows(instance, style)) {
    const std::int64_t rows = instance.rows(), each = ceil_div(rows, cores),
                       idle = std::max<std::int64_t>(0, cores - rows);
    const std::string rest = idle > 0 ? "; " + plural(idle, "core") + " of " + number(cores) +
                                            (idle == 1 ? " has" : " have") + " nothing to do"
                                      : "";
    return choose(
        {plural(rows, "row") + " over " + plural(cores, "core") + ": at most " + number(each) + " each" + rest + ".",
         "Rows are independent, so cut them over the cores: ceil(" + number(rows) + " / " + number(cores) +
             ") = " + number(each) + rest + ".",
         "A core takes up to " + plural(each, "row") + " of " + number(rows) + " (" + plural(cores, "core") + ")" +
             rest + "."});
  }
  if (style.writing.layout == Writing::Layout::kGrid && can_lay_out(instance, style.writing.layout)) {
    const std::int64_t pieces = instance.rows() * ceil_div(instance.columns, std::max<std::int64_t>(1, facts.tile));
    return "The grid of " + plural(instance.rows(), "row") + " and tiles of " + number(facts.tile) + " columns has " +
           plural(pieces, "piece") + ", at most " + number(ceil_div(pieces, cores)) + " a core.";
  }
  const bool columns = instance.structure->walk == Walk::kColumns;
  const std::int64_t length = columns ? instance.columns : input_elements(instance),
                     tile = std::max<std::int64_t>(1, facts.tile);
  const std::int64_t tiles = ceil_div(length, tile) * (columns ? instance.rows() : 1), each = ceil_div(tiles, cores);
  const std::string what = columns ? "columns" : "elements";
  const std::string last = length % tile == 0 || length < tile ? "" : ", the last of " + number(length % tile);
  return choose({number(length) + " " + what + " in tiles of " + number(tile) + last + ": " + plural(tiles, "tile") +
                     " over " + plural(cores, "core") + ", at most " + number(each) + " each.",
                 "Tiles of " + number(tile) + " cut " + number(length) + " " + what + " into " +
                     plural(ceil_div(length, tile), "piece") + last + "; a core gets at most " + number(each) + ".",
                 plural(cores, "core") + ", " + number(length) + " " + what + ": with " + number(tile) +
                     " a tile there " + (tiles == 1 ? "is " : "are ") + plural(tiles, "tile") + " and at most " +
                     number(each) + " a core" + (last.empty() ? "." : last + ".")});
}

std::string alignment(const Instance& instance, const KernelStyle& style, const Facts& facts, Chooser& choose) {
  const bool rows = by_rows(instance, style);
  const std::int64_t element = static_cast<std::int64_t>(proto::element_size(instance.dtype));
  const std::int64_t bytes = instance.columns * element;
  if (style.strided)
    return choose({"Every copy is a DataCopyPad, which moves any number of bytes.",
                   "DataCopyPad throughout: no copy has to be whole blocks of 32 bytes."});
  if (rows && bytes % 32 != 0)
    return choose({"A row is " + number(bytes) + " bytes, not a multiple of 32: DataCopy would drop the last " +
                       number(bytes % 32) + ", so pad.",
                   number(instance.columns) + " x " + number(element) + " = " + number(bytes) + " bytes a row leave " +
                       number(bytes % 32) + " over whole blocks of 32; DataCopyPad moves exactly the row.",
                   number(bytes) + " bytes a row, " + number(bytes % 32) + " beyond the last block: DataCopyPad."});
  if (facts.pads && rows)
    return "A row is whole blocks, but the numbers stored one by one are not: DataCopyPad for those.";
  if (facts.pads)
    return choose({"The end is no whole block of 32 bytes, so the copies are DataCopyPad.",
                   "The tail is not a multiple of 32 bytes: DataCopyPad, which writes no byte too many.",
                   "DataCopy rounds down to 32 bytes and would lose the tail; DataCopyPad does not."});
  return choose(
      {"Every copy is whole blocks of 32 bytes: DataCopy is enough.",
       number(facts.tile_bytes) + " bytes are " + number(facts.tile_bytes / 32) + " blocks, no padding needed."});
}

std::string type_words(const Instance& instance, const Facts& facts, Chooser& choose) {
  if (!facts.casts) return "";
  if (instance.dtype == proto::BFLOAT16)
    return choose({"bfloat16_t has no vector arithmetic: cast to float, and back with CAST_RINT.",
                   "Vector calls do not take bfloat16_t, so the values are float in between."});
  if (instance.dtype == proto::FLOAT16)
    return choose({"half is computed in float, so that only the store rounds.",
                   "half comes in as float and goes back with CAST_RINT."});
  return "The type changes on the way: Cast.";
}

std::string budget(const Facts& facts, const KernelStyle& style, Chooser& choose) {
  const std::string limit = number(dsl::kUbBudget);
  if (style.strided)
    return number(facts.ub_bytes / facts.slot / 4) + " slots of " + number(facts.slot) + " floats take " +
           number(facts.ub_bytes) + " of " + limit + " in UB.";
  if (style.compact())
    return choose({"All tiles lie in one buffer of " + number(facts.ub_bytes) + " bytes, of " + limit + " in UB.",
                   "UB holds " + limit + " bytes; the tiles take " + number(facts.ub_bytes) + "."});
  const std::string buffers =
      facts.double_buffered == 0 ? plural(facts.queues, "queue") + " with one buffer"
      : facts.double_buffered == facts.queues
          ? plural(facts.queues, "queue") + " with two buffers"
          : plural(facts.queues, "queue") + ", " + number(facts.double_buffered) + " with two buffers,";
  const std::string work =
      facts.work_bytes > 0 ? " and " + number(facts.work_bytes) + " bytes of intermediate values" : "";
  return choose({buffers + work + " take " + number(facts.ub_bytes) + " of " + limit + " bytes of UB.",
                 "UB: " + buffers + work + ", " + number(facts.ub_bytes) + " bytes of " + limit + "."});
}

std::string order(const Facts& facts, const KernelStyle& style, Chooser& choose) {
  switch (style.order) {
    case KernelStyle::Order::kBarriers:
      return choose(
          {plural(facts.orders, "PipeBarrier") + " keep copies and arithmetic apart.",
           "Copies and vector calls run on pipes of their own, so a PipeBarrier stands wherever one needs the other (" +
               number(facts.orders) + ").",
           "Copy in, barrier, compute, barrier, copy out."});
    case KernelStyle::Order::kFlags:
      return choose({"MTE2 must be done before V reads, V before MTE3 stores, MTE3 before a buffer is written again: " +
                         plural(facts.orders, "pair") + " of SetFlag and WaitFlag.",
                     "Flags instead of barriers: each pipe waits only for the one it depends on (" +
                         number(facts.orders) + " times in the text)."});
    case KernelStyle::Order::kQueues:
      break;
  }
  if (style.single_buffer || facts.double_buffered == 0)
    return choose({"EnQue and DeQue order copy in, compute and copy out; with one buffer a queue they do not overlap.",
                   "One buffer a queue: simple, and the next copy waits for the computation."});
  return choose({"Two buffers let the next tile come in while this one is computed.",
                 "EnQue and DeQue order the stages; double buffering hides the copies behind the arithmetic.",
                 "The queues order copy in, compute and copy out, and two buffers overlap them."});
}

// Points to consider for this operator.
std::string hint(const Instance& instance, Chooser& choose) {
  static const std::map<std::string, std::vector<std::string>> hints = {
      {"softmax",
       {"Subtract the row's maximum first: exp of a large value overflows.",
        "exp(x - max) lies in 0 to 1, so nothing overflows."}},
      {"softmin", {"min(x) - x is never positive, so exp cannot overflow."}},
      {"log_softmax", {"ln(sum(exp)) after subtracting the maximum: stable, and no division."}},
      {"logsumexp", {"Take the maximum out of the exponent and add it back at the end."}},
      {"layer_norm",
       {"Two passes over the row in UB, mean and then variance of the differences: no cancellation.",
        "The epsilon goes under the root, before the division."}},
      {"rms_norm", {"One mean of squares, one root: the row is read once."}},
      {"reduce_sum", {"ReduceSum leaves its result in element 0; reading it waits for the vector unit."}},
      {"reduce_mean", {"The sum times 1 / n, in float."}},
      {"reduce_max", {"ReduceMax needs no neutral element beyond the row's own length."}},
      {"gelu", {"gelu as x / (1 + exp(-2u)), which saves the tanh."}},
      {"tanh", {"tanh(x) = 1 - 2 / (exp(2x) + 1): one Exp, one Div."}},
      {"sigmoid", {"1 / (1 + exp(-x)): Muls, Exp, Adds, Div."}},
      {"softplus", {"max(x, 0) + ln(1 + exp(-|x|)) does not overflow."}},
      {"matmul",
       {"So small a product runs on the vector unit: each element of the left row scales a row of the right side."}},
      {"gather_rows", {"The row's number is read as a scalar, so the copy waits for it."}},
      {"take", {"Gather takes offsets in bytes: scale the indices."}},
      {"pick", {"One element a row: GetValue at the index."}},
      {"cumsum", {"Shifts by 1, 2, 4, ... add up the row in log2(n) steps."}},
      {"max_pool", {"The window is a maximum of shifted slices."}},
      {"avg_pool", {"The window is a sum of shifted slices, divided at the end."}},
      {"sum_all", {"Each core keeps a partial sum; the cores meet once at the end through the workspace."}},
      {"mean_all", {"Partial sums of the cores meet in the workspace; one division at the end."}},
      {"col_sum", {"Add row on row into one tile: no reduction inside a vector is needed."}},
      {"col_max", {"Start at -inf and take Max row by row."}},
      {"descend_root", {"The root's epsilon keeps a parameter with no history from dividing by zero."}},
      {"select_positive", {"CompareScalar writes one bit an element, Select reads them."}},
      {"greater", {"Compare writes bits; Select turns them into ones and zeroes."}},
      {"div", {"Div, not Reciprocal: the approximation misses a thousandth in half."}},
      {"rsqrt", {"Sqrt and Div instead of Rsqrt, whose approximation is coarse."}},
  };
  for (auto node = instance.structure->nodes.rbegin(); node != instance.structure->nodes.rend(); ++node)
    if (const auto found = hints.find(node->op); found != hints.end()) return choose(found->second);
  return "";
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences)
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

std::string cost(const Measured& measured, Chooser& choose) {
  char ratio[32];
  std::snprintf(
      ratio, sizeof(ratio), "%.2f",
      static_cast<double>(measured.baseline) / static_cast<double>(std::max<std::uint64_t>(1, measured.cycles)));
  std::string text =
      choose({"Cost: " + std::to_string(measured.cycles) + " cycles, " + ratio +
                  " times as fast as the operators one by one (" + std::to_string(measured.baseline) + ").",
              "Measured " + std::to_string(measured.cycles) + " cycles; the single operators take " +
                  std::to_string(measured.baseline) + ", so " + ratio + "x."});
  if (measured.ways > 1 && measured.rank > 1)
    text += " The way called " + measured.best + " needs " + std::to_string(measured.best_cycles) + ".";
  else if (measured.ways > 1)
    text += " It is the fastest of the " + std::to_string(measured.ways) + " ways tried.";
  return text;
}

std::string stages(const Instance& instance, const Facts& facts) {
  std::string calls;
  for (std::size_t i = 0; i < facts.calls.size() && i < 8; ++i) calls += (calls.empty() ? "" : ", ") + facts.calls[i];
  return "Stages: copy in " + plural(static_cast<std::int64_t>(instance.structure->inputs.size()), "tensor") + "; " +
         plural(facts.vector_calls, "vector call") + " (" + calls + (facts.calls.size() > 8 ? ", ..." : "") +
         "); copy out.";
}

}  // namespace

std::string short_reasoning(const Instance& instance, const KernelStyle& style, const Facts& facts,
                            std::uint64_t pick) {
  if (is_empty(instance)) return "There are no elements: every core returns at once, and nothing is copied.";
  if (style.strided) return strided_reasoning(instance, facts);
  Chooser choose(pick);
  std::vector<std::string> sentences = {split(instance, style, facts, choose),
                                        alignment(instance, style, facts, choose)};
  const std::string second = pick % 3 == 0   ? order(facts, style, choose)
                             : pick % 3 == 1 ? budget(facts, style, choose)
                                             : hint(instance, choose);
  sentences.push_back(second);
  if (pick % 2 == 0 || second.empty()) sentences.push_back(type_words(instance, facts, choose));
  return joined(sentences);
}

std::string long_reasoning(const Instance& instance, const KernelStyle& style, const Facts& facts,
                           const Measured& measured, std::uint64_t pick) {
  if (is_empty(instance)) return "There are no elements: every core returns at once, and nothing is copied.";
  Chooser choose(pick);
  return joined({split(instance, style, facts, choose), budget(facts, style, choose),
                 alignment(instance, style, facts, choose), type_words(instance, facts, choose), hint(instance, choose),
                 stages(instance, facts), order(facts, style, choose), cost(measured, choose)});
}

std::string dsl_reasoning(const Instance& instance, const Facts& facts, std::uint64_t pick) {
  Chooser choose(pick);
  const KernelStyle usual;
  std::string walk;
  switch (instance.structure->walk) {
    case Walk::kFlat:
      walk = choose({"Elementwise: fold the shape and cut it into tiles.",
                     "No element needs another, so the tensors are walked flat."});
      break;
    case Walk::kRows:
      walk = choose({"The operator works along rows: a row is a tile.", "One row a turn; it fits UB whole."});
      break;
    case Walk::kTotal:
      walk = choose(
          {"Each core sums its tiles, then all cores join.", "A partial result a core, joined once outside the loop."});
      break;
    case Walk::kColumns:
      walk = choose({"Tiles of columns; the axis that goes is a loop inside.",
                     "The columns are cut over the cores, the inner axis is walked."});
      break;
    case Walk::kGather:
      walk = "The index of the row is a number that the next load uses.";
      break;
    case Walk::kMatmul:
      walk = "A row of the result is a sum of scaled rows of the right side.";
      break;
  }
  return joined({walk, pick % 3 == 0 ? hint(instance, choose) : split(instance, usual, facts, choose)});
}

}  // namespace kg::dataset::cot
