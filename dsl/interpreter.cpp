#include "dsl/interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/constant.h"
#include "dsl/evaluate.h"
#include "dsl/evaluate_cube.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::dsl {

double rounded_to(proto::DType dtype, double value) {
  switch (dtype) {
    case proto::FLOAT32:
      return static_cast<float>(value);
    case proto::FLOAT16:
      return kgnpu::half_value(kgnpu::half_bits(static_cast<float>(value)));
    case proto::BFLOAT16:
      return kgnpu::bfloat16_value(kgnpu::bfloat16_bits(static_cast<float>(value)));
    case proto::INT8:
      return std::clamp(std::nearbyint(value), -128.0, 127.0);
    case proto::UINT8:
    case proto::BOOL:
      return std::clamp(std::nearbyint(value), 0.0, 255.0);
    case proto::INT16:
      return static_cast<std::int16_t>(static_cast<std::int64_t>(value));
    case proto::INT32:
      return static_cast<std::int32_t>(static_cast<std::int64_t>(value));
    default:
      return value;
  }
}

namespace {

class Interpreter {
 public:
  Interpreter(const Checked& program, const std::vector<Values>& inputs) : program_(program) {
    std::size_t next = 0;
    for (const Parameter& parameter : program.program.parameters) {
      std::int64_t elements = 1;
      for (const std::int64_t extent : parameter.shape) elements *= extent;
      tensors_.push_back(parameter.is_input()
                             ? inputs.at(next++)
                             : Values(static_cast<std::size_t>(elements), std::numeric_limits<double>::quiet_NaN()));
    }
    for (int core = 0; core < program.launched; ++core) cores_.emplace_back(program, tensors_, core);
  }

  std::vector<Values> run() {
    for (const Statement& statement : program_.program.body) {
      // Every core reaches a number over all cores at the same statement.
      combine(statement);
      for (Evaluator& core : cores_) run(core, statement);
    }
    std::vector<Values> outputs;
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      if (program_.program.parameters[i].output) outputs.push_back(std::move(tensors_[i]));
    return outputs;
  }

 private:
  void combine(const Statement& statement) {
    if (statement.value) combine(*statement.value);
  }
  void combine(const Expr& expr) {
    for (const ExprPtr& arg : expr.args) combine(*arg);
    if (expr.kind != Expr::Kind::kCall || !expr.text.starts_with("all_")) return;
    double result = expr.text == "all_sum" ? 0 : expr.text == "all_max" ? -HUGE_VAL : HUGE_VAL;
    for (Evaluator& core : cores_) {
      const double each = rounded_to(proto::FLOAT32, core.value(*expr.args[0]).number);
      result = expr.text == "all_sum"   ? result + each
               : expr.text == "all_max" ? std::max(result, each)
                                        : std::min(result, each);
    }
    for (Evaluator& core : cores_) core.combined[&expr] = rounded_to(proto::FLOAT32, result);
  }

  void block(Evaluator& core, const std::vector<Statement>& body) {
    core.open();
    for (const Statement& statement : body) run(core, statement);
    core.close();
  }

  void run(Evaluator& core, const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::kAssign:
      case Statement::Kind::kBuffer:
        return core.assign(statement);
      case Statement::Kind::kStore:
        return statement.value->type.product ? store_sums(core, statement) : core.store(statement);
      case Statement::Kind::kIf:
        return block(core, core.value(*statement.value).number != 0 ? statement.body : statement.otherwise);
      case Statement::Kind::kFor:
        if (statement.cube) return on_cube(core, statement);
        return statement.parallel ? parallel(core, statement, program_.cores) : loop(core, statement);
      case Statement::Kind::kMatrix:
        return load_matrix(core, statement);
      case Statement::Kind::kProduct:
        return begin_sums(core, statement);
      case Statement::Kind::kGemm:
        return add_product(core, statement);
      default:
        return;
    }
  }

  void loop(Evaluator& core, const Statement& statement) {
    const LoopItem& item = statement.items[0];
    const auto low = item.lo ? static_cast<std::int64_t>(core.value(*item.lo).number) : 0;
    const auto high = static_cast<std::int64_t>(core.value(*item.hi).number);
    const std::int64_t stride = item.tiles ? static_cast<std::int64_t>(item.tile->number) : 1;
    for (std::int64_t at = low; at < high; at += stride) {
      core.open();
      core.set(item.name, piece(item, at, high));
      block(core, statement.body);
      core.close();
    }
  }

  static Value piece(const LoopItem& item, std::int64_t at, std::int64_t high) {
    Value value;
    value.number = static_cast<double>(at);
    if (item.tiles) value.length = std::min(static_cast<std::int64_t>(item.tile->number), high - at);
    return value;
  }

  // The first cores act as the cube cores.
  void on_cube(Evaluator& core, const Statement& statement) {
    if (core.core() >= program_.groups) return;
    core.open();
    core.set("num_programs", {.number = static_cast<double>(program_.groups)});
    parallel(core, statement, program_.groups);
    core.close();
  }

  void parallel(Evaluator& core, const Statement& statement, std::int64_t cores) {
    std::vector<std::int64_t> counts, ends;
    std::int64_t total = 1;
    for (const LoopItem& item : statement.items) {
      ends.push_back(static_cast<std::int64_t>(core.value(*item.hi).number));
      counts.push_back(item.tiles ? ceil_div(ends.back(), static_cast<std::int64_t>(item.tile->number)) : ends.back());
      total *= counts.back();
    }
    const std::int64_t each = ceil_div(total, cores), first = core.core() * each;
    for (std::int64_t number = first; number < std::min(first + each, total); ++number) {
      core.open();
      std::int64_t rest = number;
      for (std::size_t i = statement.items.size(); i-- > 0;) {
        const LoopItem& item = statement.items[i];
        const std::int64_t index = rest % counts[i];
        rest /= counts[i];
        core.set(item.name,
                 piece(item, item.tiles ? index * static_cast<std::int64_t>(item.tile->number) : index, ends[i]));
      }
      block(core, statement.body);
      core.close();
    }
  }

  const Checked& program_;
  std::vector<Values> tensors_;
  std::vector<Evaluator> cores_;
};

}  // namespace

std::vector<Values> interpret(const Checked& program, const std::vector<Values>& inputs) {
  return Interpreter(program, inputs).run();
}

}  // namespace kg::dsl
