#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/solve/answer_source.h"
#include "cli/solve/judge_desk.h"

namespace kg::cli {

constexpr int kTranslation = -1;  // the attempt that no model made

// One answer and what became of it.
struct Tried {
  int attempt = 0;
  int turn = 0;
  std::vector<proto::ChatMessage> messages;  // that were asked
  ModelAnswer answer;
  std::string kernel;     // empty: the answer holds none
  std::string no_kernel;  // why not
  proto::Verdict verdict;

  bool correct() const { return verdict.correct() && verdict.reward_valid(); }
};

struct SearchOptions {
  std::string prompt;
  std::string translation;  // a program that no model wrote, judged first; empty: none
  int attempts = 8;
  int turns = 2;  // of an attempt; each but the first repairs the answer before
  proto::SourceLanguage language = proto::DSL;
};

// How far the search is.
struct SearchState {
  int asked = 0;    // answers that the model is writing
  int judging = 0;  // kernels at the desk
  int tried = 0;
  int tokens = 0;
};

struct SearchEvents {
  std::function<void(const Tried&)> tried;          // once for each answer, when its verdict is there
  std::function<void(const SearchState&)> waiting;  // several times a second
  std::function<void(const std::string&)> left;     // why the model gives no more answers
};

// Has the translation judged, has the model answer, and repair what the judge refuses, until every attempt is correct
// or has had its turns. Writing and judging overlap. Where the model can give no more answers, what is there already is
// still judged; throws its Error if there is nothing.
std::vector<Tried> search(const SearchOptions& options, AnswerSource& model, JudgeDesk& desk,
                          const SearchEvents& events);

// "translation", or "attempt 2, turn 1".
std::string attempt_name(const Tried& tried);
// What a repair turn says: the verdict's message and what is wanted.
std::string repair_request(const Tried& tried, proto::SourceLanguage language);
// The judge's words on an answer in one line, with the reason where there is no kernel.
std::string judge_words(const Tried& tried);
// What ended there: "correct", "compile error", "fault", "wrong numbers", "no kernel", "not valid".
std::string outcome_word(const Tried& tried);

const Tried* fastest_correct(const std::vector<Tried>& all);  // null: none is correct
const Tried* nearest_miss(const std::vector<Tried>& all);     // the one that came furthest; null: there are none

}  // namespace kg::cli
