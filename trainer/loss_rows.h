#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "trainer/algorithm.h"
#include "trainer/answer_loss.h"
#include "trainer/rl_batch.h"

namespace kg::trainer {

// One packed row with what the loss needs to know of its N answer tokens. An answer is in one row as a whole.
struct LossRow {
  PackedRow packed;
  std::int64_t tokens = 0;                // of its documents, each with its whole prompt
  at::Tensor sampler, advantage, weight;  // (N) fp32; weight 0: of an answer that was left out
  std::vector<std::int64_t> answers;      // (N) each token's answer, by its number in the batch
  KeptSets kept;                          // (N), empty if no answer has them
  // (N) fp32, computed by passes without gradients; undefined where not needed (policy_loss.h).
  at::Tensor old, reference, sequence_log_ratio, sequence_correction;
};

struct RowOptions {
  Aggregation aggregation = Aggregation::kToken;
  std::int64_t token_limit = 512;  // of an answer
  std::int64_t row_tokens = 1024;  // a longer answer is a row of its own
};

// Rows of the answers that have something to teach; of all answers where `all`. Weights in the loss are those of all
// answers of the batch. The batch outlives the rows.
std::vector<LossRow> make_rows(const RlBatch& batch, const RowOptions& options, bool all, at::Device device);

// Writes the answers' present advantages into the rows, as after penalties were added to them.
void set_advantages(std::vector<LossRow>& rows, const RlBatch& batch);

// One number for each answer of the row, from its first token and its count of tokens, spread over its tokens. (N) fp32
at::Tensor over_answers(const LossRow& row,
                        const std::function<double(std::int64_t begin, std::int64_t count)>& number);

// Calls `visit(number in the batch, first token, count)` for each answer of the row.
void for_each_answer(const LossRow& row,
                     const std::function<void(std::size_t answer, std::int64_t begin, std::int64_t count)>& visit);

}  // namespace kg::trainer
