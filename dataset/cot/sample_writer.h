#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "dataset/cot/kernel_style.h"
#include "dataset/cot/mutation.h"
#include "dataset/cot/reasoning.h"
#include "proto/record.pb.h"
#include "proto/task.pb.h"
#include "proto/verdict.pb.h"

namespace kg::dataset::cot {

// A style of the task's kernel, which the judge found correct.
struct Way {
  KernelStyle style;
  LoweredKernel kernel;
  std::uint64_t cycles = 0;
};

// A wrong kernel, with the judge's message.
struct Wrong {
  Mutant mutant;
  proto::Verdict verdict;
};

// Writes the samples of one task. Their claims are proven before: by the verdicts of styles and wrong kernels. With
// `in_dsl` a sample shows the program that was lowered, otherwise the resulting kernel.
class SampleWriter {
 public:
  // `provenance` starts each sample's statement of origin; `random` chooses among wordings; samples are added to
  // `samples`.
  SampleWriter(const Instance& instance, const proto::Task& task, std::string provenance, Philox& random,
               std::vector<proto::Sample>& samples)
      : instance_(instance), task_(task), provenance_(std::move(provenance)), random_(random), samples_(samples) {}

  void kernel(const Way& way, const Measured& measured, const std::string& form);
  // An engineer's decisions before the first line is written.
  void plan(const Way& way, const Measured& measured);
  void dsl_kernel(const Way& way, const Measured& measured, bool with_language);
  // `cycles`: those of the project.
  void project(const Way& way, const Measured& measured, std::uint64_t cycles);
  void repair(const Wrong& found, const Way& way, bool in_dsl);
  void prediction(const Wrong& found, const Way& way, bool in_dsl);
  void right_prediction(const Way& way, const Measured& measured, bool in_dsl);
  // An attempt, the judge's message, a second attempt with another mistake, and the kernel that passes.
  void multi_turn(const Wrong& first, const Wrong& second, const Way& way, bool in_dsl);

 private:
  std::uint64_t pick() { return random_.next_u64() >> 16; }
  proto::Sample& add(const std::string& kind, const std::string& name, const std::string& style,
                     const std::string& form);
  std::string diagnosis(const Wrong& found);
  void proven(proto::Sample& made, const Way& way, const Measured& measured) const;
  void describe(proto::Sample& made, const Wrong& found) const;

  const Instance& instance_;
  const proto::Task& task_;
  std::string provenance_;
  Philox& random_;
  std::vector<proto::Sample>& samples_;
};

}  // namespace kg::dataset::cot
