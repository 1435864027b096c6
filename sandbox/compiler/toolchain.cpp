#include "sandbox/compiler/toolchain.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "sandbox/cell/limits.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/checks/object_check.h"
#include "sandbox/compiler/diagnostics.h"

namespace kg::sandbox {
namespace {

constexpr const char* kMadeObject = "kernel.o";
constexpr const char* kMadeSharedObject = "kernel.so";
constexpr const char* kPrecompiledSource = "precompiled.h";
constexpr const char* kPrecompiledName = "kernel_operator.pch";
constexpr const char* kTilingPrecompiledSource = "precompiled.hpp";
constexpr const char* kTilingPrecompiledName = "kernel_and_tiling.pch";
constexpr const char* kPlainHeader = "precompiled_plain.h";
constexpr const char* kPlainPrecompiledName = "plain.pch";
constexpr const char* kHostHeader = "host/register/op_def_registry.h";
constexpr const char* kHostPrecompiledName = "op_def_registry.pch";
constexpr const char* kKernelFolder = "op_kernel";
constexpr double kHeaderSeconds = 300;  // made once, perhaps by several sandboxes of a loaded host

void append(std::vector<std::string>& command, const std::vector<std::string>& words) {
  command.insert(command.end(), words.begin(), words.end());
}

}  // namespace

Toolchain::Toolchain(Isolation isolation, const WorkFolder& work, const fs::path& cache)
    : work_(work),
      installed_(find_installation(isolation, cache)),
      warm_(!installed_.warm_compiler.empty()),
      cell_(std::make_unique<Cell>(isolation, compiler_cell(installed_, work))) {
  make_kernel_header();
}

// The host side's headers go before the kernel's of the same names, which only stand for kernel_operator.h.
std::vector<std::string> Toolchain::compiler_command(bool wants_tiling) const {
  std::vector<std::string> command = {installed_.compiler.string(), "--driver-mode=g++"};
  if (wants_tiling) command.push_back(host_folder());
  return command;
}

std::string Toolchain::host_folder() const { return "-I" + cell_->path(installed_.headers() / "host"); }

std::vector<std::string> Toolchain::kernel_command(const Kernel& kernel) const {
  std::vector<std::string> command = compiler_command(kernel.wants_tiling);
  append(command, compile_flags(cell_->path(installed_.headers()), compiler_headers(installed_.compiler)));
  append(command, own_flags());
  if (!installed_.pass.empty()) append(command, pass_flags(cell_->path(installed_.pass)));
  const char* const header = kernel.wants_tiling ? kTilingPrecompiledName : kPrecompiledName;
  if (kernel.wants_header) append(command, {"-include-pch", cell_->path(installed_.precompiled / header)});
  append(command, {"-I.", std::string("-I") + kKernelFolder});
  return command;
}

std::vector<std::string> Toolchain::plain_command(bool wants_tiling) const {
  std::vector<std::string> command = compiler_command(wants_tiling);
  append(command, plain_flags(cell_->path(installed_.headers())));
  append(command, own_flags());
  return command;
}

std::vector<std::string> Toolchain::host_command() const {
  std::vector<std::string> command = {installed_.compiler.string()};
  append(command, host_flags());
  command.push_back(host_folder());
  return command;
}

void Toolchain::make_kernel_header() {
  make_once(kPrecompiledName, [&] {
    installed_.copy_headers();
    precompile_kernel_header(/*wants_tiling=*/false);
  });
}

void Toolchain::make_tiling_header() {
  make_once(kTilingPrecompiledName, [&] {
    clear();  // nobody's files beside what all later sources include
    precompile_kernel_header(/*wants_tiling=*/true);
  });
}

// A header of ours beside the copied ones, to be precompiled.
void Toolchain::write_header(const char* file, const std::string& text) const {
  const fs::path source = installed_.headers() / file;
  write_file_atomically(source, text);
  ::chmod(source.c_str(), 0644);
}

void Toolchain::precompile_kernel_header(bool wants_tiling) {
  const char* const file = wants_tiling ? kTilingPrecompiledSource : kPrecompiledSource;
  write_header(file, precompiled_source(installed_.sources, installed_.forms, wants_tiling));
  std::vector<std::string> command = kernel_command({.wants_tiling = wants_tiling});
  append(command, precompile_flags());
  precompile(std::move(command), file, wants_tiling ? kTilingPrecompiledName : kPrecompiledName);
}

void Toolchain::make_plain_header() {
  make_once(kPlainPrecompiledName, [&] {
    clear();  // nobody's files beside what all later sources include
    write_header(kPlainHeader, "#include \"kernel_operator.h\"\n#include \"kgnpu/launch.h\"\n");
    std::vector<std::string> command = plain_command(/*wants_tiling=*/false);
    append(command, {"-x", "c++-header"});
    precompile(std::move(command), kPlainHeader, kPlainPrecompiledName);
  });
}

void Toolchain::make_host_header() {
  make_once(kHostPrecompiledName, [&] {
    clear();  // nobody's files beside what all later projects include
    std::vector<std::string> command = host_command();
    append(command, {"-x", "c++-header"});
    precompile(std::move(command), kHostHeader, kHostPrecompiledName);
  });
}

template <typename Make>
void Toolchain::make_once(const char* name, Make make) {
  const fs::path made = installed_.precompiled / name;
  if (fs::exists(made)) return;
  const WaitingLock lock(installed_.precompiled.string() + ".lock");
  if (!fs::exists(made)) make();
}

void Toolchain::precompile(std::vector<std::string> command, const fs::path& header, const char* name) {
  Allowance allowance{.limits = with_default_limits({})};
  allowance.limits.set_compile_seconds(kHeaderSeconds);
  allowance.limits.set_file_bytes(1ull << 30);
  append(command, {cell_->path(installed_.headers() / header), "-o", name});
  const CompileOutcome outcome = judged(run(std::move(command), allowance), allowance.limits);
  if (!outcome.compiled)
    throw Error(header.string() + " does not compile on this machine:\n" + outcome.output, headers(),
                "install clang and libstdc++-dev; run kgtrain doctor", Error::Kind::kEnvironment);
  take_compiled(work_.compile() / name, installed_.precompiled / name, 0644);
}

JobOutcome Toolchain::run(std::vector<std::string> command, const Allowance& allowance, Job::Kind kind) {
  const proto::ResourceLimits& limits = allowance.limits;
  Job job;
  job.kind = kind;
  job.command = std::move(command);
  job.cpu_seconds = static_cast<std::uint32_t>(std::ceil(limits.compile_seconds())) + 1;
  job.memory_bytes = limits.compile_memory_bytes();
  job.file_bytes = limits.file_bytes();
  job.processes = limits.processes();
  return cell_->run(job, {}, {limits.compile_seconds(), limits.output_bytes(), /*result_bytes=*/0, allowance.owner});
}

CompileOutcome Toolchain::judged(const JobOutcome& outcome, const proto::ResourceLimits& limits) const {
  return judge_compiler(outcome,
                        readable_diagnostics(outcome.output, cell_->path(work_.compile()),
                                             cell_->path(installed_.headers()), installed_.forms),
                        limits, installed_.compiler.string(), work_);
}

void Toolchain::write(const std::string& path, const std::string& content) const {
  const fs::path file = work_.compile() / path;
  for (fs::path folder = fs::path(path).parent_path(); !folder.empty(); folder = folder.parent_path()) {
    fs::create_directories(work_.compile() / folder);
    ::chmod((work_.compile() / folder).c_str(), 0755);
  }
  write_file_atomically(file, content);
  ::chmod(file.c_str(), 0644);
}

CompileOutcome Toolchain::compile_kernel(const Kernel& kernel, const Allowance& allowance) {
  if (kernel.wants_header && !kernel.wants_tiling)
    if (const auto warm = compile_warm(allowance)) {
      const CompileOutcome outcome = object_checked(*warm, kernel.sources);
      if (outcome.compiled) take_compiled(work_.compile() / kMadeObject, work_.kernel() / kernel.object, 0644);
      // Otherwise said by the plain compiler below, which also tells a broken header from a broken kernel.
      if (warm->compiled || !blames_the_compiler(outcome.output)) return outcome;
    }
  CompileOutcome outcome = object_checked(compile_cold(kernel, allowance), kernel.sources);
  if (outcome.compiled)
    take_compiled(work_.compile() / kMadeObject, work_.kernel() / kernel.object, 0644);
  else if (blames_the_compiler(outcome.output))
    require_precompiled_header(allowance);
  return outcome;
}

// Compiled by the cell's own clang. Nothing if it has none that is ready.
std::optional<CompileOutcome> Toolchain::compile_warm(const Allowance& allowance) {
  if (!warm_) return std::nullopt;
  // clang leaves out an include folder that is not there when it gets ready.
  fs::create_directories(work_.compile() / kKernelFolder);
  const JobOutcome outcome = run(kernel_command({.wants_header = true}), allowance, Job::Kind::kCompile);
  if (outcome.end.start_error == ENOEXEC) {
    spdlog::info("the warm compiler is not from {}; each kernel starts that one", installed_.compiler.string());
    warm_ = false;
    return std::nullopt;
  }
  // Leave a crash to the plain compiler: it shows whether the kernel, the header or the host is to blame.
  const int status = outcome.end.wait_status;
  const bool ordinary =
      WIFEXITED(status) ? WEXITSTATUS(status) <= 1 : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  const bool out_of_time =
      outcome.timed_out || outcome.end.cpu_microseconds >= allowance.limits.compile_seconds() * 1e6;
  if (!ordinary && !out_of_time && !outcome.owner_gone && outcome.cell_lost.empty()) return std::nullopt;
  return judged(outcome, allowance.limits);
}

CompileOutcome Toolchain::compile_cold(const Kernel& kernel, const Allowance& allowance) {
  std::vector<std::string> command = kernel_command(kernel);
  append(command, {"-c", "kernel.cpp", "-o", kMadeObject});
  return judged(run(std::move(command), allowance), allowance.limits);
}

// After a message that blames the compiler: is something broken here, or does the kernel only make it look so?
void Toolchain::require_precompiled_header(const Allowance& allowance) {
  clear();
  write("kernel.cpp", "#include \"kernel_operator.h\"\n");
  if (const CompileOutcome outcome = compile_cold({.wants_header = true}, allowance); !outcome.compiled) {
    fs::remove(installed_.precompiled / kPrecompiledName);  // the next sandbox makes it again
    throw Error("the compiler or its precompiled header is broken:\n" + outcome.output, installed_.precompiled.string(),
                "try again: it will be rebuilt", Error::Kind::kEnvironment);
  }
}

CompileOutcome Toolchain::object_checked(CompileOutcome outcome, const Sources& sources) const {
  if (!outcome.compiled) return outcome;
  const std::string errors = object_errors(read_file(work_.compile() / kMadeObject), sources);
  outcome.compiled = errors.empty();
  outcome.output += errors;
  return outcome;
}

CompileOutcome Toolchain::compile_plain(bool wants_tiling, const Allowance& allowance) {
  std::vector<std::string> command = plain_command(wants_tiling);
  if (!wants_tiling) append(command, {"-include-pch", cell_->path(installed_.precompiled / kPlainPrecompiledName)});
  append(command, {"-c", "kernel.cpp", "-o", "kernel.o"});
  return judged(run(std::move(command), allowance), allowance.limits);
}

CompileOutcome Toolchain::compile_host(const std::string& source, const std::string& object, bool wants_header,
                                       const Allowance& allowance) {
  std::vector<std::string> command = host_command();
  if (wants_header) append(command, {"-include-pch", cell_->path(installed_.precompiled / kHostPrecompiledName)});
  append(command, {"-I.", "-Iop_host", "-Iop_kernel", "-c", source, "-o", object});
  return judged(run(std::move(command), allowance), allowance.limits);
}

CompileOutcome Toolchain::link(const std::vector<std::string>& objects, Unwinding unwinding,
                               const std::string& shared_object, const Allowance& allowance) {
  std::vector<std::string> command = {installed_.linker.string(), "-shared"};
  if (unwinding == Unwinding::kExceptions) command.push_back("--eh-frame-hdr");
  append(command, objects);
  append(command, {"-o", kMadeSharedObject});
  const CompileOutcome outcome = judged(run(std::move(command), allowance), allowance.limits);
  if (outcome.compiled) take_compiled(work_.compile() / kMadeSharedObject, work_.kernel() / shared_object, 0755);
  return outcome;
}

}  // namespace kg::sandbox
