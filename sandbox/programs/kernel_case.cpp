#include "sandbox/programs/kernel_case.h"

#include <cmath>
#include <utility>

#include "sandbox/cell/limits.h"

namespace kg::sandbox {
namespace {

std::uint32_t block_dim_of(const proto::ExecutionRequest& request, const proto::RunCase& run_case) {
  if (run_case.has_host()) return run_case.host().block_dim();
  const std::uint32_t block_dim = run_case.block_dim() > 0 ? run_case.block_dim() : request.block_dim();
  return block_dim == 0 ? 1 : block_dim;
}

}  // namespace

Job case_job(const Workshop& shop, const Request& request, Job::Kind kind, const proto::RunCase& run_case,
             const std::string& object) {
  const proto::ExecutionRequest& asked = request.asked;
  Job job;
  job.kind = kind;
  job.launch.object = shop.kernels.path(shop.work.kernel() / object);
  job.launch.entry_point = asked.entry_point();
  job.launch.block_dim = block_dim_of(asked, run_case);
  job.launch.workspace_bytes = asked.workspace_bytes();
  job.launch.core_order_seed = asked.core_order_seed();
  job.launch.cycle_limit = request.limits().cycles();
  job.launch.want_timeline = asked.want_timeline();
  job.launch.want_profile = asked.want_profile();
  job.cpu_seconds = static_cast<std::uint32_t>(std::ceil(request.limits().run_seconds())) + 1;
  job.memory_bytes = run_address_space(request.limits(), run_case, asked.workspace_bytes());
  job.file_bytes = request.limits().file_bytes();
  return job;
}

JobBounds case_bounds(const Request& request, std::uint64_t result_bytes) {
  return {.seconds = request.limits().run_seconds(),
          .output_bytes = request.limits().output_bytes(),
          .result_bytes = result_bytes,
          .owner = request.allowance.owner,
          .converse = {}};
}

bool run_kernel_case(Workshop& shop, Request& request, const proto::RunCase& run_case, const std::string& object) {
  const JobOutcome outcome =
      shop.kernels.run(case_job(shop, request, Job::Kind::kCase, run_case, object), run_case.SerializeAsString(),
                       case_bounds(request, result_bytes(run_case)));
  CaseVerdict verdict = judge_case(outcome, run_case, request.limits());
  if (!verdict.sandbox_error.empty()) {
    request.result.set_sandbox_error(verdict.sandbox_error);
    return false;
  }
  *request.result.add_cases() = std::move(verdict.result);
  return request.result.cases().rbegin()->ran();
}

}  // namespace kg::sandbox
