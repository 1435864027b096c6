#pragma once

#include <cstdint>
#include <vector>

#include "policy/model/segment.h"

namespace kg::trainer {

// Tokens of one training document. The first `prompt_length` are given to the model and never learned.
struct Document {
  std::vector<std::int32_t> ids;
  std::int64_t prompt_length = 0;
};

// Where in the data a run stands: `document` counts within the shuffled order of `epoch`.
struct DataPosition {
  std::uint64_t epoch = 0;
  std::uint64_t document = 0;
};

// The order in which documents are read: a new permutation in each epoch, a pure function of (count, seed, epoch).
std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, std::uint64_t epoch);

// Deals documents out in steps of at most `step_tokens` tokens (at least one document), epoch after epoch.
class DocumentOrder {
 public:
  DocumentOrder(std::vector<std::int64_t> lengths, std::uint64_t seed);
  // Documents of the step that begins at `position`, which is moved on. Stops early before `end_epoch`; then may be
  // empty.
  std::vector<std::size_t> next(std::int64_t step_tokens, DataPosition& position, std::uint64_t end_epoch = ~0ULL);

 private:
  std::vector<std::int64_t> lengths_;
  std::uint64_t seed_;
  std::vector<std::size_t> order_;
  std::uint64_t order_epoch_ = ~0ULL;
};

// Groups documents into rows of at most `row_tokens` tokens, first fit in the given order. No document is split; each
// must fit.
std::vector<std::vector<std::size_t>> pack_rows(const std::vector<std::size_t>& documents,
                                                const std::vector<std::int64_t>& lengths, std::int64_t row_tokens);

// The same for documents of which several answer one prompt: a row holds a prompt once for all its answers in the row.
// Answers to one prompt stay together unless a whole row does not hold them: each row that they are spread over
// computes the prompt again.
std::vector<std::vector<std::size_t>> pack_sharing_prompts(const std::vector<const Document*>& documents,
                                                           std::int64_t row_tokens);

// One row as the model reads it. No padding.
struct PackedRow {
  std::vector<std::int64_t> ids;             // (T)
  std::vector<policy::Segment> segments;     // of the T tokens
  std::vector<std::int64_t> loss_positions;  // (N) indices into ids whose next token is learned
  std::vector<std::int64_t> targets;         // (N) that next token
  std::vector<std::size_t> order;            // of the documents: the N tokens are theirs in this order
};
// Documents with equal prompts stand together, the prompt once before its answers.
PackedRow assemble_row(const std::vector<const Document*>& documents);

}  // namespace kg::trainer
