#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "proto/fault.h"
#include "sandbox/cell/capped_text.h"
#include "sandbox/cell/limits.h"
#include "sandbox/compiler/diagnostics.h"
#include "sandbox/programs/case_verdict.h"

namespace kg::sandbox {
namespace {

using ::testing::HasSubstr;

// Wait statuses as Linux makes them.
constexpr int exited(int status) { return status << 8; }
constexpr int killed(int signal_number) { return signal_number; }

proto::RunCase one_output() {
  proto::RunCase run_case;
  auto* output = run_case.add_outputs();
  output->set_dtype(proto::FLOAT32);
  output->add_shape(2);
  return run_case;
}

proto::CaseResult good_result() {
  proto::CaseResult result;
  result.set_ran(true);
  auto* output = result.add_outputs();
  output->set_dtype(proto::FLOAT32);
  output->add_shape(2);
  output->set_data(std::string(8, '\0'));
  return result;
}

JobOutcome ended(int status, const proto::CaseResult& result = {}) {
  JobOutcome outcome;
  outcome.end.wait_status = status;
  outcome.result = result.SerializeAsString();
  return outcome;
}

CaseVerdict judge(const JobOutcome& outcome) { return judge_case(outcome, one_output(), with_default_limits({})); }

void expect_fault(const JobOutcome& outcome, const std::string& fault_class, const std::string& words) {
  const auto verdict = judge(outcome);
  EXPECT_EQ(verdict.sandbox_error, "");
  EXPECT_FALSE(verdict.result.ran());
  EXPECT_EQ(verdict.result.outputs_size(), 0);
  ASSERT_EQ(verdict.result.faults_size(), 1);
  EXPECT_EQ(verdict.result.faults(0).fault_class(), fault_class);
  EXPECT_THAT(verdict.result.faults(0).message(), HasSubstr(words));
}

TEST(CaseVerdict, CleanEndGivesTheResultAsItCame) {
  auto outcome = ended(exited(0), good_result());
  outcome.output = "printed";
  const auto verdict = judge(outcome);
  EXPECT_EQ(verdict.sandbox_error, "");
  EXPECT_TRUE(verdict.result.ran());
  EXPECT_EQ(verdict.result.outputs(0).data().size(), 8u);
  EXPECT_EQ(verdict.result.output(), "printed");
}

TEST(CaseVerdict, OutputsOfTheWrongFormAreATrap) {
  auto wrong_type = good_result();
  wrong_type.mutable_outputs(0)->set_dtype(proto::INT32);
  auto wrong_shape = good_result();
  wrong_shape.mutable_outputs(0)->set_shape(0, 3);
  auto too_short = good_result();
  too_short.mutable_outputs(0)->set_data("1234");
  auto too_many = good_result();
  *too_many.add_outputs() = too_many.outputs(0);
  auto did_not_run = good_result();
  did_not_run.set_ran(false);
  for (const auto& result : {wrong_type, wrong_shape, too_short, too_many, did_not_run})
    expect_fault(ended(exited(0), result), "trap", "malformed");
}

TEST(CaseVerdict, FaultOfAnUnknownClassIsATrap) {
  proto::CaseResult result = good_result();
  add_fault(result, proto::FaultClass::kUb, "a known one");
  EXPECT_TRUE(judge(ended(exited(0), result)).result.ran());
  result.mutable_faults(0)->set_fault_class("my own");
  expect_fault(ended(exited(0), result), "trap", "an unknown class");
}

TEST(CaseVerdict, EndWithoutAResultIsATrap) { expect_fault(ended(exited(3)), "trap", "status 3"); }

TEST(CaseVerdict, SignalIsATrap) { expect_fault(ended(killed(SIGSEGV), good_result()), "trap", "Segmentation fault"); }

TEST(CaseVerdict, ForbiddenCallIsNamed) {
  auto outcome = ended(exited(kExitForbiddenCall));
  outcome.end.system_call = 41;
#if defined(__x86_64__)
  expect_fault(outcome, "trap", "forbidden system call: socket");
#else
  expect_fault(outcome, "trap", "forbidden system call");
#endif
}

TEST(CaseVerdict, TimeAndMemoryAreLimits) {
  auto outcome = ended(0);
  outcome.timed_out = true;
  expect_fault(outcome, "limit", "time limit of 10 s");
  outcome.host_was_busy = true;
  EXPECT_THAT(judge(outcome).sandbox_error, HasSubstr("too little processor time"));
  expect_fault(ended(exited(kExitOutOfMemory)), "limit", "memory");
  auto too_large = ended(0);
  too_large.result_too_large = true;
  expect_fault(too_large, "limit", "result");
}

// The hard CPU limit kills as the host's out-of-memory killer does; only the time spent tells them apart.
TEST(CaseVerdict, EndlessKernelThatDiedOfTheCpuTimeLimitIsAtTheTimeLimit) {
  JobOutcome outcome = ended(killed(SIGXCPU));
  outcome.end.cpu_microseconds = 9'990'000;  // of 10 s
  expect_fault(outcome, "limit", "time limit of 10 s");
}

TEST(CaseVerdict, SigkillIsTheHostsDoingUnlessTheTimeWasSpent) {
  auto outcome = ended(killed(SIGKILL));
  EXPECT_THAT(judge(outcome).sandbox_error, HasSubstr("killed by the host"));
  outcome.end.cpu_microseconds = 11'000'000;
  expect_fault(outcome, "limit", "time limit");
}

TEST(CaseVerdict, WhatNeverStartedIsTheSandboxsFault) {
  auto not_started = ended(exited(kExitNotStarted));
  not_started.end.start_error = ENOMEM;
  EXPECT_NE(judge(not_started).sandbox_error, "");
  auto lost = ended(0);
  lost.cell_lost = "gone";
  EXPECT_THAT(judge(lost).sandbox_error, HasSubstr("gone"));
  // Without the errno, which a kernel cannot set, the status means nothing.
  expect_fault(ended(exited(kExitNotStarted)), "trap", "no result");
}

TEST(Limits, ClockAllowsAtLeastTheProcessorTime) {
  EXPECT_GE(wall_seconds(3), 3);
  EXPECT_LE(wall_seconds(3), 3 * kMostStretch);
}

TEST(Limits, ZeroFieldsTakeDefaultsOthersStay) {
  proto::ResourceLimits limits;
  limits.set_run_seconds(3);
  limits = with_default_limits(limits);
  EXPECT_EQ(limits.run_seconds(), 3);
  EXPECT_EQ(limits.compile_seconds(), 20);
  EXPECT_EQ(limits.output_bytes(), 64u << 10);
}

TEST(CappedText, KeepsTheFirstBytesAndCountsTheRest) {
  CappedText text(4);
  text.append("abc", 3);
  text.append("def", 3);
  text.append("ghi", 3);
  EXPECT_EQ(text.text(), "abcd");
  EXPECT_EQ(text.dropped(), 5u);
}

TEST(Diagnostics, FoldersOfTheCellAreTakenOut) {
  EXPECT_EQ(readable_diagnostics("/work/kernel.cpp:3:1: error\n/kgtrain/include/kernel_operator.h:9: note\n", "/work",
                                 "/kgtrain/include"),
            "kernel.cpp:3:1: error\nkernel_operator.h:9: note\n");
}

TEST(Diagnostics, AHeaderOfTheHostSideInAKernelSaysWhereTilingBelongs) {
  const std::string told =
      readable_diagnostics("kernel.cpp:2:10: fatal error: 'tiling/tiling_api.h' file not found\n", "/work", "/headers");
  EXPECT_EQ(told.find("kernel.cpp:2:10: fatal error: 'tiling/tiling_api.h' is a header of the host side"), 0u) << told;
  EXPECT_NE(told.find("op_host part of an operator project"), std::string::npos);
}

TEST(Diagnostics, AStarThatBelongsToOneNameAlone) {
  EXPECT_EQ(
      readable_diagnostics("/work/k.cpp:6:16: error: automatic variable qualified with an address space\n", "/work",
                           "/headers"),
      "k.cpp:6:16: error: only what a pointer points to can be in __gm__ memory; GM_ADDR a, b; makes a pointer of "
      "a alone, since GM_ADDR is __gm__ uint8_t*: declare each by itself\n");
}

TEST(Diagnostics, ANameThatTheLibraryHasToo) {
  const std::string words =
      "/work/k.cpp:14:76: error: reference to 'Add' is ambiguous\n"
      "/work/k.cpp:3:7: note: candidate found by name lookup is 'Add'\n";
  EXPECT_EQ(readable_diagnostics(words, "/work", "/headers").find("library"), std::string::npos);
  const std::string ours = "/headers/kgnpu/binary.h:9:6: note: candidate found by name lookup is 'AscendC::Add'\n";
  EXPECT_THAT(readable_diagnostics(words + ours, "/work", "/headers"),
              testing::EndsWith("  the library has Add too: write ::Add for yours, or give it another name\n"));
  EXPECT_THAT(readable_diagnostics("/work/op_host/x.cpp:3:8: error: redefinition of 'TCubeTiling'\n"
                                   "/headers/host/tiling.h:9:8: note: previous definition is here\n",
                                   "/work", "/headers"),
              testing::EndsWith("  the library has TCubeTiling already: give yours another name, or a namespace\n"));
}

TEST(Diagnostics, MessagesWithoutAPlaceBlameTheCompiler) {
  EXPECT_TRUE(blames_the_compiler("fatal error: malformed or corrupted AST file\n"));
  EXPECT_TRUE(blames_the_compiler("kernel.cpp:1:1: note: x\nerror: unable to open output file\n"));
  EXPECT_FALSE(blames_the_compiler("kernel.cpp:1:1: error: unknown type\n1 error generated.\n"));
  EXPECT_FALSE(blames_the_compiler("kernel.cpp:1:1: fatal error: 'x.h' file not found\n"));
}

}  // namespace
}  // namespace kg::sandbox
