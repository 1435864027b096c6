#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/checks/call_forms.h"
#include "sandbox/checks/language.h"
#include "sandbox/compiler/compile_outcome.h"
#include "sandbox/compiler/installation.h"

namespace kg::sandbox {

// clang and a linker in their own cell, with the emulated NPU's header precompiled. sandbox/programs says which kind
// of program is compiled how; this is the shared part. Every member throws Error if the sandbox is at
// fault (no compiler, full disk, killed by the host); faults of the program are in the outcome.
class Toolchain {
 public:
  Toolchain(Isolation isolation, const WorkFolder& work, const fs::path& cache);

  const std::string& key() const { return installed_.key; }
  std::string headers() const { return installed_.headers().string(); }  // content of the emulated NPU's headers

  // Empties the working folder for the next compilations; then writes its files, `path` relative to it.
  void clear() const { work_.clear_compile(); }
  void write(const std::string& path, const std::string& content) const;

  struct Kernel {
    Sources sources;            // the author's files, for rules of the language that only the object shows
    bool wants_header = false;  // a source that forgets the header must fail as on the device
    bool wants_tiling = false;  // the host side's tiling too; make_tiling_header() was called
    std::string object;         // its name in work.kernel()
  };
  // Compiles kernel.cpp, which may include files of the working folder and of op_kernel in it, for the device.
  CompileOutcome compile_kernel(const Kernel& kernel, const Allowance& allowance);

  // Precompiles the kernel's header together with kTilingHeader, for a source that launches its kernel and computes a
  // tiling for it, unless that was done; empties the working folder.
  void make_tiling_header();

  // Precompiles the kernel's header as plain C++, unless that was done; empties the working folder.
  void make_plain_header();
  // Compiles kernel.cpp, which launches kernels itself, as plain C++ to kernel.o. make_plain_header() was called,
  // unless it wants the host side's tiling too.
  CompileOutcome compile_plain(bool wants_tiling, const Allowance& allowance);

  // Precompiles register/op_def_registry.h, unless that was done; empties the working folder. Not done with the
  // kernel's header, since a kernel by itself need not wait for it.
  void make_host_header();
  // Compiles a file of an operator project's host side. `wants_header`: it includes register/op_def_registry.h, and
  // make_host_header() was called.
  CompileOutcome compile_host(const std::string& source, const std::string& object, bool wants_header,
                              const Allowance& allowance);

  // Links objects to work.kernel()/shared_object.
  enum class Unwinding { kNone, kExceptions };
  CompileOutcome link(const std::vector<std::string>& objects, Unwinding unwinding, const std::string& shared_object,
                      const Allowance& allowance);

 private:
  std::vector<std::string> compiler_command(bool wants_tiling) const;
  std::vector<std::string> kernel_command(const Kernel& kernel) const;
  std::vector<std::string> plain_command(bool wants_tiling) const;
  std::vector<std::string> host_command() const;
  std::string host_folder() const;
  void make_kernel_header();
  void write_header(const char* file, const std::string& text) const;
  void precompile_kernel_header(bool wants_tiling);
  template <typename Make>
  void make_once(const char* name, Make make);
  void precompile(std::vector<std::string> command, const fs::path& header, const char* name);
  void require_precompiled_header(const Allowance& allowance);
  CompileOutcome compile_cold(const Kernel& kernel, const Allowance& allowance);
  std::optional<CompileOutcome> compile_warm(const Allowance& allowance);
  CompileOutcome object_checked(CompileOutcome outcome, const Sources& sources) const;
  JobOutcome run(std::vector<std::string> command, const Allowance& allowance, Job::Kind kind = Job::Kind::kCommand);
  CompileOutcome judged(const JobOutcome& outcome, const proto::ResourceLimits& limits) const;

  const WorkFolder& work_;
  Installation installed_;
  bool warm_ = false;  // the cell holds a compiler that stays loaded
  std::unique_ptr<Cell> cell_;
};

}  // namespace kg::sandbox
