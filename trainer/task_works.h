#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "rollout/coordinator.h"

namespace kg::trainer {

// A unit of work on one task: its prompt, for an answer in `language`, as the user's message, and a random stream of its
// own that depends on (seed, work_id) alone.
rollout::Work make_work(const proto::Task& task, std::uint64_t work_id, const std::string& prompt_form,
                        std::uint32_t samples, proto::SamplingParameters sampling, std::uint64_t seed,
                        const std::string& purpose, proto::SourceLanguage language = proto::ASCENDC);

// Ids of the tasks that update `update` trains on: a seeded permutation of all, epoch after epoch.
std::vector<std::string> tasks_of_update(const std::vector<std::string>& ids, std::uint64_t seed, std::int64_t update,
                                         std::int64_t groups);

// Ids of at most `limit` tasks (0: all) of a split, one of each structure first, then the second of each, in storage
// order.
std::vector<std::string> tasks_by_structure(const dataset::Dataset& data, const std::string& split, std::size_t limit);

}  // namespace kg::trainer
