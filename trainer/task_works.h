#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "rollout/coordinator.h"

namespace kg::trainer {

// A unit of work on one task: its prompt, for an answer in `language`, as the user's message, and its own random
// stream, which depends only on (seed, work_id). For an imported task the prompt names the shapes of one case: it is
// judged only on that case, as in the benchmark's static mode.
rollout::Work make_work(const proto::Task& task, std::uint64_t work_id, const std::string& prompt_form,
                        std::uint32_t samples, proto::SamplingParameters sampling, std::uint64_t seed,
                        const std::string& purpose, proto::SourceLanguage language = proto::ASCENDC);

// Ids of the tasks for draws first to first + count - 1: a seeded permutation of all tasks, epoch after epoch.
std::vector<std::string> tasks_of_draws(const std::vector<std::string>& ids, std::uint64_t seed, std::uint64_t first,
                                        std::int64_t count);

// False for imported tasks whose answers are operator projects or PyTorch modules: workers judge only kernels. A
// program in the DSL is converted to what the task wants, so for it a prompt is enough.
bool wants_kernel(const proto::Task& task, proto::SourceLanguage language = proto::ASCENDC);

struct TaskFilter {
  std::string split;
  std::string only;       // dataset/id_filter.h; empty: all
  std::size_t limit = 0;  // 0: all
  proto::SourceLanguage language = proto::ASCENDC;
};
struct ChosenTasks {
  std::vector<std::string> ids;    // one of each structure first, then the second of each, in storage order
  std::size_t without_kernel = 0;  // tasks left out for wants_kernel
};
ChosenTasks tasks_by_structure(const dataset::Dataset& data, const TaskFilter& filter);

}  // namespace kg::trainer
