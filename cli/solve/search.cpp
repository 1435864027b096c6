#include "cli/solve/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "dataset/store/answer.h"
#include "dataset/store/feedback.h"
#include "proto/chat_message.h"

namespace kg::cli {
namespace {

constexpr double kLookSeconds = 0.1;

Question repair_question(const Tried& tried, proto::SourceLanguage language) {
  Question question{
      .attempt = tried.attempt, .turn = tried.turn + 1, .messages = tried.messages, .prefix = tried.answer.tokens};
  question.messages.push_back(proto::chat_message("assistant", tried.answer.text));
  question.messages.push_back(proto::chat_message("user", repair_request(tried, language)));
  return question;
}

class Searching {
 public:
  Searching(const SearchOptions& options, AnswerSource& model, JudgeDesk& desk, const SearchEvents& events)
      : options_(options), model_(model), desk_(desk), events_(events) {}

  std::vector<Tried> run() {
    if (!options_.translation.empty()) {
      Tried tried{.attempt = kTranslation, .kernel = options_.translation};
      const std::uint64_t ticket = desk_.submit(tried.kernel);
      at_desk_.emplace(ticket, std::move(tried));
    }
    std::vector<Question> first;
    for (int attempt = 0; attempt < options_.attempts; ++attempt)
      first.push_back(
          {.attempt = attempt, .turn = 0, .messages = {proto::chat_message("user", options_.prompt)}, .prefix = {}});
    from_model([&] { ask(std::move(first)); });
    while (!asked_.empty() || !at_desk_.empty()) {
      std::optional<ModelAnswer> answer;
      from_model([&] { answer = model_.next(asked_.empty() ? 0 : kLookSeconds); });
      if (answer) take_answer(std::move(*answer));
      while (auto judged = desk_.take(asked_.empty() && !at_desk_.empty() ? kLookSeconds : 0)) {
        const auto waiting = at_desk_.find(judged->ticket);
        if (waiting == at_desk_.end()) continue;
        Tried tried = std::move(waiting->second);
        at_desk_.erase(waiting);
        tried.verdict = std::move(judged->verdict);
        conclude(std::move(tried));
      }
      events_.waiting({.asked = static_cast<int>(asked_.size()),
                       .judging = static_cast<int>(at_desk_.size()),
                       .tried = static_cast<int>(all_.size()),
                       .tokens = tokens_});
    }
    return std::move(all_);
  }

 private:
  void ask(std::vector<Question> questions) {
    model_.ask(questions);
    for (Question& question : questions) asked_[{question.attempt, question.turn}] = std::move(question.messages);
  }

  void take_answer(ModelAnswer answer) {
    const auto found = asked_.find({answer.attempt, answer.turn});
    if (found == asked_.end()) return;
    Tried tried{.attempt = answer.attempt, .turn = answer.turn, .messages = std::move(found->second)};
    asked_.erase(found);
    tokens_ += answer.new_tokens;
    if (!answer.refused.empty()) return;  // the attempt ends with the turn before
    dataset::Answer held = dataset::extract_kernel(answer.text, options_.language);
    tried.kernel = std::move(held.kernel);
    tried.no_kernel = answer.cut_off && tried.kernel.empty() ? "cut off at the token limit" : held.reason;
    tried.answer = std::move(answer);
    if (tried.kernel.empty()) return conclude(std::move(tried));
    const std::uint64_t ticket = desk_.submit(tried.kernel);
    at_desk_.emplace(ticket, std::move(tried));
  }

  void conclude(Tried tried) {
    events_.tried(tried);
    const bool again = !tried.correct() && tried.attempt != kTranslation && tried.turn + 1 < options_.turns;
    all_.push_back(std::move(tried));
    if (again) from_model([&] { ask({repair_question(all_.back(), options_.language)}); });
  }

  // The translation, and answers that are there, are not lost with the model.
  template <typename Do>
  void from_model(Do ask_or_take) {
    if (left_) return;
    try {
      ask_or_take();
    } catch (const Error& error) {
      if (all_.empty() && at_desk_.empty()) throw;
      left_ = true;
      asked_.clear();
      events_.left(error.what());
    }
  }

  const SearchOptions& options_;
  AnswerSource& model_;
  JudgeDesk& desk_;
  const SearchEvents& events_;
  std::map<std::pair<int, int>, std::vector<proto::ChatMessage>> asked_;  // by attempt and turn
  std::map<std::uint64_t, Tried> at_desk_;
  std::vector<Tried> all_;
  int tokens_ = 0;
  bool left_ = false;  // by the model
};

}  // namespace

std::vector<Tried> search(const SearchOptions& options, AnswerSource& model, JudgeDesk& desk,
                          const SearchEvents& events) {
  return Searching(options, model, desk, events).run();
}

std::string attempt_name(const Tried& tried) {
  if (tried.attempt == kTranslation) return "translation";
  return "attempt " + std::to_string(tried.attempt + 1) + ", turn " + std::to_string(tried.turn + 1);
}

std::string outcome_word(const Tried& tried) {
  if (tried.kernel.empty()) return "no kernel";
  if (!tried.verdict.reward_valid()) return "not valid";
  return dataset::verdict_word(tried.verdict);
}

std::string judge_words(const Tried& tried) { return dataset::judge_words(tried.verdict, tried.no_kernel); }

std::string repair_request(const Tried& tried, proto::SourceLanguage language) {
  return dataset::repair_request(tried.verdict, tried.no_kernel, language);
}

const Tried* fastest_correct(const std::vector<Tried>& all) {
  const Tried* best = nullptr;
  for (const Tried& tried : all)
    if (tried.correct() && (best == nullptr || tried.verdict.cycles() < best->verdict.cycles())) best = &tried;
  return best;
}

const Tried* nearest_miss(const std::vector<Tried>& all) {
  const auto reach = [](const Tried& tried) {
    const double error = tried.verdict.max_abs_error();
    return std::tuple(!tried.kernel.empty(), static_cast<int>(tried.verdict.stage()), tried.verdict.cases_passed(),
                      std::isnan(error) ? -HUGE_VAL : -error);
  };
  const auto found =
      std::max_element(all.begin(), all.end(), [&](const Tried& a, const Tried& b) { return reach(a) < reach(b); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace kg::cli
