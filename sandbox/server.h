#pragma once

#include <map>
#include <memory>
#include <string>

#include "sandbox/case_verdict.h"
#include "sandbox/cell.h"
#include "sandbox/kernel_cache.h"
#include "sandbox/pytorch/module_host.h"
#include "sandbox/toolchain.h"
#include "sandbox/work_folder.h"

namespace kg::sandbox {

struct ServerOptions {
  bool allow_less_isolation = false;
  std::string cache_folder;  // compiled kernels by content; empty: none are kept
  std::string python;        // with PyTorch, for answers that are modules; empty: they are refused
};

// `kgtrain-sandbox serve`: one request after the other.
//
//   request ─► kernel cache ─► toolchain's cell ─► kernel.so ─► kernel's cell, one process a case ─► judge_case ─►
//   result
//
//   a source with <<<>>> ─► kernel.so, kernel.so.host ─► kernel's cell: the host function, one process a case ─►
//   LaunchPlan ─► as above
//
//   project ─► host.so ─► kernel's cell: the host side, one process a case ─► HostPlan ─► kernel.so for its data types
//   and tiling key ─► as above
//
//   module ─► six texts ─► host.so, custom_ops_lib.so ─► its own cell: Python, one process a case ─► each operator that
//   it launches: as a project (pytorch/)
class Server {
 public:
  explicit Server(ServerOptions options) : options_(std::move(options)) {}

  // `owner`: the socket on which the caller waits; work stops when it closes. Never throws.
  proto::ExecutionResult execute(const proto::ExecutionRequest& request, int owner);

 private:
  void make_ready();
  void run_source(const proto::ExecutionRequest& request, const proto::ResourceLimits& limits, int owner,
                  proto::ExecutionResult& result);
  // `direct`: the source launches its kernel itself.
  bool compile(const proto::ExecutionRequest& request, bool direct, const proto::ResourceLimits& limits, int owner,
               proto::ExecutionResult& result);
  // Of the shared object in work_->kernel(); false: nothing more is to be run.
  bool run_case(const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                const std::string& shared_object, const proto::ResourceLimits& limits, int owner,
                proto::ExecutionResult& result);

  // A source with <<<>>>: its host function, then what that launches.
  bool run_direct_case(const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                       const proto::ResourceLimits& limits, int owner, proto::ExecutionResult& result);
  Job case_job(Job::Kind kind, const proto::ExecutionRequest& request, const proto::RunCase& run_case,
               const std::string& shared_object, const proto::ResourceLimits& limits) const;

  // An operator project (project_run.cpp).
  void run_project(const proto::ExecutionRequest& request, const proto::ResourceLimits& limits, int owner,
                   proto::ExecutionResult& result);
  // One case; false: nothing more is to be run.
  bool run_project_case(const proto::ExecutionRequest& request, const Project& project, const proto::RunCase& run_case,
                        const proto::ResourceLimits& limits, int owner, proto::ExecutionResult& result);
  bool compile_host(const Project& project, const proto::ResourceLimits& limits, int owner,
                    proto::ExecutionResult& result);
  HostVerdict run_host(const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                       const proto::ResourceLimits& limits, int owner);
  bool compile_variant(const Project& project, const proto::HostPlan& plan, const proto::ResourceLimits& limits,
                       int owner, std::string& shared_object, proto::ExecutionResult& result);

  // A module (pytorch/module_run.cpp).
  void run_module(const proto::ExecutionRequest& request, const proto::ResourceLimits& limits, int owner,
                  proto::ExecutionResult& result);
  bool compile_binding(const std::string& source, const proto::ResourceLimits& limits, int owner,
                       proto::ExecutionResult& result);

  ServerOptions options_;
  std::unique_ptr<WorkFolder> work_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<KernelCache> kernels_;
  std::unique_ptr<Cell> cell_;  // where kernels run
  std::unique_ptr<ModuleHost> modules_;

  // What lies in the folder of kernels: a program that is looked at twice is compiled once.
  struct Present {
    std::string key, output;
  };
  Present present_, present_host_, present_binding_;
  std::map<std::string, std::string> variants_;  // of present_host_'s project: key to shared object
};

// Answers requests (proto/frame.h) on a stream socket until the other side closes it.
int serve(int socket, ServerOptions options);

}  // namespace kg::sandbox
