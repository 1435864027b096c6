#pragma once

#include <cstdint>
#include <vector>

#include "policy/model/segment.h"

namespace kg::trainer {

// Tokens of one training document. The model sees the first `prompt_length` but never learns them.
struct Document {
  std::vector<std::int32_t> ids;
  std::int64_t prompt_length = 0;
};

// A position in the data: `document` counts within the shuffled order of `epoch`.
struct DataPosition {
  std::uint64_t epoch = 0;
  std::uint64_t document = 0;
};

// The order in which documents are read: a new permutation in each epoch, a pure function of (count, seed, epoch).
std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, std::uint64_t epoch);

// Deals out documents in steps of at most `step_tokens` tokens (at least one document), epoch after epoch.
class DocumentOrder {
 public:
  DocumentOrder(std::vector<std::int64_t> lengths, std::uint64_t seed);
  // Documents of the step that begins at `position`, which advances. Stops before `end_epoch`, and may then be
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

// The same if several documents answer one prompt: a row holds a prompt once for all its answers in that row.
// Answers to one prompt stay together unless a whole row cannot hold them; then each of their rows
// computes the prompt again.
std::vector<std::vector<std::size_t>> pack_sharing_prompts(const std::vector<const Document*>& documents,
                                                           std::int64_t row_tokens);

// One row in the form the model reads. No padding.
struct PackedRow {
  std::vector<std::int64_t> ids;             // (T)
  std::vector<policy::Segment> segments;     // they cover the T tokens
  std::vector<std::int64_t> loss_positions;  // (N) indices into ids whose next token is learned
  std::vector<std::int64_t> targets;         // (N) that next token
  std::vector<std::size_t> order;            // order of the documents that the N tokens come from
};
// Documents with equal prompts are put together, with the prompt once before its answers.
PackedRow assemble_row(const std::vector<const Document*>& documents);

}  // namespace kg::trainer
