#include "sandbox/pytorch/module_host.h"

#include <signal.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/hash.h"
#include "base/program_data.h"
#include "proto/json_frame.h"
#include "sandbox/cell/limits.h"
#include "sandbox/compiler/find_tools.h"

namespace kg::sandbox {
namespace {

constexpr const char* kScriptsInside = "/kgtrain/pytorch";
constexpr const char* kFramesInside = "/kgtrain/python/json_frame.py";
constexpr const char* kPrecompiledInside = "/kgtrain/precompiled";
constexpr const char* kWorkInside = "/kgtrain/work";
constexpr const char* kKernelsInside = "/kgtrain/kernel";
constexpr const char* kPrecompiledName = "helper.pch";
constexpr const char* kModule = "custom_ops_lib";

// PyTorch's headers take a compiler many times as long as a kernel does.
constexpr double kCompileSeconds = 180;
constexpr std::uint64_t kCompileMemory = 6ull << 30;
constexpr std::uint64_t kLargestFile = 1ull << 30;
// PyTorch maps gigabytes of libraries; a module also holds copies of its tensors, and its weights.
constexpr std::uint64_t kModuleMemory = 24ull << 30;
constexpr std::uint64_t kTensorCopies = 6;
constexpr std::uint32_t kThreads = 256;

CellSpec python_cell(const Python& python, const fs::path& scripts) {
  CellSpec spec = cell_with_python(python);
  spec.mounts.push_back({scripts, kScriptsInside});
  return spec;
}

Error host_fault(const std::string& what, const std::string& where) {
  return Error(what, where, "run kgtrain doctor", Error::Kind::kEnvironment);
}

}  // namespace

ModuleHost::ModuleHost(Isolation isolation, const WorkFolder& work, const fs::path& cache, const std::string& python)
    : work_(work),
      python_(find_python(python)),
      compiler_(find_compiler()),
      linker_(find_linker()),
      scripts_(program_data("pytorch", "sandbox/pytorch", "include/pytorch_npu_helper.hpp")),
      frames_(fs::path(proto::json_frame_folder()) / "json_frame.py") {
  if (compiler_.empty() || linker_.empty()) throw host_fault("no clang++ or no linker on this machine", "PATH");
  key_ = hash128_hex(compiler_.string() + python_.version + python_.libraries.string() +
                     hash128_hex_of_file(scripts_ / "include/pytorch_npu_helper.hpp") +
                     (isolation == Isolation::kLess ? cache.string() : ""));
  precompiled_ = cache / "pytorch" / key_;
  fs::create_directories(precompiled_);
  for (const fs::path& folder : {precompiled_, precompiled_.parent_path()}) ::chmod(folder.c_str(), 0755);
  CellSpec modules = python_cell(python_, scripts_), compilers = modules;
  modules.mounts.push_back({work_.kernel(), kKernelsInside});
  modules.mounts.push_back({frames_, kFramesInside});
  // PyTorch asks for a first seed before it is given one, and accepts a refusal: it is the same every time.
  write_file_atomically(precompiled_ / "urandom", std::string(4096, '7'));
  ::chmod((precompiled_ / "urandom").c_str(), 0644);
  modules.mounts.push_back({precompiled_ / "urandom", "/dev/urandom"});
  modules_ = std::make_unique<Cell>(isolation, std::move(modules));
  compilers.folder = kWorkInside;
  compilers.mounts.push_back({"/usr/include", "/usr/include"});
  for (const fs::path& program : {compiler_, linker_}) {
    const fs::path prefix = program.parent_path().parent_path();
    if (program.string().starts_with("/usr/lib/")) continue;
    const bool apart = !program.string().starts_with("/usr/");
    compilers.mounts.push_back(apart ? Mount{prefix, prefix} : Mount{program, program});
  }
  compilers.mounts.push_back({precompiled_, kPrecompiledInside});
  compilers.mounts.push_back({work_.compile(), kWorkInside, /*writable=*/true});
  compilers_ = std::make_unique<Cell>(isolation, std::move(compilers));
}

CompileOutcome ModuleHost::compile(std::vector<std::string> words, int owner) {
  Job job;
  job.kind = Job::Kind::kCommand;
  job.command = {compiler_.string(), "--driver-mode=g++"};
  for (const std::string& include : python_.includes) job.command.push_back("-I" + include);
  job.command.push_back("-I" + compilers_->path(scripts_ / "include"));
  for (const char* flag : {"-std=c++17", "-O0", "-fPIC", "-w", "-fno-caret-diagnostics", "-D_GLIBCXX_USE_CXX11_ABI=1"})
    job.command.push_back(flag);
  job.command.push_back(fmt::format("-DTORCH_EXTENSION_NAME={}", kModule));
  job.command.insert(job.command.end(), words.begin(), words.end());
  job.cpu_seconds = static_cast<std::uint32_t>(kCompileSeconds) + 1;
  job.memory_bytes = kCompileMemory;
  job.file_bytes = kLargestFile;
  job.processes = kThreads;
  const auto limits = with_default_limits({});
  const JobOutcome outcome =
      compilers_->run(job, {}, {.seconds = kCompileSeconds, .output_bytes = limits.output_bytes(), .owner = owner});
  if (outcome.owner_gone) throw host_fault("the caller is gone", "compiling a binding");
  if (!outcome.cell_lost.empty())
    throw host_fault("the compiler's cell was lost: " + outcome.cell_lost, "compiling a binding");
  if (outcome.end.start_error != 0)
    throw host_fault("cannot start " + compiler_.string() + ": " + std::strerror(outcome.end.start_error),
                     "compiling a binding");
  if (outcome.host_was_busy) throw host_fault(outcome.starved("the compiler"), "compiling a binding");
  const int status = outcome.end.wait_status;
  CompileOutcome made{!outcome.timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0, outcome.output};
  if (made.compiled) return made;
  if (const std::string why = work_.write_failure(); !why.empty()) throw host_fault(why, "compiling a binding");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !outcome.timed_out)
    throw host_fault("the compiler was killed by the host", "compiling a binding");
  if (outcome.timed_out) made.output += "the compiler was stopped at the time limit of a binding\n";
  if (made.output.empty()) made.output = "the compiler ended without a message\n";
  return made;
}

void ModuleHost::make_precompiled_header() {
  if (fs::exists(precompiled_ / kPrecompiledName)) return;
  work_.clear_compile();
  const CompileOutcome outcome = compile(
      {"-x", "c++-header", compilers_->path(scripts_ / "include/pytorch_npu_helper.hpp"), "-o", kPrecompiledName}, -1);
  if (!outcome.compiled)
    throw Error("PyTorch's headers do not compile on this machine:\n" + outcome.output, python_.program,
                "install clang, libstdc++-dev and python3-dev", Error::Kind::kEnvironment);
  take_compiled(work_.compile() / kPrecompiledName, precompiled_ / kPrecompiledName, 0644);
}

CompileOutcome ModuleHost::compile_binding(const std::string& source, int owner) {
  make_precompiled_header();
  work_.clear_compile();
  write_file_atomically(work_.compile() / "python_bind_src.cpp", source);
  ::chmod((work_.compile() / "python_bind_src.cpp").c_str(), 0644);
  const std::string library = fmt::format("{}.so", kModule);
  CompileOutcome outcome = compile({"-include-pch", compilers_->path(precompiled_ / kPrecompiledName), "-c",
                                    "python_bind_src.cpp", "-o", "binding.o"},
                                   owner);
  if (!outcome.compiled) return outcome;
  const CompileOutcome linked =
      compile({"-shared", "--ld-path=" + linker_.string(), "binding.o", "-o", library,
               "-L" + python_.libraries.string(), "-Wl,-rpath," + python_.libraries.string(),
               "-Wl,--allow-shlib-undefined", "-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10"},
              owner);
  outcome.output += linked.output;
  outcome.compiled = linked.compiled;
  if (outcome.compiled) take_compiled(work_.compile() / library, work_.kernel() / library, 0755);
  return outcome;
}

JobOutcome ModuleHost::run(std::string_view first_frame, const Allowance& allowance, std::uint64_t tensor_bytes,
                           std::function<std::string(std::string&&)> converse) {
  const proto::ResourceLimits& limits = allowance.limits;
  Job job;
  job.kind = Job::Kind::kModule;
  job.command = {python_.program,
                 "-I",
                 "-B",
                 modules_->path(scripts_ / "module_runner.py"),
                 modules_->path(frames_),
                 modules_->path(work_.kernel())};
  job.cpu_seconds = static_cast<std::uint32_t>(std::ceil(limits.run_seconds())) + 1;
  job.memory_bytes = kModuleMemory + kTensorCopies * tensor_bytes;
  job.file_bytes = limits.file_bytes();
  job.processes = kThreads;
  return modules_->run(job, first_frame,
                       {.seconds = limits.run_seconds(),
                        .output_bytes = limits.output_bytes(),
                        .result_bytes = (1ull << 30) + 4 * tensor_bytes,
                        .owner = allowance.owner,
                        .converse = std::move(converse)});
}

}  // namespace kg::sandbox
