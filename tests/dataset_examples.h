#pragma once

#include <google/protobuf/util/message_differencer.h>

#include <cmath>
#include <string>

#include "dataset/store/meta_record.h"
#include "proto/record.pb.h"

// Records with every field set, different for each number, so that a column mixed up with another is seen.
namespace kg::dataset {

inline proto::Task example_task(int number) {
  proto::Task task;
  const std::string n = std::to_string(number);
  task.set_id("cot/rows/" + n);
  task.set_suite("builtin");
  task.set_category("activation");
  task.set_family("cot_rows");
  task.set_structure("relu>exp>" + n);
  task.set_split(number % 4 == 3 ? "heldout" : "train");
  task.set_level(number % 3);
  task.mutable_graph()->set_input_count(2);
  auto* node = task.mutable_graph()->add_nodes();
  node->set_op("clamp");
  node->add_inputs(0);
  node->add_attributes(-0.1 * number);
  node->add_attributes(1.0 / 3.0);
  task.mutable_graph()->add_outputs(2);
  auto* one = task.add_cases();
  one->set_seed(0xfedcba9876543210ULL + static_cast<unsigned>(number));
  auto* input = one->add_inputs();
  input->set_name("x");
  input->set_dtype(proto::BFLOAT16);
  input->add_shape(8);
  input->add_shape(2048 + number);
  input->mutable_distribution()->set_kind(proto::Distribution::NORMAL);
  input->mutable_distribution()->set_high(2.5);
  one->add_outputs()->set_name("y");
  task.set_entry_point("kernel_" + n);
  task.set_block_dim(8);
  task.set_workspace_bytes(1ULL << 40);
  task.set_absolute_bound(1e-5);
  task.set_prompt_short("Write relu then exp, number " + n + " 中文 🚀");
  task.set_prompt_npukernelbench("Long prompt\nof two lines " + n);
  task.set_style("compact");
  task.set_op_name("Exp" + n);
  task.set_level_weight(0.3);
  task.set_prompt_dynamic_kernel_only("any shape " + n);
  task.set_prompt_dynamic_full("any shape, project " + n);
  return task;
}

inline proto::CaseTensor example_tensor(int number) {
  proto::CaseTensor tensor;
  tensor.set_task("level1/Math/Exp" + std::to_string(number));
  tensor.set_case_index(static_cast<unsigned>(number));
  tensor.set_role(proto::CaseTensor::GOLDEN_FP64);
  tensor.set_index(2);
  tensor.set_dtype(proto::FLOAT64);
  tensor.add_shape(1);
  tensor.add_shape(2);
  tensor.set_byte_count(16);
  tensor.set_hash(0xfedcba9876543210ULL);
  tensor.set_data(std::string("\xff\0\x80 any bytes \n", 16));
  return tensor;
}

inline proto::Sample example_sample(int number) {
  proto::Sample sample;
  const std::string n = std::to_string(number);
  sample.set_id("sample-" + n);
  sample.set_task("cot/rows/" + n);
  sample.set_kind("kernel");
  sample.set_split("train");
  sample.set_style("queues");
  sample.set_prompt_form("short");
  sample.set_instruction("指令 " + n);
  sample.set_input(number % 2 == 0 ? "" : "input " + n);
  sample.set_output(std::string(static_cast<std::size_t>(number % 300), 'x') + "// kernel " + n);
  sample.set_cycles(1000u + static_cast<unsigned>(number));
  sample.set_provenance("cot seed=7 unit=" + n);
  return sample;
}

inline proto::Verdict example_verdict(const std::string& task, int number) {
  proto::Verdict verdict;
  verdict.set_task(task);
  verdict.set_stage(proto::COMPARE);
  verdict.set_compiled(true);
  verdict.set_ran(true);
  verdict.set_correct(number % 2 == 0);
  verdict.set_reward(0.01 * number);
  verdict.set_reward_valid(true);
  verdict.set_cycles(12345u + static_cast<unsigned>(number));
  verdict.set_baseline_cycles(54321);
  verdict.set_speedup(4.4);
  verdict.set_max_abs_error(1.0 / 3.0 + number);
  auto* fault = verdict.add_faults();
  fault->set_fault_class("queue");
  fault->set_severity(proto::ERROR);
  fault->set_message("EnQue without AllocTensor <b>\"" + std::to_string(number));
  fault->set_line(17);
  fault->set_core(-1);
  verdict.set_compiler_output("kernel.cpp:3: warning");
  verdict.set_wall_ms(81.5);
  verdict.set_sandbox_error("none really");
  verdict.set_cases_passed(2);
  verdict.set_cases_total(3);
  verdict.set_reward_preset("ascendkernelgen");
  verdict.set_invalid_reason("because");
  verdict.set_judge_version("5d41402abc4b2a76");
  return verdict;
}

inline proto::Rollout example_rollout(int work, int sample) {
  proto::Rollout rollout;
  const int number = work * 100 + sample;
  rollout.set_run("run-a");
  rollout.set_work_id(static_cast<std::uint64_t>(work));
  rollout.set_sample(static_cast<std::uint32_t>(sample));
  rollout.set_task("cot/rows/" + std::to_string(work));
  rollout.set_prompt("prompt " + std::to_string(work));
  rollout.set_kernel("__global__ void k" + std::to_string(number) + "() {}");
  rollout.set_policy_version(static_cast<std::uint64_t>(work / 2));
  rollout.set_worker("worker-" + std::to_string(sample));
  rollout.set_generate_ms(12.5 + number);
  rollout.set_judge_ms(0.25 * number);
  rollout.set_time_us(1'700'000'000'000'000 + number);
  rollout.set_purpose("train");
  rollout.set_turn(static_cast<std::uint32_t>(sample) + 1);
  rollout.set_after_work_id(static_cast<std::uint64_t>(work) + 1);
  rollout.set_after_sample(static_cast<std::uint32_t>(sample) + 2);
  auto& completion = *rollout.mutable_completion();
  for (int i = 0; i < 5 + sample; ++i) {
    completion.add_prompt_ids(100 + i);
    completion.add_token_ids(number + i);
    completion.add_log_probs(-0.1f * static_cast<float>(i + number));
  }
  completion.add_policy_versions(static_cast<std::uint64_t>(work / 2));
  completion.set_text("answer " + std::to_string(number));
  completion.set_truncated(sample == 1);
  auto& sampling = *completion.mutable_sampling();
  sampling.set_temperature(0.7f);
  sampling.set_top_k(50);
  sampling.set_top_p(0.95f);
  sampling.set_min_p(0.05f);
  sampling.set_repetition_penalty(1.1f);
  sampling.set_max_new_tokens(450);
  sampling.add_stop("\n\"end\"");
  sampling.add_stop("stop");
  sampling.set_seed(0x8000000000000000ULL + static_cast<unsigned>(number));
  *rollout.mutable_verdict() = example_verdict(rollout.task(), number);
  return rollout;
}

inline proto::Preference example_preference(int number) {
  proto::Preference preference;
  preference.set_task("cot/rows/" + std::to_string(number));
  preference.set_chosen_work_id(static_cast<std::uint64_t>(number));
  preference.set_chosen_sample(1);
  preference.set_rejected_work_id(static_cast<std::uint64_t>(number) + 1);
  preference.set_rejected_sample(2);
  preference.set_reason("faster");
  return preference;
}

inline proto::JournalRecord record(const proto::Task& task) {
  proto::JournalRecord made;
  *made.mutable_task() = task;
  return made;
}
inline proto::JournalRecord record(const proto::Sample& sample) {
  proto::JournalRecord made;
  *made.mutable_sample() = sample;
  return made;
}
inline proto::JournalRecord record(const proto::Rollout& rollout) {
  proto::JournalRecord made;
  *made.mutable_rollout() = rollout;
  return made;
}
inline proto::JournalRecord record(const proto::Preference& preference) {
  proto::JournalRecord made;
  *made.mutable_preference() = preference;
  return made;
}
inline bool same(const google::protobuf::Message& a, const google::protobuf::Message& b) {
  return google::protobuf::util::MessageDifferencer::Equals(a, b);
}

}  // namespace kg::dataset
