#include "dataset/cot/compose.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/random.h"
#include "operators/operators.h"

namespace kg::dataset::cot {
namespace {

constexpr std::uint64_t kListSeed = 20261121;  // another one is another list of structures
constexpr const char* kLetters = "xywvuts";
using operators::OperatorShape;
using Names = std::vector<std::string>;

const operators::OperatorInfo& info(const std::string& op) { return operators::operator_info(op); }

// The operators that compositions draw.
const Names& vocabulary() {
  static const Names names = [] {
    Names all;
    for (const auto& row : operators::operator_table())
      if (row.word) all.push_back(row.name);
    return all;
  }();
  return names;
}

// Operators by what a chain can do with them.
struct Pools {
  Names unary, binary, ternary, last, reduce, reduce_pairs, rows, pools, totals, columns;
  Pools() {
    for (const std::string& op : vocabulary()) {
      const auto& row = info(op);
      // These have their own steps.
      if (row.category == "optimiser" || op == "take" || op == "pick") continue;
      if (row.word->flags & operators::kCast)
        last.push_back(op);
      else if (Names* pool = pool_of(row))
        pool->push_back(op);
    }
  }

 private:
  Names* pool_of(const operators::OperatorInfo& row) {
    switch (row.shape) {
      case OperatorShape::kElementwise:
        return row.arity == 1 ? &unary : row.arity == 2 ? &binary : &ternary;
      case OperatorShape::kRowwise:
        return &rows;
      case OperatorShape::kRowReduce:
        return row.arity == 1 ? &reduce : &reduce_pairs;
      case OperatorShape::kRowPart:
        return &pools;
      case OperatorShape::kColumnReduce:
        return &columns;
      case OperatorShape::kTotal:
        return &totals;
      case OperatorShape::kOther:
        return nullptr;
    }
    return nullptr;
  }
};

const Pools& pools() {
  static const Pools all;
  return all;
}

class Composer {
 public:
  explicit Composer(std::uint64_t index) : random_(kListSeed, index) { structure_.inputs.push_back({}); }

  Structure any() {
    const std::uint64_t kind = below(100);
    if (kind < 30) {
      chain(2 + below(4), /*rows=*/false);
      if (below(6) == 0) unary_of(pools().last);
    } else if (kind < 66) {
      rows();
    } else if (kind < 75) {
      chain(below(3), false);
      structure_.walk = Walk::kTotal;
      apply(pick(pools().totals), false);
      if (below(2) == 0) unary_of({"sqrt", "muls", "ln1p", "exp", "tanh", "neg", "sigmoid", "square"});
    } else if (kind < 82) {
      structure_.walk = Walk::kColumns;
      chain(below(3), false);
      unary_of(pools().columns);
      for (std::uint64_t n = below(3); n > 0; --n) unary_of(pools().unary);
    } else if (kind < 88) {
      gather();
    } else if (kind < 93) {
      matmul();
    } else {
      optimiser();
    }
    if (structure_.outputs.empty()) structure_.outputs = {current_};
    renumber();
    return std::move(structure_);
  }

  Structure alone(const std::string& op) {
    const auto& row = info(op);
    if (op == "gather_rows") {
      gather_rows();
    } else if (op == "matmul") {
      product();
    } else {
      if (row.shape == OperatorShape::kColumnReduce)
        structure_.walk = Walk::kColumns;
      else if (row.shape == OperatorShape::kTotal)
        structure_.walk = Walk::kTotal;
      else if (row.shape != OperatorShape::kElementwise)
        structure_.walk = Walk::kRows;
      if (op == "take")
        take();
      else if (op == "pick")
        pick_one();
      else
        apply(op, false);
    }
    structure_.outputs = {current_};
    renumber();
    return std::move(structure_);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.next_below(bound); }
  const std::string& pick(const Names& names) { return names[below(names.size())]; }

  // While composing, a node's value is 100 + its index, so that inputs may still be added.
  static constexpr int kNodes = 100;

  int input(InputKind kind) {
    KG_CHECK(structure_.inputs.size() < std::strlen(kLetters));
    structure_.inputs.push_back({.letter = kLetters[structure_.inputs.size()], .kind = kind});
    return static_cast<int>(structure_.inputs.size()) - 1;
  }

  void add(const std::string& op, std::vector<int> operands) {
    Node node{.op = op, .attributes = {}, .operands = std::move(operands)};
    for (const auto& choices : info(op).word->attributes) node.attributes.push_back(choices[below(choices.size())]);
    structure_.nodes.push_back(std::move(node));
    current_ = kNodes + static_cast<int>(structure_.nodes.size()) - 1;
    const OperatorShape shape = info(op).shape;
    const bool changes =
        shape == OperatorShape::kRowPart || shape == OperatorShape::kRowReduce || shape == OperatorShape::kColumnReduce;
    if (changes || op == "flip") wide_.clear();
    if (!changes) wide_.push_back(current_);
  }

  void unary_of(const Names& names) { add(pick(names), {current_}); }

  // A second operand: a new tensor, a vector, or an earlier value of the same shape.
  int other(bool rows) {
    std::vector<int> earlier;
    for (const int value : wide_)
      if (value != current_) earlier.push_back(value);
    const bool full = structure_.inputs.size() < 4 && !narrow_;
    if (rows && !narrow_ && structure_.inputs.size() < 4 && below(100) < 35) return input(InputKind::kVector);
    if (full && (earlier.empty() || below(100) < 60)) return input(InputKind::kFull);
    return earlier.empty() ? -1 : earlier[below(earlier.size())];
  }

  bool apply(const std::string& op, bool rows) {
    std::vector<int> operands = {current_};
    for (int k = 1; k < info(op).arity; ++k) {
      const int next = other(rows);
      if (next < 0) return false;
      operands.push_back(next);
    }
    add(op, std::move(operands));
    return true;
  }

  void chain(std::uint64_t steps, bool rows) {
    for (; steps > 0; --steps) {
      const std::uint64_t kind = below(100);
      const Names& names = kind < 56 ? pools().unary : kind < 90 ? pools().binary : pools().ternary;
      if (!apply(pick(names), rows)) unary_of(pools().unary);
    }
  }

  // After a reduction: back to whole rows, or a few steps on the numbers.
  void after_reduction(const std::vector<int>& wide) {
    const std::uint64_t kind = below(10);
    if (kind < 5 && !wide.empty()) {
      const int row = wide[below(wide.size())];
      static const Names joining = {"sub", "div", "mul", "add", "max", "min", "squared_difference", "axpy"};
      add(pick(joining), {row, current_});
      wide_ = wide;
      wide_.push_back(current_);
      chain(below(2), true);
    } else if (kind < 8) {
      static const Names numbers = {"sqrt", "muls",   "adds", "exp",  "tanh",       "sigmoid",
                                    "relu", "square", "neg",  "ln1p", "reciprocal", "rsqrt"};
      unary_of(numbers);
    }
  }

  void along_rows() {
    const std::vector<int> wide = wide_;
    const std::uint64_t kind = below(100);
    if (kind < 42) {
      unary_of(pools().rows);
      chain(below(3), true);
    } else if (kind < 68) {
      unary_of(pools().reduce);
      after_reduction(wide);
    } else if (kind < 78 && apply(pick(pools().reduce_pairs), true)) {
      after_reduction(wide);
    } else if (kind < 90) {
      unary_of(pools().pools);
      narrow_ = true;
      for (std::uint64_t n = below(3); n > 0; --n) unary_of(pools().unary);
      if (below(4) == 0) unary_of(pools().reduce);
    } else if (kind < 95) {
      take();
      narrow_ = true;
      for (std::uint64_t n = below(2); n > 0; --n) unary_of(pools().unary);
    } else {
      pick_one();
      after_reduction(wide);
    }
  }

  void rows() {
    structure_.walk = Walk::kRows;
    chain(below(3), true);
    along_rows();
  }

  void take() { add("take", {current_, input(InputKind::kColumnIndex)}); }
  void pick_one() { add("pick", {current_, input(InputKind::kPickIndex)}); }

  void gather_rows() {
    structure_.walk = Walk::kGather;
    const int index = input(InputKind::kRowIndex);
    wide_.clear();
    add("gather_rows", {0, index});
    wide_ = {current_};
  }
  void gather() {
    gather_rows();
    narrow_ = false;
    const std::uint64_t kind = below(3);
    if (kind < 2) chain_on_vectors(1 + below(2));
    if (kind > 0) unary_of(below(2) == 0 ? pools().rows : pools().reduce);
  }

  void product() {
    structure_.walk = Walk::kMatmul;
    const int right = input(InputKind::kRight);
    wide_.clear();
    add("matmul", {0, right});
    wide_ = {current_};
  }
  void matmul() {
    product();
    if (below(3) > 0) add(below(3) == 0 ? "mul" : "add", {current_, input(InputKind::kVector)});
    if (below(3) > 0) unary_of(pools().unary);
    if (below(3) == 0) unary_of(below(2) == 0 ? pools().rows : pools().reduce);
  }

  // Whole tensors would need the shape of the result: only vectors and earlier values here.
  void chain_on_vectors(std::uint64_t steps) {
    for (; steps > 0; --steps) {
      if (below(2) == 0)
        unary_of(pools().unary);
      else
        add(pick({"add", "mul", "sub", "max", "min"}), {current_, input(InputKind::kVector)});
    }
  }

  void optimiser() {
    const int parameter = 0, gradient = input(InputKind::kFull);
    int p = parameter, g = gradient;
    if (below(3) == 0) {
      add(pick({"clamp", "muls", "hardtanh", "tanh", "softsign"}), {g});
      g = current_;
    }
    if (below(3) == 0) {
      add("decay", {p});
      p = current_;
    }
    std::vector<int> kept;
    const auto state = [&](const char* op, int by) {
      const int old = input(InputKind::kFull);
      add(op, {old, by});
      kept.push_back(current_);
      return current_;
    };
    int end = 0;
    switch (below(9)) {
      case 0:
        add("descend", {p, g});
        break;
      case 1:
        add("descend", {p, state("momentum", g)});
        break;
      case 2: {
        const int m = state("momentum", g);
        add("momentum", {m, g});
        add("descend", {p, current_});
        break;
      }
      case 3:
        add("descend", {p, state("ema", g)});
        break;
      case 4:
        add("descend_root", {p, g, state("accumulate_square", g)});
        break;
      case 5:
        add("descend_root", {p, g, state("ema_square", g)});
        break;
      case 6: {
        const int m = state("ema", g), v = state("ema_square", g);
        add("descend_root", {p, m, v});
        break;
      }
      case 7: {
        const int v = state("ema_square", g);
        add("descend_root", {0, g, v});
        add("lerp", {p, current_});
        break;
      }
      default:
        add("sign_descend", {p, g});
    }
    if (below(4) == 0) unary_of({"clamp", "maxs", "hardtanh"});
    end = current_;
    structure_.outputs = {end};
    structure_.outputs.insert(structure_.outputs.end(), kept.begin(), kept.end());
  }

  void renumber() {
    const int inputs = static_cast<int>(structure_.inputs.size());
    const auto move = [&](int& value) {
      if (value >= kNodes) value += inputs - kNodes;
    };
    for (Node& node : structure_.nodes)
      for (int& operand : node.operands) move(operand);
    for (int& output : structure_.outputs) move(output);
  }

  Philox random_;
  Structure structure_;
  int current_ = 0;
  std::vector<int> wide_ = {0};  // values of the full shape that are there
  bool narrow_ = false;          // the chain's shape is no longer that of an input
};

}  // namespace

Structure compose(std::uint64_t index) {
  if (index < vocabulary().size()) return Composer(index).alone(vocabulary()[index]);
  return Composer(index).any();
}

}  // namespace kg::dataset::cot
