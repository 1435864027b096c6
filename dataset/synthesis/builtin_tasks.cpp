#include "dataset/synthesis/builtin_tasks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/hash.h"
#include "dataset/synthesis/kernel.h"
#include "dataset/synthesis/text.h"
#include "dataset/synthesis/token_pieces.h"
#include "operators/golden.h"
#include "proto/dtype.h"

namespace kg::dataset {
namespace {

using Extents = std::pair<std::int64_t, std::int64_t>;
// Small enough that a kernel is judged in milliseconds. Whole units of 32 bytes for every type, then tails for every
// type.
constexpr std::array<Extents, 8> kFriendly = {
    {{8, 256}, {16, 512}, {32, 256}, {16, 1024}, {8, 2048}, {24, 512}, {64, 128}, {40, 384}}};
constexpr std::array<Extents, 8> kTailed = {
    {{10, 100}, {7, 333}, {12, 500}, {20, 1000}, {9, 777}, {33, 65}, {5, 1999}, {13, 250}}};
static_assert(kFriendly.size() + kTailed.size() == kMostShapes);

constexpr int kCases = 2;

constexpr proto::DType kTypes[] = {proto::FLOAT16, proto::BFLOAT16, proto::FLOAT32};

// Absolute error that rounding may cause: half a unit in the last place of the largest value of the graph for each
// vector instruction and the final store, doubled. Values are rounded to half only where kernels may compute in half;
// otherwise to float, and the relative tolerance covers the store.
double absolute_bound(const Variant& variant, const proto::TaskCase& task_case, const proto::OperatorGraph& graph) {
  proto::OperatorGraph all = graph;
  all.clear_outputs();
  for (int i = 0; i < graph.input_count() + graph.nodes_size(); ++i) all.add_outputs(i);
  double largest = 0;
  for (const operators::GoldenTensor& tensor : operators::golden_outputs(all, operators::make_inputs(task_case)))
    for (const double value : tensor.values) largest = std::max(largest, std::abs(value));
  const bool in_half = variant.dtype == proto::FLOAT16 && !variant.casts();
  const double unit = std::ldexp(1.0, in_half ? -10 : -22);
  // Rounded to two digits: a bound is not a measurement.
  const double bound = unit * (variant.structure->rounding_steps + 1) * largest;
  const double scale = std::pow(10.0, std::floor(std::log10(bound)) - 1);
  return std::ceil(bound / scale) * scale;
}

}  // namespace

std::vector<Variant> builtin_variants(int shapes) {
  std::vector<Variant> variants;
  for (const Structure& structure : builtin_structures())
    for (const proto::DType dtype : kTypes) {
      const std::uint64_t start = hash64("shapes:" + structure.name + ":" + proto::dtype_name(dtype));
      for (int i = 0; i < std::min(shapes, kMostShapes); ++i) {
        const auto& table = i % 2 == 0 ? kFriendly : kTailed;
        const Extents extents =
            table[(start / (i % 2 == 0 ? 1 : 8) + static_cast<std::uint64_t>(i / 2)) % table.size()];
        const Variant variant{
            .structure = &structure, .dtype = dtype, .rows = extents.first, .columns = extents.second};
        if (token_pieces(compact_kernel(variant)) <= kMostCompactPieces) variants.push_back(variant);
      }
    }
  return variants;
}

std::string task_id(const Variant& variant) {
  return "builtin/" + variant.structure->family + "/" + variant.structure->name + "/" +
         proto::dtype_name(variant.dtype) + "/" + std::to_string(variant.rows) + "x" + std::to_string(variant.columns);
}

proto::Task make_task(const Variant& variant, std::uint64_t seed) {
  const Structure& structure = *variant.structure;
  proto::Task task;
  task.set_id(task_id(variant));
  task.set_suite("builtin");
  task.set_category(structure.category);
  task.set_family(structure.family);
  task.set_structure(structure.name);
  task.set_split(structure.split);
  task.set_level(static_cast<int>(structure.steps.size()));
  *task.mutable_graph() = operator_graph(structure);
  for (int c = 0; c < kCases; ++c) {
    proto::TaskCase& task_case = *task.add_cases();
    task_case.set_seed(hash64(task.id() + ":" + std::to_string(seed) + ":" + std::to_string(c)));
    const auto names = variant.input_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      proto::TensorSpec& spec = *task_case.add_inputs();
      spec.set_name(names[i]);
      spec.set_dtype(variant.dtype);
      spec.add_shape(variant.rows);
      spec.add_shape(variant.columns);
      spec.mutable_distribution()->set_kind(proto::Distribution::UNIFORM);
      spec.mutable_distribution()->set_low(structure.inputs[i].low);
      spec.mutable_distribution()->set_high(structure.inputs[i].high);
    }
    proto::TensorSpec& result = *task_case.add_outputs();
    result.set_name("z");
    result.set_dtype(variant.dtype);
    result.add_shape(variant.rows);
    if (!structure.reduces) result.add_shape(variant.columns);
    task.set_absolute_bound(std::max(task.absolute_bound(), absolute_bound(variant, task_case, task.graph())));
  }
  task.set_entry_point(kEntryPoint);
  task.set_block_dim(kCores);
  task.set_prompt_short(short_prompt(variant, Style::kCompact));
  task.set_prompt_npukernelbench(npukernelbench_prompt(variant));
  task.set_style(style_name(Style::kCompact));
  return task;
}

}  // namespace kg::dataset
