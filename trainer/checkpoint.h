#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "policy/files/model_io.h"
#include "trainer/curriculum_order.h"
#include "trainer/packing.h"
#include "trainer/repair_buffer.h"
#include "trainer/trainable.h"

namespace kg::trainer {

inline constexpr int kCheckpointFormat = 1;

// The content of a checkpoint besides tensors. Every random number of a run is a pure function of the seed and a
// position (base/random.h), so seed, step and data position are the whole state of its random numbers.
struct RunState {
  std::string command;
  std::int64_t step = 0;  // optimiser steps (sft) or updates (rl) done
  std::uint64_t seed = 0;
  int threads = 0;
  std::string dtype;
  DataPosition position;  // sft: the next document
  std::string data_fingerprint;
  std::int64_t tokens = 0;         // trained on so far
  std::int64_t answer_tokens = 0;  // rl: of all answers drawn so far
  std::int64_t skipped_steps = 0;
  double seconds = 0;                  // spent in training so far
  std::uint64_t weights_version = 0;   // rl: the learner's number of these weights
  std::int64_t works = -1;             // rl: number of works that were trained on; -1: an older checkpoint without it
  std::vector<GroupOutcome> outcomes;  // rl with a curriculum: of the works trained on, in their order
  std::vector<FailedAnswer> failed;    // rl with further turns: answers that wait to be repaired
};

// Checkpoints of one run: RUN/checkpoints/step-NNNNNN/ (docs/guide/checkpoints.md).
class Checkpoints {
 public:
  Checkpoints(const fs::path& run_folder, int keep);

  // Writes under a temporary name, fsyncs, renames, then removes the oldest beyond `keep`. Throws Error, without any
  // change, if the disk is full. `may_rename` throws if the checkpoint must not be completed.
  void save(const RunState& state, const Trainable& trainable, const policy::LoadedModel& source,
            const std::function<void()>& may_rename = {}) const;
  std::optional<fs::path> newest() const;
  // Refuses other formats, naming both versions.
  RunState load(const fs::path& checkpoint, Trainable& trainable) const;

 private:
  std::vector<fs::path> all() const;  // oldest first
  fs::path folder_;
  int keep_;
};

}  // namespace kg::trainer
