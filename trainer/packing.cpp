#include "trainer/packing.h"

#include <numeric>

#include "base/check.h"
#include "base/random.h"

namespace kg::trainer {

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Philox random(seed, epoch);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.next_below(i)]);  // Fisher-Yates
  return order;
}

DocumentOrder::DocumentOrder(std::vector<std::int64_t> lengths, std::uint64_t seed)
    : lengths_(std::move(lengths)), seed_(seed) {
  KG_CHECK(!lengths_.empty());
}

std::vector<std::size_t> DocumentOrder::next(std::int64_t step_tokens, DataPosition& position,
                                             std::uint64_t end_epoch) {
  std::vector<std::size_t> documents;
  std::int64_t tokens = 0;
  while (position.epoch < end_epoch) {
    if (order_epoch_ != position.epoch) {
      order_ = shuffled_order(lengths_.size(), seed_, position.epoch);
      order_epoch_ = position.epoch;
    }
    const std::size_t candidate = order_[position.document];
    if (!documents.empty() && tokens + lengths_[candidate] > step_tokens) break;
    documents.push_back(candidate);
    tokens += lengths_[candidate];
    if (++position.document == order_.size()) position = {position.epoch + 1, 0};
  }
  return documents;
}

std::vector<std::vector<std::size_t>> pack_rows(const std::vector<std::size_t>& documents,
                                                const std::vector<std::int64_t>& lengths, std::int64_t row_tokens) {
  std::vector<std::vector<std::size_t>> rows;
  std::vector<std::int64_t> filled;
  for (const std::size_t document : documents) {
    KG_CHECK_LE(lengths[document], row_tokens);
    std::size_t row = 0;
    while (row < rows.size() && filled[row] + lengths[document] > row_tokens) ++row;
    if (row == rows.size()) {
      rows.emplace_back();
      filled.push_back(0);
    }
    rows[row].push_back(document);
    filled[row] += lengths[document];
  }
  return rows;
}

PackedRow assemble_row(const std::vector<const Document*>& documents) {
  PackedRow row;
  for (const Document* document : documents) {
    const auto start = static_cast<std::int64_t>(row.ids.size());
    const auto length = static_cast<std::int64_t>(document->ids.size());
    KG_CHECK_GT(document->prompt_length, 0);
    KG_CHECK_LT(document->prompt_length, length);
    row.document_starts.push_back(start);
    row.ids.insert(row.ids.end(), document->ids.begin(), document->ids.end());
    // The token at t is predicted from the state at t - 1.
    for (std::int64_t t = document->prompt_length; t < length; ++t) {
      row.loss_positions.push_back(start + t - 1);
      row.targets.push_back(document->ids[static_cast<std::size_t>(t)]);
    }
  }
  return row;
}

}  // namespace kg::trainer
