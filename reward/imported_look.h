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

// What a second look at a kernel of an imported task needs to know.
struct ImportedCase {
  const proto::Check& check;  // the benchmark's
  const proto::RunCase& asked;
  const proto::CaseResult& given;
  // Does a run with these expected outputs pass? `judged`: by what, for each checked tensor.
  std::function<bool(const proto::CaseResult&, const BenchmarkCase&, const std::vector<JudgedBy>& judged)> passes;
  const BenchmarkCase& expected;
  // The benchmark's reference on other inputs; nothing where it is not at hand.
  std::function<std::optional<BenchmarkCase>(const OtherInputs&)> other;
  bool large = false;  // it runs once more, not three times: on wide inputs, in another order of the cores
};

// A second look at a case of an imported task. The same inputs in another order of the cores must pass again. Then the
// kernel runs on inputs drawn again, and on wide ones, and must agree with what the reference makes of them: however
// few elements come out, and however small they are against the bounds of the checker (check_width.h). Without the
// reference nobody knows what is right, but outputs that stay the same bit by bit when every input changes are no
// result.
// The cycles are those on inputs drawn again (of a large case, on wide ones); 0: there were none.
Doubt second_look_imported(sandbox::Sandbox& sandbox, const ImportedCase& one, proto::ExecutionRequest request);

// Other inputs that keep the range and the signs of the numbers: each floating one is scaled by a factor of its own.
proto::Tensor shaken(proto::Tensor tensor, std::uint64_t seed);

}  // namespace kg::reward
