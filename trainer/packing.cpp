#include "trainer/packing.h"

#include <algorithm>
#include <map>
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

namespace {

bool share_a_prompt(const Document& a, const Document& b) {
  return a.prompt_length == b.prompt_length &&
         std::equal(a.ids.begin(), a.ids.begin() + a.prompt_length, b.ids.begin());
}

// Documents by their prompts, both in the given order.
std::vector<std::vector<std::size_t>> by_prompt(const std::vector<const Document*>& documents) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::vector<std::int32_t>, std::size_t> group_of;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Document& d = *documents[i];
    const auto [known, fresh] = group_of.try_emplace({d.ids.begin(), d.ids.begin() + d.prompt_length}, groups.size());
    if (fresh) groups.emplace_back();
    groups[known->second].push_back(i);
  }
  return groups;
}

}  // namespace

std::vector<std::vector<std::size_t>> pack_sharing_prompts(const std::vector<const Document*>& documents,
                                                           std::int64_t row_tokens) {
  std::vector<std::vector<std::size_t>> rows;
  std::vector<std::int64_t> filled;
  const auto place = [&](const std::vector<std::size_t>& members, std::int64_t tokens) {
    std::size_t row = 0;
    while (row < rows.size() && filled[row] + tokens > row_tokens) ++row;
    if (row == rows.size()) {
      rows.emplace_back();
      filled.push_back(0);
    }
    rows[row].insert(rows[row].end(), members.begin(), members.end());
    filled[row] += tokens;
  };
  for (const std::vector<std::size_t>& group : by_prompt(documents)) {
    const std::int64_t prompt = documents[group.front()]->prompt_length;
    std::vector<std::size_t> members;
    std::int64_t tokens = prompt;
    for (const std::size_t i : group) {
      const auto whole = static_cast<std::int64_t>(documents[i]->ids.size());
      KG_CHECK_LE(whole, row_tokens);
      if (tokens + whole - prompt > row_tokens) {
        place(members, tokens);
        members.clear();
        tokens = prompt;
      }
      members.push_back(i);
      tokens += whole - prompt;
    }
    place(members, tokens);
  }
  return rows;
}

PackedRow assemble_row(const std::vector<const Document*>& documents) {
  PackedRow row;
  std::vector<bool> placed(documents.size());
  const auto append = [&](const Document& document, std::int64_t from, std::int64_t to, std::int64_t prompt) {
    const auto begin = static_cast<std::int64_t>(row.ids.size());
    row.ids.insert(row.ids.end(), document.ids.begin() + from, document.ids.begin() + to);
    row.segments.push_back({.begin = begin, .end = begin + to - from, .prompt = prompt});
    return begin;
  };
  for (std::size_t first = 0; first < documents.size(); ++first) {
    if (placed[first]) continue;
    std::vector<std::size_t> group;
    for (std::size_t i = first; i < documents.size(); ++i)
      if (!placed[i] && share_a_prompt(*documents[first], *documents[i])) group.push_back(i);
    const Document& head = *documents[first];
    const bool shared = group.size() > 1;
    const auto prompt = static_cast<std::int64_t>(row.segments.size());
    const std::int64_t start =
        append(head, 0, shared ? head.prompt_length : static_cast<std::int64_t>(head.ids.size()), /*prompt=*/-1);
    for (const std::size_t i : group) {
      const Document& document = *documents[i];
      const auto length = static_cast<std::int64_t>(document.ids.size());
      KG_CHECK_GT(document.prompt_length, 0);
      KG_CHECK_LT(document.prompt_length, length);
      const std::int64_t answer =
          shared ? append(document, document.prompt_length, length, prompt) : start + document.prompt_length;
      // The token at t is predicted from the state at t - 1, the first of an answer from the end of its prompt.
      for (std::int64_t t = document.prompt_length; t < length; ++t) {
        row.loss_positions.push_back(t == document.prompt_length ? start + t - 1
                                                                 : answer + t - document.prompt_length - 1);
        row.targets.push_back(document.ids[static_cast<std::size_t>(t)]);
      }
      placed[i] = true;
      row.order.push_back(i);
    }
  }
  return row;
}

}  // namespace kg::trainer
