#include "trainer/eval_turns.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "evaluation/turn_gain.h"
#include "proto/language.h"
#include "trainer/repair_works.h"
#include "trainer/sampling.h"
#include "trainer/task_works.h"

namespace kg::trainer {
namespace {

// Numbers of works: a turn's repairs, and fresh answers, beyond those of the tasks.
constexpr int kTurnBits = 52, kSampleBits = 20;
constexpr std::uint64_t kFreshWorks = 1ULL << 60;
constexpr std::uint32_t kMostFresh = 8;  // answers in place of one answer's repairs

// A first answer that failed, and what follows it.
struct Episode {
  const rollout::FinishedWork* group = nullptr;
  proto::Rollout first, last;  // the first answer, the one of the newest turn
  std::int64_t tokens = 0;     // of the turns after the first
  std::vector<evaluation::DrawnAnswer> fresh;
};

struct Turns {
  const EvalOptions& options;
  RepairLimits limits;
  std::int64_t tasks;  // of the evaluation
  RolloutSource& source;
  Run& run;
};

std::uint64_t number_of(const Episode& episode) {
  return (episode.first.work_id() << kSampleBits) + episode.first.sample();
}

rollout::Work work_for(const Turns& turns, const Episode& episode, std::uint64_t number, const std::string& purpose) {
  const EvalOptions& options = turns.options;
  return make_work(episode.group->work.task, number, options.prompt_form, /*samples=*/1, sampling_of(options),
                   options.seed, purpose, turns.limits.language);
}

// The groups of the works, in their order; empty if a stop was requested.
std::vector<rollout::FinishedWork> answers_to(const Turns& turns, std::vector<rollout::Work> works,
                                              const std::string& what) {
  const auto count = std::to_string(works.size());
  const std::vector<std::uint64_t> ids = turns.source.coordinator().submit_all(std::move(works));
  return turns.source.collector().collect(ids, [&] {
    const rollout::CoordinatorStats stats = turns.source.coordinator().stats();
    turns.run.show(turns.tasks,
                   what + ": " + count + " answers wanted, " + std::to_string(stats.results) + " rollouts");
    turns.run.update_status({{"turn", what}, {"workers", stats.workers}, {"results", stats.results}});
  });
}

// The next turn of those that can have one. False if a stop was requested.
bool repair(const Turns& turns, std::uint32_t turn, std::vector<Episode>& episodes) {
  std::vector<rollout::Work> works;
  std::vector<Episode*> repaired;
  for (Episode& episode : episodes) {
    if (episode.last.turn() + 1 != turn || !may_be_repaired(episode.last, turns.limits)) continue;
    works.push_back(work_for(turns, episode, (std::uint64_t{turn} << kTurnBits) + number_of(episode),
                             evaluation::repair_purpose_of(turns.options.label)));
    follow(works.back(), episode.last, turns.limits.language);
    repaired.push_back(&episode);
  }
  const std::string what = "turn " + std::to_string(turn + 1);
  turns.run.note(what + ": " + std::to_string(works.size()) + " failed answers are repaired");
  if (works.empty()) return true;
  const auto groups = answers_to(turns, std::move(works), what);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    repaired[i]->last = groups[i].rollouts.front();
    repaired[i]->tokens += groups[i].rollouts.front().completion().token_ids_size();
  }
  return !groups.empty();
}

// One fresh answer more for each episode whose repairs took more tokens; `some`: there were such. False if a stop was
// requested.
bool draw_fresh(const Turns& turns, std::vector<Episode>& episodes, bool& some) {
  std::vector<rollout::Work> works;
  std::vector<Episode*> drawn;
  for (Episode& episode : episodes) {
    if (episode.fresh.size() >= kMostFresh || evaluation::spend_on_fresh(episode.tokens, episode.fresh).enough)
      continue;
    works.push_back(
        work_for(turns, episode, kFreshWorks + number_of(episode), evaluation::fresh_purpose_of(turns.options.label)));
    works.back().samples = static_cast<std::uint32_t>(episode.fresh.size()) + 1;
    works.back().after_work_id = episode.first.work_id();
    works.back().after_sample = episode.first.sample();
    drawn.push_back(&episode);
  }
  some = !works.empty();
  if (!some) return true;
  const auto groups = answers_to(turns, std::move(works), "fresh answers");
  for (std::size_t i = 0; i < groups.size(); ++i)
    drawn[i]->fresh.push_back(evaluation::drawn_answer(groups[i].rollouts.back()));
  return !groups.empty();
}

}  // namespace

bool take_further_turns(const EvalOptions& options, const std::vector<rollout::FinishedWork>& first,
                        std::int64_t context, RolloutSource& source, Run& run) {
  if (options.turns < 2) return true;
  const Turns turns{.options = options,
                    .limits = {.turns = static_cast<std::uint32_t>(options.turns),
                               .context = context,
                               .max_new_tokens = options.max_new_tokens,
                               .language = proto::language_from_name(options.language)},
                    .tasks = std::ssize(first),
                    .source = source,
                    .run = run};
  std::vector<Episode> episodes;
  for (const rollout::FinishedWork& group : first)
    for (const proto::Rollout& rollout : group.rollouts)
      if (may_be_repaired(rollout, turns.limits))
        episodes.push_back({.group = &group, .first = rollout, .last = rollout, .fresh = {}});
  for (std::uint32_t turn = 1; turn < turns.limits.turns; ++turn)
    if (!repair(turns, turn, episodes)) return false;
  for (bool some = true; some;)
    if (!draw_fresh(turns, episodes, some)) return false;
  return true;
}

}  // namespace kg::trainer
