#include "evaluation/judged_answer.h"

#include "proto/dtype.h"
#include "proto/fault_class.h"

namespace kg::evaluation {

JudgedAnswer described(const std::string& id, const proto::Task& task) {
  JudgedAnswer answer;
  answer.task = id;
  answer.cluster = task.structure();
  answer.level = std::to_string(task.level());
  answer.category = task.category();
  if (task.cases_size() > 0 && task.cases(0).inputs_size() > 0)
    answer.dtype = proto::dtype_name(task.cases(0).inputs(0).dtype());
  return answer;
}

JudgedAnswer judged_answer(const std::string& id, const proto::Task& task, const proto::Verdict& verdict) {
  JudgedAnswer answer = described(id, task);
  answer.sandbox_fault = !verdict.sandbox_error().empty();
  answer.valid = !answer.sandbox_fault && verdict.reward_valid();
  answer.judge_version = verdict.judge_version();
  answer.compiled = verdict.compiled();
  answer.correct = verdict.correct();
  for (const proto::Fault& fault : verdict.faults()) answer.scalar_only |= has_class(fault, proto::FaultClass::kScalar);
  answer.speedup = verdict.speedup();
  return answer;
}

}  // namespace kg::evaluation
