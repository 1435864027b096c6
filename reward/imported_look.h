#pragma once

#include <functional>
#include <optional>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "reward/benchmark_case.h"
#include "reward/second_look.h"
#include "sandbox/sandbox.h"

namespace kg::reward {

// What a second look at a kernel of an imported task needs to know.
struct ImportedCase {
  const proto::RunCase& asked;
  const proto::CaseResult& given;
  // Does a run with these expected outputs pass?
  std::function<bool(const proto::CaseResult&, const BenchmarkCase&)> passes;
  const BenchmarkCase& expected;
  // The benchmark's reference on other inputs; nothing where it is not at hand.
  std::function<std::optional<BenchmarkCase>(const OtherInputs&)> other;
};

// A second look at a case of an imported task. The same inputs in another order of the cores must pass again. Then the
// kernel runs on inputs drawn again, and on wide ones, and must agree with what the reference makes of them: however
// few elements come out. Without the reference nobody knows what is right, but outputs that stay the same bit by bit
// when every input changes are no result.
Doubt second_look_imported(sandbox::Sandbox& sandbox, const ImportedCase& one, proto::ExecutionRequest request);

// Other inputs that keep the range and the signs of the numbers: each floating one is scaled by a factor of its own.
proto::Tensor shaken(proto::Tensor tensor, std::uint64_t seed);

}  // namespace kg::reward
