#include "sandbox/toolchain.h"

#include <signal.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "npu/checks/language.h"
#include "npu/checks/object_check.h"
#include "npu/launch/device.h"
#include "sandbox/diagnostics.h"
#include "sandbox/direct_launch.h"
#include "sandbox/find_tools.h"
#include "sandbox/limits.h"
#include "sandbox/source_lines.h"

namespace kg::sandbox {
namespace {

constexpr const char* kWorkInside = "/work";
constexpr const char* kHeadersInside = "/kgtrain/include";
constexpr const char* kPrecompiledInside = "/kgtrain/precompiled";
constexpr const char* kPassInside = "/kgtrain/kgtrain-pointer-accesses.so";
constexpr const char* kSharedObject = "kernel.so";
constexpr const char* kPrecompiledSource = "precompiled.h";
constexpr const char* kPrecompiledName = "kernel_operator.pch";
constexpr const char* kHostHeader = "host/register/op_def_registry.h";
constexpr const char* kHostPrecompiledName = "op_def_registry.pch";
constexpr double kHeaderSeconds = 300;  // made once, perhaps by several sandboxes of a loaded host

// Instantiating the header's templates while it is precompiled takes a kernel from 190 ms to 55 ms.
const std::vector<std::string> kOwnFlags = {
    "-fPIC",   "-fpch-instantiate-templates", "-fno-color-diagnostics", "-fno-crash-diagnostics", "-ferror-limit=20",
    "-Xclang", "-fno-pch-timestamp"};

const std::vector<std::string> kHostFlags = {"--driver-mode=g++",
                                             "-std=gnu++17",
                                             "-O1",
                                             "-fPIC",
                                             "-Wno-everything",
                                             "-fno-color-diagnostics",
                                             "-fno-crash-diagnostics",
                                             "-fno-caret-diagnostics",
                                             "-ferror-limit=8",
                                             "-Xclang",
                                             "-fno-pch-timestamp"};

// The file that includes a project's kernel is ours.
constexpr const char* kGenerated = "from op_host";

std::string without_generated_lines(const std::string& output) {
  std::string text;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size() - 1) + 1;
    const std::string line = output.substr(begin, end - begin);
    if (!line.starts_with(std::string("In file included from ") + kGenerated))
      text += line.starts_with("./") ? line.substr(2) : line;
    begin = end;
  }
  return text;
}

// What the start-up files of the C library define for a shared object; the loader of a host side never unloads it.
constexpr const char* kHostStart =
    "extern \"C\" __attribute__((visibility(\"hidden\"))) void* __dso_handle;\nvoid* __dso_handle = &__dso_handle;\n";

std::string content_key(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files)
    all += file.lexically_relative(folder).string() + ' ' + hash128_hex_of_file(file) + '\n';
  return hash128_hex(all);
}

std::string identity(const fs::path& program) {
  struct stat info{};
  ::stat(program.c_str(), &info);
  return program.string() + ' ' + std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtime);
}

CellSpec compiler_cell(const WorkFolder& work, const fs::path& compiler, const fs::path& linker,
                       const fs::path& headers, const fs::path& precompiled, const fs::path& warm_compiler,
                       const fs::path& pass) {
  CellSpec spec;
  spec.program = warm_compiler;
  spec.folder = kWorkInside;
  // What the compiler needs of the host: its own files, system headers, libraries.
  add_system_libraries(spec);
  if (fs::is_directory("/usr/include")) spec.mounts.push_back({"/usr/include", "/usr/include"});
  for (const fs::path& program : {compiler, linker}) {
    // A compiler outside /usr lies with its headers and libraries in <prefix>/bin, <prefix>/lib.
    if (!program.string().starts_with("/usr/")) {
      const fs::path prefix = program.parent_path().parent_path();
      if (prefix != "/") spec.mounts.push_back({prefix, prefix});
    } else if (!program.string().starts_with("/usr/lib/")) {
      spec.mounts.push_back({program, program});
    }
  }
  if (!pass.empty()) spec.mounts.push_back({pass, kPassInside});
  spec.mounts.push_back({headers, kHeadersInside});
  spec.mounts.push_back({precompiled, kPrecompiledInside});
  spec.mounts.push_back({work.compile(), kWorkInside, /*writable=*/true});
  return spec;
}

// Compilers see a copy, so that editing or updating the headers does not disturb a run; readable by the cell's user
// whatever the mask was.
void copy_headers(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  for (const auto& entry : fs::recursive_directory_iterator(to))
    ::chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644);
  for (const fs::path& folder : {to, to.parent_path()}) ::chmod(folder.c_str(), 0755);
}

}  // namespace

void take_compiled(const fs::path& made, const fs::path& to, mode_t mode) {
  struct stat info{};
  if (::lstat(made.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    throw Error("the compiler left no file", made.string(), "run kgtrain doctor", Error::Kind::kFailed);
  const fs::path temporary = to.string() + ".tmp" + std::to_string(::getpid());
  std::error_code error;
  fs::copy_file(made, temporary, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(temporary, to, error);
  if (error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Error("cannot keep a compiled file: " + error.message(), to.string(), "free disk space",
                Error::Kind::kEnvironment);
  }
  ::chmod(to.c_str(), mode);
}

Toolchain::Toolchain(Isolation isolation, const WorkFolder& work, fs::path cache)
    : work_(work),
      compiler_(find_compiler()),
      linker_(find_linker()),
      headers_(header_folder()),
      pass_(find_pointer_pass(compiler_)) {
  if (compiler_.empty())
    throw Error("no clang++ on this machine", "PATH", "apt-get install clang, or set KGTRAIN_CLANG",
                Error::Kind::kEnvironment);
  if (linker_.empty())
    throw Error("no linker on this machine", "PATH", "apt-get install binutils, or set KGTRAIN_LINKER",
                Error::Kind::kEnvironment);
  std::string all = identity(compiler_) + '\n' + identity(linker_) + '\n' + content_key(headers_) + '\n' +
                    (pass_.empty() ? "" : identity(pass_)) + '\n';
  all += isolation == Isolation::kLess ? cache.string() : kHeadersInside;
  for (const std::string& flag : npu::compile_flags("include", "compiler")) all += '\n' + flag;
  for (const std::string& flag : kOwnFlags) all += '\n' + flag;
  for (const std::string& flag : kHostFlags) all += '\n' + flag;
  all += '\n' + npu::precompiled_source(headers_);
  key_ = hash128_hex(all);
  precompiled_ = cache / "toolchain" / key_;
  const fs::path sources = std::exchange(headers_, precompiled_ / "include");
  std::error_code error;
  fs::create_directories(headers_, error);
  if (error)
    throw Error("cannot make the folder: " + error.message(), precompiled_.string(),
                "set KGTRAIN_HOME to a writable folder", Error::Kind::kEnvironment);
  const fs::path warm = find_warm_compiler();
  warm_ = !warm.empty();
  cell_ =
      std::make_unique<Cell>(isolation, compiler_cell(work, compiler_, linker_, headers_, precompiled_, warm, pass_));
  make_precompiled_headers(sources);
  forms_ = npu::read_call_forms(headers_.string());
}

std::vector<std::string> Toolchain::compiler_command() const {
  std::vector<std::string> command = {compiler_.string(), "--driver-mode=g++"};
  for (const std::string& flag : npu::compile_flags(cell_->path(headers_), npu::compiler_headers(compiler_)))
    command.push_back(flag);
  command.insert(command.end(), kOwnFlags.begin(), kOwnFlags.end());
  if (!pass_.empty())
    for (const std::string& flag : npu::pass_flags(cell_->path(pass_))) command.push_back(flag);
  return command;
}

std::vector<std::string> Toolchain::host_compiler_command() const {
  std::vector<std::string> command = {compiler_.string()};
  command.insert(command.end(), kHostFlags.begin(), kHostFlags.end());
  command.push_back("-I" + cell_->path(headers_ / "host"));
  return command;
}

void Toolchain::make_precompiled_headers(const fs::path& sources) {
  if (fs::exists(precompiled_ / kPrecompiledName) && fs::exists(precompiled_ / kHostPrecompiledName)) return;
  const WaitingLock lock(precompiled_.string() + ".lock");
  if (fs::exists(precompiled_ / kPrecompiledName) && fs::exists(precompiled_ / kHostPrecompiledName)) return;
  copy_headers(sources, headers_);
  write_file_atomically(headers_ / kPrecompiledSource, npu::precompiled_source(sources));
  ::chmod((headers_ / kPrecompiledSource).c_str(), 0644);
  auto command = compiler_command();
  for (const std::string& flag : npu::precompile_flags()) command.push_back(flag);
  make_precompiled_header(std::move(command), kPrecompiledSource, kPrecompiledName);
  command = host_compiler_command();
  for (const char* flag : {"-x", "c++-header"}) command.push_back(flag);
  make_precompiled_header(std::move(command), kHostHeader, kHostPrecompiledName);
}

void Toolchain::make_precompiled_header(std::vector<std::string> command, const fs::path& header, const char* name) {
  auto limits = with_default_limits({});
  limits.set_compile_seconds(kHeaderSeconds);
  limits.set_file_bytes(1ull << 30);
  for (const std::string& word : {cell_->path(headers_ / header), std::string("-o"), std::string(name)})
    command.push_back(word);
  const CompileOutcome outcome = judged(run(std::move(command), limits, /*owner=*/-1), limits);
  if (!outcome.compiled)
    throw Error(header.string() + " does not compile on this machine:\n" + outcome.output, headers_.string(),
                "install clang and libstdc++-dev; run kgtrain doctor", Error::Kind::kEnvironment);
  take_compiled(work_.compile() / name, precompiled_ / name, 0644);
}

JobOutcome Toolchain::run(std::vector<std::string> command, const proto::ResourceLimits& limits, int owner,
                          Job::Kind kind) {
  Job job;
  job.kind = kind;
  job.command = std::move(command);
  job.cpu_seconds = static_cast<std::uint32_t>(std::ceil(limits.compile_seconds())) + 1;
  job.memory_bytes = limits.compile_memory_bytes();
  job.file_bytes = limits.file_bytes();
  job.processes = limits.processes();
  return cell_->run(job, {}, {limits.compile_seconds(), limits.output_bytes(), /*result_bytes=*/0, owner});
}

CompileOutcome Toolchain::judged(const JobOutcome& outcome, const proto::ResourceLimits& limits) const {
  const auto fault = [](const std::string& what) {
    return Error(what, "compiling a kernel", "run kgtrain doctor", Error::Kind::kEnvironment);
  };
  if (outcome.owner_gone) throw fault("the caller has gone");
  if (!outcome.cell_lost.empty()) throw fault("the compiler's cell was lost: " + outcome.cell_lost);
  if (outcome.end.start_error != 0)
    throw fault("cannot start " + compiler_.string() + ": " + std::strerror(outcome.end.start_error));

  CompileOutcome judged;
  judged.output = readable_diagnostics(outcome.output, cell_->path(work_.compile()), cell_->path(headers_), forms_);
  if (outcome.output_truncated) judged.output += "\n[output cut off]\n";
  const int status = outcome.end.wait_status;
  if (!outcome.timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    judged.compiled = true;
    return judged;
  }
  if (outcome.host_was_busy) throw fault(outcome.starved("the compiler"));
  // A compiler that cannot write also says so by an ordinary error.
  if (const std::string why = work_.write_failure(); !why.empty()) throw fault(why);
  std::string reason;
  const bool out_of_time = outcome.end.cpu_microseconds >= limits.compile_seconds() * 1e6;
  if (outcome.timed_out || (!WIFEXITED(status) && out_of_time))
    reason = "the compiler was stopped at the time limit of " + fmt::format("{:g}", limits.compile_seconds()) + " s";
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    throw fault("the compiler was killed by the host");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
    reason = "the compiled file is larger than the limit of " + std::to_string(limits.file_bytes()) + " bytes";
  else if (WIFSIGNALED(status) || WEXITSTATUS(status) > 1)
    reason =
        "the compiler crashed or ran out of its memory of " + std::to_string(limits.compile_memory_bytes()) + " bytes";
  if (!reason.empty())
    judged.output +=
        (judged.output.empty() || judged.output.back() == '\n' ? "" : "\n") + ("kernel.cpp: " + reason + "\n");
  return judged;
}

void Toolchain::write_source(const std::string& path, const std::string& content) const {
  const fs::path file = work_.compile() / path;
  for (fs::path folder = fs::path(path).parent_path(); !folder.empty(); folder = folder.parent_path()) {
    fs::create_directories(work_.compile() / folder);
    ::chmod((work_.compile() / folder).c_str(), 0755);
  }
  write_file_atomically(file, content);
  ::chmod(file.c_str(), 0644);
}

// Compiled and linked by the cell's own clang. Nothing if it has none that is ready.
std::optional<CompileOutcome> Toolchain::compile_warm(const proto::ResourceLimits& limits, int owner) {
  if (!warm_) return std::nullopt;
  auto command = compiler_command();
  for (const std::string& word : {std::string("-include-pch"), cell_->path(precompiled_ / kPrecompiledName)})
    command.push_back(word);
  const JobOutcome outcome = run(std::move(command), limits, owner, Job::Kind::kCompile);
  if (outcome.end.start_error == ENOEXEC) {
    spdlog::info("the warm compiler is not of {}; each kernel starts that", compiler_.string());
    warm_ = false;
    return std::nullopt;
  }
  // A crash is left to the plain compiler: it says whether the kernel, the header or the host is to blame.
  const int status = outcome.end.wait_status;
  const bool ordinary =
      WIFEXITED(status) ? WEXITSTATUS(status) <= 1 : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  const bool out_of_time = outcome.timed_out || outcome.end.cpu_microseconds >= limits.compile_seconds() * 1e6;
  if (!ordinary && !out_of_time && !outcome.owner_gone && outcome.cell_lost.empty()) return std::nullopt;
  return judged(outcome, limits);
}

// A source that forgets the header must fail as on the device, so it is put in front only where the source asks for it.
CompileOutcome Toolchain::compile_file(bool wants_header, const std::vector<std::string>& folders,
                                       const proto::ResourceLimits& limits, int owner) {
  auto command = compiler_command();
  if (wants_header)
    for (const std::string& word : {std::string("-include-pch"), cell_->path(precompiled_ / kPrecompiledName)})
      command.push_back(word);
  for (const std::string& folder : folders) command.push_back("-I" + folder);
  for (const char* word : {"-c", "kernel.cpp", "-o", "kernel.o"}) command.push_back(word);
  return judged(run(std::move(command), limits, owner), limits);
}

// After a message that blames the compiler: is something broken here, or does the kernel only make it look so?
void Toolchain::require_precompiled_header(const proto::ResourceLimits& limits, int owner) {
  const std::string probe = "#include \"kernel_operator.h\"\n";
  work_.clear_compile();
  write_source("kernel.cpp", probe);
  if (const CompileOutcome outcome = compile_file(/*wants_header=*/true, {}, limits, owner); !outcome.compiled) {
    fs::remove(precompiled_ / kPrecompiledName);  // the next sandbox makes it again
    throw Error("the compiler or its precompiled header is broken:\n" + outcome.output, precompiled_.string(),
                "try again: it is made anew", Error::Kind::kEnvironment);
  }
}

CompileOutcome Toolchain::compile(const std::string& source, const std::string& entry_point,
                                  const proto::ResourceLimits& limits, int owner) {
  if (launches_directly(source)) return compile_direct(source, entry_point, limits, owner);
  const npu::Sources sources = {{"kernel.cpp", source}};
  if (const std::string errors = npu::source_errors(sources, headers_.string()); !errors.empty())
    return {false, errors};
  const bool both = npu::has_cube_half(source);
  const auto half = [&](npu::CoreType type, const std::string& shared_object) {
    work_.clear_compile();
    write_source("kernel.cpp",
                 npu::prologue(type, both) + npu::adapted_source(source) + "\n" + npu::epilogue(entry_point));
    return compile_and_link(npu::includes_our_header(source, headers_.string()), {}, sources, shared_object, limits,
                            owner);
  };
  return compile_halves(both, half);
}

CompileOutcome Toolchain::compile_kernel(const Project& project, const std::string& name, const std::string& prologue,
                                         const proto::ResourceLimits& limits, int owner) {
  npu::Sources sources;
  for (const Project::File& file : project.files)
    if (file.path.find("op_kernel") != std::string::npos) sources.push_back({file.path, file.content});
  sources.push_back({kGenerated, prologue});  // written by the process in which the host side ran
  if (const std::string errors = npu::source_errors(sources, headers_.string()); !errors.empty())
    return {false, errors};
  const bool both = has_cube_half(project);
  const bool wants_header = std::any_of(sources.begin(), sources.end(), [&](const npu::Source& source) {
    return npu::includes_our_header(source.text, headers_.string());
  });
  // The host side's prologue says which of its instances a template is launched as.
  const bool is_template = prologue.find("#define KG_TEMPLATE_ARGUMENTS") != std::string::npos;
  const std::string entry = name + (is_template ? " KG_TEMPLATE_ARGUMENTS" : "");
  const auto half = [&](npu::CoreType type, const std::string& shared_object) {
    work_.clear_compile();
    for (std::size_t i = 0; i < project.files.size(); ++i)
      write_source(project.files[i].path, numbered_source(project, i, npu::adapted_source(project.files[i].content)));
    write_source("kernel.cpp", npu::prologue(type, both) + "#line 1 \"" + kGenerated + "\"\n" + prologue +
                                   registered_tiling(project) + "#include \"" + kernel_file(project, name) + "\"\n" +
                                   npu::epilogue(entry) + (is_template ? "KG_TEMPLATE_KEY\n" : ""));
    CompileOutcome outcome = compile_and_link(wants_header, {".", "op_kernel"}, sources, shared_object, limits, owner);
    outcome.output = with_own_lines(without_generated_lines(outcome.output));
    return outcome;
  };
  return compile_halves(both, half);
}

CompileOutcome Toolchain::compile_halves(bool both, const CompileHalf& half) {
  CompileOutcome outcome = half(npu::CoreType::kVector, kSharedObject);
  if (!outcome.compiled || !both) return outcome;
  const CompileOutcome cube = half(npu::CoreType::kCube, npu::cube_half(kSharedObject));
  if (cube.output != outcome.output) outcome.output += cube.output;
  outcome.compiled = cube.compiled;
  return outcome;
}

CompileOutcome Toolchain::compile_and_link(bool wants_header, const std::vector<std::string>& folders,
                                           const npu::Sources& sources, const std::string& shared_object,
                                           const proto::ResourceLimits& limits, int owner) {
  if (wants_header && folders.empty())
    if (const auto warm = compile_warm(limits, owner)) {
      const CompileOutcome outcome = object_checked(*warm, sources);
      if (outcome.compiled) take_compiled(work_.compile() / "kernel.so", work_.kernel() / shared_object, 0755);
      // Otherwise said by the plain compiler below, which also tells a broken header from a broken kernel.
      if (warm->compiled || !blames_the_compiler(outcome.output)) return outcome;
    }
  const CompileOutcome outcome = object_checked(compile_file(wants_header, folders, limits, owner), sources);
  if (outcome.compiled) return link(outcome, shared_object, limits, owner);
  if (blames_the_compiler(outcome.output)) require_precompiled_header(limits, owner);
  return outcome;
}

// What of the device's language only the object shows.
CompileOutcome Toolchain::object_checked(CompileOutcome outcome, const npu::Sources& sources) const {
  if (!outcome.compiled) return outcome;
  const std::string errors = npu::object_errors(read_file(work_.compile() / "kernel.o"), sources);
  outcome.compiled = errors.empty();
  outcome.output += errors;
  return outcome;
}

CompileOutcome Toolchain::compile_direct(const std::string& source, const std::string& entry_point,
                                         const proto::ResourceLimits& limits, int owner) {
  DirectLaunch direct;
  try {
    direct = read_direct_launch(source, entry_point);
  } catch (const Error& error) {
    return {false, error.full_message() + "\n"};
  }
  const npu::Sources sources = {{"kernel.cpp", source}};
  if (const std::string errors = npu::source_errors(sources, headers_.string()); !errors.empty())
    return {false, errors};
  const std::string text = npu::direct_prologue() + npu::adapted_source(direct.source) + "\n";
  work_.clear_compile();
  write_source("kernel.cpp", text);
  const CompileOutcome device = compile_and_link(/*wants_header=*/true, {}, sources, kSharedObject, limits, owner);
  if (!device.compiled) return device;
  write_source("kernel.cpp", text + npu::host_function_epilogue(direct.host_function) + kHostStart);
  std::vector<std::string> command = {compiler_.string(), "--driver-mode=g++"};
  for (const std::string& flag : npu::plain_flags(cell_->path(headers_))) command.push_back(flag);
  for (const char* word : {"-c", "kernel.cpp", "-o", "kernel.o"}) command.push_back(word);
  const CompileOutcome host = judged(run(std::move(command), limits, owner), limits);
  return host.compiled ? link(host, npu::host_function_object(kSharedObject), limits, owner) : host;
}

CompileOutcome Toolchain::link(const CompileOutcome& compiled, const std::string& shared_object,
                               const proto::ResourceLimits& limits, int owner) {
  CompileOutcome outcome = compiled;
  const CompileOutcome linked =
      judged(run({linker_.string(), "-shared", "kernel.o", "-o", "kernel.so"}, limits, owner), limits);
  outcome.output += linked.output;
  outcome.compiled = linked.compiled;
  if (outcome.compiled) take_compiled(work_.compile() / "kernel.so", work_.kernel() / shared_object, 0755);
  return outcome;
}

CompileOutcome Toolchain::compile_host(const Project& project, const proto::ResourceLimits& limits, int owner) {
  work_.clear_compile();
  for (const Project::File& file : project.files) write_source(file.path, file.content);
  write_source("kg_start.cpp", kHostStart);
  std::vector<std::string> link = {linker_.string(), "-shared", "--eh-frame-hdr", "-o", "host.so"};
  std::vector<std::string> sources = project.host_sources;
  sources.push_back("kg_start.cpp");
  CompileOutcome all;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string object = "host" + std::to_string(i) + ".o";
    auto command = host_compiler_command();
    if (mentions(project, sources[i], "register/op_def_registry.h"))
      for (const std::string& word : {std::string("-include-pch"), cell_->path(precompiled_ / kHostPrecompiledName)})
        command.push_back(word);
    for (const char* word : {"-I.", "-Iop_host", "-Iop_kernel", "-c"}) command.push_back(word);
    for (const std::string& word : {sources[i], std::string("-o"), object}) command.push_back(word);
    const CompileOutcome one = judged(run(std::move(command), limits, owner), limits);
    all.output += one.output;
    if (!one.compiled) return all;
    link.push_back(object);
  }
  const CompileOutcome linked = judged(run(std::move(link), limits, owner), limits);
  all.output += linked.output;
  all.compiled = linked.compiled;
  if (all.compiled) take_compiled(work_.compile() / "host.so", work_.kernel() / "host.so", 0755);
  return all;
}

}  // namespace kg::sandbox
