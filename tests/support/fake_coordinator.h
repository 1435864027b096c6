#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rollout/coordinator.h"

namespace kg::trainer {

// Takes works, and gives them the numbers that they ask for, but not `taken`.
struct FakeCoordinator : rollout::Coordinator {
  void finish() override {}
  std::string endpoint() const override { return ""; }
  std::string remote_endpoint() const override { return ""; }
  void publish_weights(const proto::WeightsManifest&) override {}
  std::optional<std::uint64_t> oldest_version_in_use() const override { return std::nullopt; }
  std::vector<std::uint64_t> submit_all(std::vector<rollout::Work> works) override {
    std::vector<std::uint64_t> ids;
    for (rollout::Work& work : works) {
      ids.push_back(work.work_id == taken ? 1000000 : work.work_id);
      submitted.push_back(std::move(work));
    }
    return ids;
  }
  std::optional<rollout::FinishedWork> wait(double) override { return std::nullopt; }
  rollout::CoordinatorStats stats() const override { return {}; }
  std::vector<rollout::Work> submitted;
  std::uint64_t taken = 0;
};

}  // namespace kg::trainer
