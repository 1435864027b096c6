#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "policy/files/model_io.h"
#include "trainer/bench_options.h"
#include "trainer/packing.h"

namespace kg::trainer {

// Measures kgtrain itself, in this process, as `options` says. For the best step:
//   sft     seconds, rate (tokens/s), teraflops, product_teraflops (the best rate of a product of the model's shapes)
//           with data: rate (samples/s) and seconds of all steps together
//   grpo    seconds, rate (answers/s), sample_seconds, train_seconds, log_prob_difference (sampler to learner, nats)
//   decode  seconds (of all tokens after the first), rate (tokens/s of these), prompt_seconds
// and for the process peak_mib.
nlohmann::json measure_bench(const BenchOptions& options);

// The documents that `kgtrain sft` would make from --data.
std::vector<Document> bench_documents(const BenchOptions& options, const policy::LoadedModel& model);

}  // namespace kg::trainer
