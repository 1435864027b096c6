#include "trainer/loss_rows.h"

#include <ATen/ops/tensor.h>

#include <algorithm>

namespace kg::trainer {
namespace {

float advantage_of(const TrainedAnswer& answer, std::size_t token) {
  if (answer.advantages.empty()) return 0;
  return static_cast<float>(answer.advantages.size() == 1 ? answer.advantages.front() : answer.advantages[token]);
}

LossRow make_row(const std::vector<const Document*>& documents, const std::vector<std::size_t>& numbers,
                 const RlBatch& batch, const std::vector<double>& weights, bool some_kept, at::Device device) {
  LossRow row{.packed = assemble_row(documents)};
  std::vector<float> sampler, weight;
  for (const std::size_t place : row.packed.order) {
    const std::size_t number = numbers[place];
    const TrainedAnswer& answer = batch.answers[number];
    const std::size_t count = answer.sampler_log_probs.size();
    row.tokens += static_cast<std::int64_t>(answer.document.ids.size());
    sampler.insert(sampler.end(), answer.sampler_log_probs.begin(), answer.sampler_log_probs.end());
    weight.insert(weight.end(), count, static_cast<float>(weights[number]));
    row.answers.insert(row.answers.end(), count, static_cast<std::int64_t>(number));
    for (std::size_t i = 0; some_kept && i < count; ++i)
      row.kept.push_back(answer.kept.empty() ? nullptr : &answer.kept[i]);
  }
  row.sampler = at::tensor(sampler).to(device);
  row.weight = at::tensor(weight).to(device);
  return row;
}

}  // namespace

std::vector<LossRow> make_rows(const RlBatch& batch, const RowOptions& options, bool all, at::Device device) {
  std::vector<std::int64_t> answer_lengths;
  std::vector<const Document*> documents;
  std::vector<std::size_t> numbers;  // of the documents' answers
  std::int64_t row_tokens = options.row_tokens;
  bool some_kept = false;
  for (std::size_t i = 0; i < batch.answers.size(); ++i) {
    const TrainedAnswer& answer = batch.answers[i];
    answer_lengths.push_back(static_cast<std::int64_t>(answer.sampler_log_probs.size()));
    some_kept = some_kept || !answer.kept.empty();
    if (!all && !answer.has_signal()) continue;
    documents.push_back(&answer.document);
    numbers.push_back(i);
    row_tokens = std::max(row_tokens, static_cast<std::int64_t>(answer.document.ids.size()));
  }
  std::vector<LossRow> rows;
  if (documents.empty()) return rows;
  const std::vector<double> weights = token_weights(answer_lengths, options.aggregation, options.token_limit);
  for (const auto& members : pack_sharing_prompts(documents, row_tokens)) {
    std::vector<const Document*> row_documents;
    std::vector<std::size_t> row_numbers;
    for (const std::size_t member : members) {
      row_documents.push_back(documents[member]);
      row_numbers.push_back(numbers[member]);
    }
    rows.push_back(make_row(row_documents, row_numbers, batch, weights, some_kept, device));
  }
  set_advantages(rows, batch);
  return rows;
}

void set_advantages(std::vector<LossRow>& rows, const RlBatch& batch) {
  for (LossRow& row : rows) {
    std::vector<float> values;
    for_each_answer(row, [&](std::size_t answer, std::int64_t, std::int64_t count) {
      for (std::int64_t t = 0; t < count; ++t)
        values.push_back(advantage_of(batch.answers[answer], static_cast<std::size_t>(t)));
    });
    row.advantage = at::tensor(values).to(row.weight.device());
  }
}

at::Tensor over_answers(const LossRow& row,
                        const std::function<double(std::int64_t begin, std::int64_t count)>& number) {
  std::vector<float> values;
  for_each_answer(row, [&](std::size_t, std::int64_t begin, std::int64_t count) {
    values.insert(values.end(), static_cast<std::size_t>(count), static_cast<float>(number(begin, count)));
  });
  return at::tensor(values).to(row.weight.device());
}

void for_each_answer(const LossRow& row,
                     const std::function<void(std::size_t answer, std::int64_t begin, std::int64_t count)>& visit) {
  for (std::size_t begin = 0, end = 0; begin < row.answers.size(); begin = end) {
    while (end < row.answers.size() && row.answers[end] == row.answers[begin]) ++end;
    visit(static_cast<std::size_t>(row.answers[begin]), static_cast<std::int64_t>(begin),
          static_cast<std::int64_t>(end - begin));
  }
}

}  // namespace kg::trainer
