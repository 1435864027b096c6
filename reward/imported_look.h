#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "reward/benchmark_case.h"
#include "reward/check_width.h"
#include "reward/second_look.h"
#include "sandbox/sandbox.h"

namespace kg::reward {

// Input of a second look at a kernel of an imported task.
struct ImportedCase {
  const proto::Check& check;  // the benchmark's check
  const proto::RunCase& asked;
  const proto::CaseResult& given;
  // Does a run with these expected outputs pass? `judged`: by which check, for each checked tensor.
  std::function<bool(const proto::CaseResult&, const BenchmarkCase&, const std::vector<JudgedBy>& judged)> passes;
  const BenchmarkCase& expected;
  // The benchmark's reference on other inputs; nothing if it is not available.
  std::function<std::optional<BenchmarkCase>(const OtherInputs&)> other;
  bool large = false;  // runs only once more, not three times: on wide inputs, in another order of the cores
};

// A second look at a case of an imported task. The same inputs in another order of the cores must pass again. Then the
// kernel runs on redrawn inputs and on wide ones, and must agree with what the reference makes of them, however
// few or small (against the checker's bounds) the outputs are (check_width.h). Without the
// reference the right outputs are unknown, but outputs that stay the same bit by bit when every input changes are no
// result.
// The cycles are those on redrawn inputs (for a large case, on wide ones); 0: there were none.
Doubt second_look_imported(sandbox::Sandbox& sandbox, const ImportedCase& one, proto::ExecutionRequest request);

// Other inputs with the same ranges and signs: each floating-point input is scaled by its own factor.
proto::Tensor shaken(proto::Tensor tensor, std::uint64_t seed);

}  // namespace kg::reward
