#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "proto/record.pb.h"
#include "trainer/packing.h"

namespace kg::trainer {

// How far an answer got; the order of AscendKernelGen's preference pairs (arXiv 2601.07160).
enum class AnswerRank { kBroken, kWrong, kCorrect };  // does not compile; compiles, but is not correct; correct

// Nothing for a rollout without a valid reward, or for one cut off before its kernel ended.
std::optional<AnswerRank> rank_of(const proto::Rollout& rollout);

// The properties of an answer that pairs are chosen by.
struct RankedAnswer {
  std::string run;
  std::uint64_t work_id = 0;
  std::uint32_t sample = 0;
  std::string task;
  std::string prompt_hash, answer_hash;  // hashes of the token ids
  AnswerRank rank = AnswerRank::kBroken;
};

struct PreferencePair {
  std::size_t chosen = 0, rejected = 0;  // indices of the answers
};

struct PairOptions {
  std::int64_t per_prompt = 4;
  double wrong_over_broken = 0.25;  // largest share of pairs (wrong, broken)
  std::uint64_t seed = 1;
};

// Pairs of answers to one prompt with different ranks, at most `per_prompt` per prompt, each answer as rarely as
// possible, pairs with a correct answer first; equal texts count once. A pure function of its arguments.
std::vector<PreferencePair> choose_pairs(const std::vector<RankedAnswer>& answers, const PairOptions& options);

struct PreferenceData {
  std::vector<Document> chosen, rejected;  // documents of pair i
  std::vector<proto::Preference> records;
  std::uint64_t answers = 0, prompts = 0;  // the answers and prompts that pairs were chosen from
  std::string fingerprint;                 // hash of all tokens: a resumed run must see the same
};

// Throws Error if there is no pair, or if answers come from another vocabulary. `from_run`: empty for all runs.
PreferenceData load_preferences(const dataset::Dataset& data, const std::string& from_run, std::int64_t vocabulary,
                                const PairOptions& options);

// Appends the pairs that are not in `/preferences` yet. Returns how many.
std::size_t store_preferences(dataset::Dataset& data, const std::vector<proto::Preference>& records);

}  // namespace kg::trainer
