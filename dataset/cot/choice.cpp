#include "dataset/cot/choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "base/random.h"
#include "dataset/cot/guessable.h"
#include "operators/golden.h"

namespace kg::dataset::cot {
namespace {

constexpr std::uint64_t kStructures = 4000;  // number of structures in a data set before shapes repeat
constexpr int kTurns = 12;                   // shapes tried until one is possible
constexpr double kLargest = 30000;           // largest value: fits half and int16

// Is the task meaningful: finite values that its types can hold, results that are not all alike?
bool says_something(const proto::Task& task) {
  std::vector<operators::GoldenTensor> inputs;
  for (const proto::Tensor& tensor : operators::make_inputs(task.cases(0)))
    inputs.push_back(operators::to_golden(tensor));
  const auto values = operators::golden_values(task.graph(), std::move(inputs), {});
  for (const auto& tensor : values)
    for (const double value : tensor.values)
      if (!(std::abs(value) < kLargest)) return false;
  for (const std::int32_t output : task.graph().outputs()) {
    const auto& result = values[static_cast<std::size_t>(output)].values;
    if (result.size() > 8 &&
        std::all_of(result.begin(), result.end(), [&](double value) { return value == result[0]; }))
      return false;
  }
  return true;
}

std::string why_no_task(const proto::Task& task) {
  return says_something(task) ? why_guessable(task) : "its values are all alike, or beyond their type";
}

}  // namespace

std::uint64_t shuffled(std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> orders;
  const std::lock_guard lock(mutex);
  auto& order = orders[{n, seed}];
  if (order.empty()) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0u);
    Philox random(seed, 0x636f74);
    for (std::size_t k = n; k > 1; --k) std::swap(order[k - 1], order[random.next_below(k)]);
  }
  return order[i];
}

Choice choose_task(std::uint64_t number, std::uint64_t seed) {
  Choice choice;
  const Structure& structure = structures(kStructures)[shuffled(number % kStructures, kStructures, seed)];
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    choice.instance = instance_of(structure, number / kStructures * kTurns + turn);
    if (!possible(choice.instance)) continue;
    for (const Drawn how : {Drawn::kUneven, Drawn::kEvenly}) {
      choice.task = task_of(choice.instance, seed, how);
      std::string why = why_no_task(choice.task);
      if (why.empty()) {
        choice.found = true;
        return choice;
      }
      choice.refused.push_back(choice.task.id() + ": " + why);
    }
  }
  return choice;
}

}  // namespace kg::dataset::cot
