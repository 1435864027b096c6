#include "trainer/task_works.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "base/random.h"
#include "dataset/dsl_prompt.h"
#include "trainer/packing.h"

namespace kg::trainer {
namespace {

constexpr std::uint64_t kSamplingStream = 0x5a3c;  // of the run's seed; the order of data takes the streams from 0

}  // namespace

rollout::Work make_work(const proto::Task& task, std::uint64_t work_id, const std::string& prompt_form,
                        std::uint32_t samples, proto::SamplingParameters sampling, std::uint64_t seed,
                        const std::string& purpose, proto::SourceLanguage language) {
  rollout::Work work;
  work.work_id = work_id;
  work.task = task;
  proto::ChatMessage message;
  message.set_role("user");
  message.set_content(language == proto::DSL             ? dataset::dsl_prompt(task, prompt_form)
                      : prompt_form == "npukernelbench" ? task.prompt_npukernelbench()
                                                        : task.prompt_short());
  if (message.content().empty())
    throw Error("the task has no prompt of the form " + prompt_form, task.id(), "choose another --prompt-form");
  work.messages.push_back(message);
  work.samples = samples;
  const auto block = Philox(seed, kSamplingStream).block(work_id);
  sampling.set_seed(static_cast<std::uint64_t>(block[0]) << 32 | block[1]);
  work.sampling = std::move(sampling);
  work.purpose = purpose;
  return work;
}

std::vector<std::string> tasks_of_update(const std::vector<std::string>& ids, std::uint64_t seed, std::int64_t update,
                                         std::int64_t groups) {
  std::vector<std::string> chosen;
  std::vector<std::size_t> order;
  std::uint64_t order_epoch = ~0ULL;
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto draw = static_cast<std::uint64_t>(update * groups + group);
    if (const std::uint64_t epoch = draw / ids.size(); epoch != order_epoch) {
      order = shuffled_order(ids.size(), seed, epoch);
      order_epoch = epoch;
    }
    chosen.push_back(ids[order[draw % ids.size()]]);
  }
  return chosen;
}

std::vector<std::string> tasks_by_structure(const dataset::Dataset& data, const std::string& split, std::size_t limit) {
  std::unordered_map<std::string, std::size_t> seen;       // tasks of a structure so far
  std::map<std::size_t, std::vector<std::string>> rounds;  // the n-th task of each structure
  data.for_each_task([&](const proto::Task& task) {
    if (task.split() == split) rounds[seen[task.structure()]++].push_back(task.id());
    return true;
  });
  std::vector<std::string> ids;
  for (const auto& [round, members] : rounds)
    for (const std::string& id : members)
      if (limit == 0 || ids.size() < limit) ids.push_back(id);
  return ids;
}

}  // namespace kg::trainer
