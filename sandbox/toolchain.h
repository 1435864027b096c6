#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "npu/checks/call_forms.h"
#include "npu/checks/language.h"
#include "npu/launch/device.h"
#include "sandbox/cell.h"
#include "sandbox/project.h"
#include "sandbox/work_folder.h"

namespace kg::sandbox {

struct CompileOutcome {
  bool compiled = false;
  std::string output;  // readable, up to the cap
};

// clang and a linker in a cell of their own, with the emulated NPU's header precompiled. Every member throws Error
// where the sandbox is at fault (no compiler, full disk, killed by the host); what is wrong with the kernel is in the
// outcome.
//
//   <cache>/toolchain/<key>/include, kernel_operator.pch   key: compiler, flags, content of the headers
class Toolchain {
 public:
  Toolchain(Isolation isolation, const WorkFolder& work, fs::path cache);

  // Leaves the shared object in work.kernel()/kernel.so, and beside it the cube half or the host function if the source
  // has one.
  // `owner`: see JobBounds.
  CompileOutcome compile(const std::string& source, const std::string& entry_point, const proto::ResourceLimits& limits,
                         int owner);

  // The host side of an operator project, left in work.kernel()/host.so.
  CompileOutcome compile_host(const Project& project, const proto::ResourceLimits& limits, int owner);

  // Its kernel, with what the host side decided in front of it, as compile().
  CompileOutcome compile_kernel(const Project& project, const std::string& name, const std::string& prologue,
                                const proto::ResourceLimits& limits, int owner);

  // Of everything besides the source that decides what comes out.
  const std::string& key() const { return key_; }

 private:
  std::vector<std::string> compiler_command() const;
  void make_precompiled_headers(const fs::path& sources);
  void make_precompiled_header(std::vector<std::string> command, const fs::path& header, const char* name);
  std::vector<std::string> host_compiler_command() const;
  void require_precompiled_header(const proto::ResourceLimits& limits, int owner);
  CompileOutcome compile_direct(const std::string& source, const std::string& entry_point,
                                const proto::ResourceLimits& limits, int owner);
  using CompileHalf = std::function<CompileOutcome(npu::CoreType, const std::string& shared_object)>;
  CompileOutcome compile_halves(bool both, const CompileHalf& half);
  CompileOutcome link(const CompileOutcome& compiled, const std::string& shared_object,
                      const proto::ResourceLimits& limits, int owner);
  void write_source(const std::string& path, const std::string& content) const;
  CompileOutcome compile_file(bool wants_header, const std::vector<std::string>& folders,
                              const proto::ResourceLimits& limits, int owner);
  CompileOutcome compile_and_link(bool wants_header, const std::vector<std::string>& folders,
                                  const npu::Sources& sources, const std::string& shared_object,
                                  const proto::ResourceLimits& limits, int owner);
  CompileOutcome object_checked(CompileOutcome outcome, const npu::Sources& sources) const;
  std::optional<CompileOutcome> compile_warm(const proto::ResourceLimits& limits, int owner);
  JobOutcome run(std::vector<std::string> command, const proto::ResourceLimits& limits, int owner,
                 Job::Kind kind = Job::Kind::kCommand);
  CompileOutcome judged(const JobOutcome& outcome, const proto::ResourceLimits& limits) const;

  const WorkFolder& work_;
  fs::path compiler_, linker_, headers_, precompiled_;
  fs::path pass_;  // pointer_accesses (compiler/); empty: none
  std::string key_;
  npu::CallForms forms_;  // for messages
  bool warm_ = false;     // the cell holds a compiler that stays (compiler/)
  std::unique_ptr<Cell> cell_;
};

// Moves what a compiler's cell made out of its reach. Nothing but a regular file is taken.
void take_compiled(const fs::path& made, const fs::path& to, mode_t mode);

}  // namespace kg::sandbox
