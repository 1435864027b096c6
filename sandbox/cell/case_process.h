#pragma once

#include "sandbox/cell/job.h"

namespace kg::sandbox {

// The process of one case: parses its tensors before the limits and the filter take effect, then loads and launches
// the kernel, or runs the host side or the host function that prepares its launch.
class CaseJob {
 public:
  // Writes the number of a forbidden system call to *forbidden_call.
  CaseJob(const Job& job, Descriptor& input, int result, std::int32_t* forbidden_call);
  [[noreturn]] void run();

 private:
  std::string run_kernel();
  std::string run_host();
  std::string run_host_function();

  Job::Kind kind_;
  npu::Launch launch_;
  proto::RunCase case_;
  int result_;
};

}  // namespace kg::sandbox
