#include "trainer/preference_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/hash.h"

namespace kg::trainer {
namespace {

template <typename Ids>
std::string hash_of(const Ids& ids) {
  return hash128_hex(
      {reinterpret_cast<const char*>(ids.data()), static_cast<std::size_t>(ids.size()) * sizeof(*ids.data())});
}

std::string reason_of(AnswerRank chosen, AnswerRank rejected) {
  static constexpr const char* kNames[] = {"does not compile", "wrong", "correct"};
  return std::string(kNames[static_cast<int>(chosen)]) + " over " + kNames[static_cast<int>(rejected)];
}

// Every pair of ranks that differ, the ones that teach most first.
constexpr std::pair<AnswerRank, AnswerRank> kOrders[] = {{AnswerRank::kCorrect, AnswerRank::kWrong},
                                                         {AnswerRank::kCorrect, AnswerRank::kBroken},
                                                         {AnswerRank::kWrong, AnswerRank::kBroken}};

// Answers of one prompt, in an order that the seed shuffles, one for each text.
std::map<AnswerRank, std::vector<std::size_t>> by_rank(const std::vector<RankedAnswer>& answers,
                                                       const std::vector<std::size_t>& members, std::uint64_t seed) {
  std::map<std::string, std::size_t> texts;
  for (const std::size_t i : members) texts.emplace(answers[i].answer_hash, i);
  std::vector<std::pair<std::string, std::size_t>> shuffled;
  for (const auto& [hash, i] : texts) shuffled.emplace_back(hash128_hex(hash + std::to_string(seed)), i);
  std::sort(shuffled.begin(), shuffled.end());
  std::map<AnswerRank, std::vector<std::size_t>> ranks;
  for (const auto& [hash, i] : shuffled) ranks[answers[i].rank].push_back(i);
  return ranks;
}

// Pairs (good i, bad j) such that every answer is used before any is used again.
void pair_up(const std::vector<std::size_t>& good, const std::vector<std::size_t>& bad, std::size_t most,
             std::vector<PreferencePair>& pairs) {
  if (good.empty() || bad.empty()) return;
  const std::size_t wanted = std::min(most, std::max(good.size(), bad.size()));
  for (std::size_t i = 0; i < wanted; ++i) pairs.push_back({good[i % good.size()], bad[i % bad.size()]});
}

void remove_surplus(const std::vector<RankedAnswer>& answers, double share, std::vector<PreferencePair>& pairs) {
  const auto is_low = [&](const PreferencePair& pair) { return answers[pair.chosen].rank == AnswerRank::kWrong; };
  const auto others =
      static_cast<double>(pairs.size()) - static_cast<double>(std::count_if(pairs.begin(), pairs.end(), is_low));
  const auto most = share >= 1 ? pairs.size() : static_cast<std::size_t>(std::floor(share / (1 - share) * others));
  std::size_t low = 0;
  std::erase_if(pairs, [&](const PreferencePair& pair) { return is_low(pair) && ++low > most; });
}

using AnswerKey = std::tuple<std::string, std::uint64_t, std::uint32_t>;
AnswerKey key_of(const RankedAnswer& answer) { return {answer.run, answer.work_id, answer.sample}; }

std::vector<RankedAnswer> ranked_answers(const dataset::Dataset& data, const std::string& from_run) {
  std::vector<RankedAnswer> answers;
  bool seen = from_run.empty();
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (!from_run.empty() && rollout.run() != from_run) return true;
    seen = true;
    const std::optional<AnswerRank> rank = rank_of(rollout);
    const proto::Completion& completion = rollout.completion();
    if (rank && !completion.token_ids().empty() && !completion.prompt_ids().empty())
      answers.push_back({rollout.run(), rollout.work_id(), rollout.sample(), rollout.task(),
                         hash_of(completion.prompt_ids()), hash_of(completion.token_ids()), *rank});
    return true;
  });
  if (!seen)
    throw Error("the data set has no rollout of run " + from_run, "--from-run", "kgtrain data info lists the runs");
  return answers;
}

std::uint64_t prompts_of(const std::vector<RankedAnswer>& answers) {
  std::set<std::string> prompts;
  for (const RankedAnswer& answer : answers) prompts.insert(answer.task + answer.prompt_hash);
  return prompts.size();
}

// The tokens of the answers that are in a pair.
std::map<AnswerKey, Document> documents_of(const dataset::Dataset& data, const std::vector<RankedAnswer>& answers,
                                           const std::vector<PreferencePair>& pairs, std::int64_t vocabulary) {
  std::map<AnswerKey, Document> documents;
  for (const PreferencePair& pair : pairs)
    for (const std::size_t i : {pair.chosen, pair.rejected}) documents[key_of(answers[i])];
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    const auto found = documents.find({rollout.run(), rollout.work_id(), rollout.sample()});
    if (found == documents.end()) return true;
    const proto::Completion& completion = rollout.completion();
    Document& document = found->second;
    document.ids.assign(completion.prompt_ids().begin(), completion.prompt_ids().end());
    document.prompt_length = completion.prompt_ids_size();
    document.ids.insert(document.ids.end(), completion.token_ids().begin(), completion.token_ids().end());
    const auto [low, high] = std::minmax_element(document.ids.begin(), document.ids.end());
    if (*low < 0 || *high >= vocabulary)
      throw Error("a rollout of run " + rollout.run() + " has token " + std::to_string(*high) + ", the model has " +
                      std::to_string(vocabulary),
                  "--model", "train the model that made the rollouts, or name the run of this one with --from-run");
    return true;
  });
  return documents;
}

proto::Preference record_of(const RankedAnswer& good, const RankedAnswer& bad) {
  proto::Preference record;
  record.set_task(good.task);
  record.set_chosen_work_id(good.work_id);
  record.set_chosen_sample(good.sample);
  record.set_rejected_work_id(bad.work_id);
  record.set_rejected_sample(bad.sample);
  record.set_reason(reason_of(good.rank, bad.rank));
  record.set_chosen_run(good.run);
  record.set_rejected_run(bad.run);
  return record;
}

}  // namespace

std::optional<AnswerRank> rank_of(const proto::Rollout& rollout) {
  const proto::Verdict& verdict = rollout.verdict();
  if (!verdict.reward_valid() || (rollout.completion().truncated() && rollout.kernel().empty())) return std::nullopt;
  if (verdict.correct()) return AnswerRank::kCorrect;
  return verdict.compiled() ? AnswerRank::kWrong : AnswerRank::kBroken;
}

std::vector<PreferencePair> choose_pairs(const std::vector<RankedAnswer>& answers, const PairOptions& options) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> prompts;
  for (std::size_t i = 0; i < answers.size(); ++i) prompts[{answers[i].task, answers[i].prompt_hash}].push_back(i);
  std::vector<PreferencePair> pairs;
  for (const auto& [prompt, members] : prompts) {
    auto ranks = by_rank(answers, members, options.seed);
    std::vector<PreferencePair> some;
    for (const auto& [good, bad] : kOrders)
      pair_up(ranks[good], ranks[bad], static_cast<std::size_t>(options.per_prompt) - some.size(), some);
    pairs.insert(pairs.end(), some.begin(), some.end());
  }
  remove_surplus(answers, options.wrong_over_broken, pairs);
  return pairs;
}

PreferenceData load_preferences(const dataset::Dataset& data, const std::string& from_run, std::int64_t vocabulary,
                                const PairOptions& options) {
  PreferenceData result;
  const std::vector<RankedAnswer> answers = ranked_answers(data, from_run);
  result.answers = answers.size();
  result.prompts = prompts_of(answers);
  const std::vector<PreferencePair> pairs = choose_pairs(answers, options);
  if (pairs.empty())
    throw Error("no prompt has two answers that got to different stages: " + std::to_string(data.counts().rollouts) +
                    " rollouts, " + std::to_string(result.answers) + " that count, " + std::to_string(result.prompts) +
                    " prompts",
                "--data",
                "make rollouts first, with several answers to each task: kgtrain rl, or kgtrain eval --samples 8");
  const std::map<AnswerKey, Document> documents = documents_of(data, answers, pairs, vocabulary);
  std::string hashes;
  for (const PreferencePair& pair : pairs) {
    const RankedAnswer &good = answers[pair.chosen], &bad = answers[pair.rejected];
    result.chosen.push_back(documents.at(key_of(good)));
    result.rejected.push_back(documents.at(key_of(bad)));
    hashes += good.prompt_hash + good.answer_hash + bad.answer_hash;
    result.records.push_back(record_of(good, bad));
  }
  result.fingerprint = hash128_hex(hashes);
  return result;
}

std::size_t store_preferences(dataset::Dataset& data, const std::vector<proto::Preference>& records) {
  std::set<std::string> known;
  data.for_each_preference([&](const proto::Preference& record) {
    known.insert(record.SerializeAsString());
    return true;
  });
  std::vector<proto::JournalRecord> fresh;
  for (const proto::Preference& record : records)
    if (known.insert(record.SerializeAsString()).second) *fresh.emplace_back().mutable_preference() = record;
  return fresh.empty() ? 0 : data.append(fresh);
}

}  // namespace kg::trainer
