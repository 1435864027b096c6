#include "dataset/store/schema.h"

#include "base/check.h"

namespace kg::dataset {
namespace {

struct Line {
  const char* name;
  const char* field;
  const char* unit;
  const char* meaning;
};

void add(TableSchema& made, std::initializer_list<Line> lines) {
  for (const Line& line : lines)
    made.columns.push_back({line.name, Field(made.message, line.field), line.unit, line.meaning});
}

TableSchema make(const std::string& name, const google::protobuf::Descriptor* message,
                 std::initializer_list<Line> lines) {
  TableSchema made{name, message, {}};
  add(made, lines);
  return made;
}

TableSchema make_meta() {
  return make("meta", proto::MetaEntry::descriptor(),
              {{"key", "key", "", "name of a property of the data set; if a key occurs twice, the last row counts"},
               {"value", "value", "", "its value"}});
}

TableSchema make_tasks() {
  return make("tasks", proto::Task::descriptor(),
              {{"id", "id", "", "unique name of the task"},
               {"suite", "suite", "", "origin of the task: builtin, npukernelbench, ..."},
               {"category", "category", "", "kind of operator, e.g. activation"},
               {"family", "family", "", "family of operator structures, e.g. cot_rows"},
               {"structure", "structure", "", "operator structure without shape and type"},
               {"split", "split", "", "train, heldout, or expert: neither trained on nor evaluated"},
               {"level", "level", "", "difficulty level of the suite"},
               {"graph", "graph", "", "operator graph that defines the expected outputs, JSON"},
               {"cases", "cases", "", "list of cases: shapes, types, distributions and seed of the inputs, JSON"},
               {"entry_point", "entry_point", "", "name of the __global__ function"},
               {"block_dim", "block_dim", "cores", "AI cores to launch the kernel on"},
               {"workspace_bytes", "workspace_bytes", "bytes", "workspace in global memory"},
               {"absolute_bound", "absolute_bound", "", "an element with at most this absolute error passes"},
               {"prompt_short", "prompt_short", "", "short prompt: types, shapes and steps, at most 200 tokens"},
               {"prompt_npukernelbench", "prompt_npukernelbench", "", "prompt in the form of NPUKernelBench"},
               {"style", "style", "", "style of kernel that the prompt asks for, or empty"},
               {"op_name", "op_name", "", "imported tasks: the operator's name"},
               {"level_weight", "level_weight", "", "weight of the level in the benchmark's score"},
               {"prompt_dynamic_kernel_only", "prompt_dynamic_kernel_only", "", "prompt for a kernel of any shape"},
               {"prompt_dynamic_full", "prompt_dynamic_full", "", "prompt for an operator project of any shape"}});
}

TableSchema make_tensors() {
  return make("tensors", proto::CaseTensor::descriptor(),
              {{"task", "task", "", "id of the imported task"},
               {"case_index", "case_index", "", "case of the task, from 0"},
               {"role", "role", "see names", "role of the tensor in the case"},
               {"index", "index", "", "index of the case's input or checked tensor"},
               {"dtype", "dtype", "see names", "type of the elements"},
               {"shape", "shape", "elements", "extents, row-major"},
               {"byte_count", "byte_count", "bytes", "size of the whole tensor"},
               {"hash", "hash", "", "XXH3-64 (seed 0) of the bytes"},
               {"data", "data", "", "elements, little-endian; empty: the data are regenerated from the case's seed"}});
}

TableSchema make_samples() {
  return make(
      "samples", proto::Sample::descriptor(),
      {{"id", "id", "", "unique name of the sample, or empty"},
       {"task", "task", "", "id of the task that the sample answers, or empty"},
       {"kind", "kind", "", "kernel, plan, repair, prediction, multi_turn, project, documentation or imported"},
       {"split", "split", "", "train: no sample is made from a held-out task"},
       {"style", "style", "", "dsl, the style of the Ascend C (queues, strided, ...), a question's topic, or empty"},
       {"prompt_form", "prompt_form", "", "short, reasoned, npukernelbench, project, multi_turn or imported"},
       {"instruction", "instruction", "", "what is asked (Ascend-CoT)"},
       {"input", "input", "", "further input, may be empty (Ascend-CoT)"},
       {"output", "output", "", "reasoning and kernel (Ascend-CoT)"},
       {"cycles", "cycles", "cycles", "cycles of the kernel in the output; 0 if no kernel was run"},
       {"provenance", "provenance", "", "how the sample was made, or where it comes from"},
       {"judge_version", "judge_version", "", "version of the judge that ran the kernel, empty if none did"}});
}

void add_completion(TableSchema& made) {
  add(made,
      {{"completion", "completion.text", "", "decoded completion without the end-of-text token"},
       {"prompt_ids", "completion.prompt_ids", "token ids", "prompt as the policy saw it"},
       {"token_ids", "completion.token_ids", "token ids", "completion as sampled, end-of-text token included if drawn"},
       {"log_probs", "completion.log_probs", "nats",
        "log-probability of each token under the distribution it was drawn from"},
       {"kept", "completion.kept", "", "tokens that the filters kept at each step (proto/kept_set.h)"},
       {"policy_versions", "completion.policy_versions", "",
        "version of the weights that sampled each token, or one entry for all tokens"},
       {"truncated", "completion.truncated", "0 or 1", "cut off at max_new_tokens"},
       {"temperature", "completion.sampling.temperature", "", "sampling temperature; 0: greedy"},
       {"top_k", "completion.sampling.top_k", "tokens", "number of tokens sampled from; 0: off"},
       {"top_p", "completion.sampling.top_p", "", "total probability of the tokens sampled from; 0 or 1: off"},
       {"min_p", "completion.sampling.min_p", "", "smallest token probability, as a fraction of the top one; 0: off"},
       {"repetition_penalty", "completion.sampling.repetition_penalty", "", "penalty for repeated tokens; 0 or 1: off"},
       {"max_new_tokens", "completion.sampling.max_new_tokens", "tokens", "maximum length of the completion"},
       {"stop", "completion.sampling.stop", "", "texts that end the completion, JSON list"},
       {"seed", "completion.sampling.seed", "", "seed of this sample's random stream"},
       {"grammar", "completion.sampling.grammar", "", "grammar that restricted the tokens; empty: none"}});
}

TableSchema make_rollouts() {
  TableSchema made = make(
      "rollouts", proto::Rollout::descriptor(),
      {{"run", "run", "", "name of the run; (run, work_id, sample) is unique"},
       {"work_id", "work_id", "", "number of the group (the answers to one prompt) within the run"},
       {"sample", "sample", "", "index within the group"},
       {"task", "task", "", "id of the task, see /tasks"},
       {"purpose", "purpose", "",
        "train, or eval:LABEL; further turns of an evaluation have repair:LABEL or fresh:LABEL"},
       {"turn", "turn", "", "number of answers before this one in its conversation; 0: it answers the task"},
       {"after_work_id", "after_work_id", "", "work_id of the answer that this one follows, in the same run; 0: none"},
       {"after_sample", "after_sample", "", "sample of the answer that this one follows"},
       {"worker", "worker", "", "name of the worker that made the rollout"},
       {"policy_version", "policy_version", "", "version of the weights that the lease asked for"},
       {"time_us", "time_us", "us since 1970-01-01 UTC", "when the coordinator stored the rollout"},
       {"generate_ms", "generate_ms", "ms", "time to sample the completion"},
       {"judge_ms", "judge_ms", "ms", "time to judge the kernel"},
       {"prompt", "prompt", "", "prompt as text"},
       {"kernel", "kernel", "", "kernel source found in the completion, empty if none"},
       {"reward", "verdict.reward", "", "reward; meaningful only if reward_valid is 1"},
       {"reward_valid", "verdict.reward_valid", "0 or 1", "0: sandbox fault or impossible timing"},
       {"stage", "verdict.stage", "see names", "step at which judging ended"},
       {"compiled", "verdict.compiled", "0 or 1", "the kernel compiled"},
       {"ran", "verdict.ran", "0 or 1", "every case finished"},
       {"correct", "verdict.correct", "0 or 1", "all elements of all cases were right, and no fault was an error"},
       {"cycles", "verdict.cycles", "cycles", "cycles of the kernel, summed over the cases that ran"},
       {"baseline_cycles", "verdict.baseline_cycles", "cycles", "cycles of the baseline for the same cases"},
       {"speedup", "verdict.speedup", "", "baseline_cycles / cycles, 0 if not correct"},
       {"max_abs_error", "verdict.max_abs_error", "",
        "largest error over all compared elements; NaN: a non-finite value did not match"},
       {"cases_passed", "verdict.cases_passed", "cases", "cases that passed"},
       {"cases_total", "verdict.cases_total", "cases", "cases of the task that count in the verdict"},
       {"faults", "verdict.faults", "", "list of faults, JSON"},
       {"compiler_output", "verdict.compiler_output", "", "what the compiler printed"},
       {"sandbox_error", "verdict.sandbox_error", "", "why the sandbox itself failed, empty if it did not"},
       {"invalid_reason", "verdict.invalid_reason", "", "why reward_valid is 0"},
       {"reward_preset", "verdict.reward_preset", "", "name of the reward preset"},
       {"judge_version", "verdict.judge_version", "", "version of the judge, see docs/guide/metrics.md"},
       {"verdict_task", "verdict.task", "", "task id as the judge wrote it"},
       {"wall_ms", "verdict.wall_ms", "ms", "wall-clock time of judging"},
       {"published_correct", "verdict.published.correct", "0 or 1",
        "imported tasks: the kernel passes the benchmark's own checker"},
       {"published_cases_passed", "verdict.published.cases_passed", "cases",
        "cases that pass the benchmark's own checker"},
       {"published_skipped", "verdict.published.skipped", "",
        "why the benchmark's checker was not applied to some case"},
       {"strict_correct", "verdict.strict.correct", "0 or 1", "imported tasks: the outputs are right against fp64"},
       {"strict_cases_passed", "verdict.strict.cases_passed", "cases", "cases whose outputs are right against fp64"},
       {"strict_skipped", "verdict.strict.skipped", "", "why the fp64 check was not applied to some case"}});
  add_completion(made);
  return made;
}

TableSchema make_preferences() {
  return make("preferences", proto::Preference::descriptor(),
              {{"task", "task", "", "id of the task"},
               {"chosen_work_id", "chosen_work_id", "", "work_id of the better rollout"},
               {"chosen_sample", "chosen_sample", "", "sample of the better rollout"},
               {"rejected_work_id", "rejected_work_id", "", "work_id of the worse rollout"},
               {"rejected_sample", "rejected_sample", "", "sample of the worse rollout"},
               {"reason", "reason", "", "why the chosen rollout is better"},
               {"chosen_run", "chosen_run", "", "run of the better rollout"},
               {"rejected_run", "rejected_run", "", "run of the worse rollout"}});
}

}  // namespace

const TableSchema& schema(Table table) {
  static const std::array<TableSchema, kTableCount> all = {make_meta(),     make_tasks(),       make_samples(),
                                                           make_rollouts(), make_preferences(), make_tensors()};
  return all[static_cast<std::size_t>(table)];
}

Table table_of(const proto::JournalRecord& record) {
  switch (record.record_case()) {
    case proto::JournalRecord::kMeta:
      return Table::kMeta;
    case proto::JournalRecord::kTask:
      return Table::kTasks;
    case proto::JournalRecord::kSample:
      return Table::kSamples;
    case proto::JournalRecord::kRollout:
      return Table::kRollouts;
    case proto::JournalRecord::kPreference:
      return Table::kPreferences;
    case proto::JournalRecord::kTensor:
      return Table::kTensors;
    case proto::JournalRecord::RECORD_NOT_SET:
      break;
  }
  KG_CHECK_NE(static_cast<int>(record.record_case()), 0);
  return Table::kMeta;
}

google::protobuf::Message& mutable_message(proto::JournalRecord& record, Table table) {
  switch (table) {
    case Table::kMeta:
      return *record.mutable_meta();
    case Table::kTasks:
      return *record.mutable_task();
    case Table::kSamples:
      return *record.mutable_sample();
    case Table::kRollouts:
      return *record.mutable_rollout();
    case Table::kPreferences:
      return *record.mutable_preference();
    case Table::kTensors:
      break;
  }
  return *record.mutable_tensor();
}

const google::protobuf::Message& message_of(const proto::JournalRecord& record) {
  return mutable_message(const_cast<proto::JournalRecord&>(record), table_of(record));
}

}  // namespace kg::dataset
