#pragma once

#include <string>

#include "proto/task.pb.h"
#include "proto/verdict.pb.h"

namespace kg::evaluation {

// What an evaluation knows of one judged answer. docs/guide/metrics.md defines what is made of them.
struct JudgedAnswer {
  std::string task;
  std::string cluster;  // tasks of one operator structure count as one draw; empty: the task alone
  std::string level, category, dtype;
  bool valid = true;  // false: the sandbox failed, or the timing is impossible; counted apart, in no rate
  bool sandbox_fault = false;
  bool compiled = false;
  bool correct = false;
  double speedup = 0;         // of a correct one
  bool scalar_only = false;   // the device warned that the scalar unit did the work
  std::string judge_version;  // empty: judged before there was one
  bool truncated = false;     // cut off at the token limit; false where that is not known
};

// An answer of which only the task is known: where the tables put it. `id` is the task's, also where `task` is empty
// because the data set no longer has it.
JudgedAnswer described(const std::string& id, const proto::Task& task);

// The same with what the judge said.
JudgedAnswer judged_answer(const std::string& id, const proto::Task& task, const proto::Verdict& verdict);

}  // namespace kg::evaluation
