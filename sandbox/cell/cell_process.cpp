#include "sandbox/cell/cell_process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "sandbox/cell/case_process.h"
#include "sandbox/cell/job.h"
#include "sandbox/cell/system_call_filter.h"

namespace kg::sandbox {
namespace {

constexpr uid_t kNobody = 65534;
constexpr std::size_t kPage = 4096;
constexpr int kModuleResult = STDERR_FILENO + 1;

Error cannot(const std::string& what) {
  return Error(what + ": " + std::strerror(errno), "inside the cell", "run kgtrain-sandbox check",
               Error::Kind::kEnvironment);
}

void drop_root() {
  if (::getuid() == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
        ::setresuid(kNobody, kNobody, kNobody) != 0)
      throw cannot("cannot become an ordinary user");
  }
  if (::getuid() == 0 || ::geteuid() == 0) throw cannot("still root");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw cannot("cannot give up the right to new privileges");
  // Changing the user clears this; without it the cell would outlive a killed owner until it reads from its socket.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 0);
  // Processes left behind by a job are reparented to us and noticed.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void limit(__rlimit_resource resource, std::uint64_t value, std::uint64_t hard) {
  const rlimit bound{value, hard};
  if (::setrlimit(resource, &bound) != 0) throw cannot("cannot set a resource limit");
}

void set_limits(const Job& job) {
  limit(RLIMIT_CORE, 0, 0);
  // The soft limit ends the process by SIGXCPU; a process that ignores it is killed two seconds later.
  limit(RLIMIT_CPU, job.cpu_seconds, job.cpu_seconds + 2);
  limit(RLIMIT_FSIZE, job.file_bytes, job.file_bytes);
  limit(RLIMIT_NOFILE, 64, 64);
#if !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer maps terabytes of shadow
  limit(RLIMIT_AS, job.memory_bytes, job.memory_bytes);
  if (job.data_bytes > 0) limit(RLIMIT_DATA, job.data_bytes, job.data_bytes);
#endif
  if (job.kind == Job::Kind::kCommand || job.kind == Job::Kind::kCompile || job.kind == Job::Kind::kModule)
    limit(RLIMIT_NPROC, job.processes, job.processes);
}

// Memory shared with the job's process. `not_started` is unmapped there before untrusted code runs, so no kernel
// can disguise its own end as a fault of the sandbox; `forbidden_call` only affects the wording of a fault.
struct Shared {
  std::int32_t* not_started;     // errno
  std::int32_t* forbidden_call;  // number, -1: none
};

std::int32_t* shared_page() {
  void* page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw cannot("cannot map memory");
  return static_cast<std::int32_t*>(page);
}

[[noreturn]] void run_command(const Job& job, const Shared& shared) {
  std::vector<char*> arguments;
  for (const std::string& argument : job.command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  char* environment[] = {nullptr};
  ::execve(arguments[0], arguments.data(), environment);
  *shared.not_started = errno;
  ::_exit(kExitNotStarted);
}

[[noreturn]] void do_job(ReceivedJob& received, int control, const Shared& shared, const InProcessCompiler* compiler) {
  ::close(control);
  ::setpgid(0, 0);
  try {
    if (::dup2(received.output.number(), STDOUT_FILENO) < 0 || ::dup2(received.output.number(), STDERR_FILENO) < 0)
      throw cannot("cannot redirect the output");
    received.output.close();
    if (received.job.kind == Job::Kind::kCommand) {
      received.input.close();
      received.result.close();
      set_limits(received.job);
      forbid_dangerous_calls();
      run_command(received.job, shared);
    }
    if (received.job.kind == Job::Kind::kModule) {
      if (::dup2(received.input.number(), STDIN_FILENO) < 0) throw cannot("cannot redirect the input");
      received.input.close();
      if (::dup2(received.result.number(), kModuleResult) < 0 || ::fcntl(kModuleResult, F_SETFD, 0) != 0)
        throw cannot("cannot redirect the result");
      set_limits(received.job);
      forbid_dangerous_calls();
      forbid_processes();
      run_command(received.job, shared);
    }
    if (received.job.kind == Job::Kind::kCompile) {
      received.input.close();
      received.result.close();
      if (compiler == nullptr) {  // none here, or it could not get ready
        *shared.not_started = ENOEXEC;
        ::_exit(kExitNotStarted);
      }
      set_limits(received.job);
      ::munmap(shared.not_started, kPage);
      forbid_dangerous_calls();
      ::_exit(compiler->compile());
    }
    CaseJob prepared(received.job, received.input, received.result.number(), shared.forbidden_call);
    set_limits(received.job);
    ::munmap(shared.not_started, kPage);
    forbid_all_but_computing(received.job.kind == Job::Kind::kCase ? Code::kIsAllThere : Code::kMayBeLoaded);
    prepared.run();
  } catch (const std::exception& error) {
    // Before the untrusted part: the sandbox's own fault.
    *shared.not_started = errno != 0 ? errno : EIO;
    ::dprintf(STDERR_FILENO, "%s\n", error.what());
    ::_exit(kExitNotStarted);
  }
}

// True if no process of the job is left.
bool reap(pid_t group) {
  ::kill(-group, SIGKILL);
  for (int attempt = 0; attempt < 50; ++attempt) {
    const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0 && errno == ECHILD) return true;
    if (reaped == 0) ::poll(nullptr, 0, 2);
  }
  return false;
}

}  // namespace

int run_cell(int control, const InProcessCompiler* compiler) {
  keep_only(control);
  ::clearenv();
  drop_root();
  const Shared shared{shared_page(), shared_page()};
  JobEnd end;
  // The first message reports that the cell is ready.
  if (::send(control, &end, sizeof(end), MSG_NOSIGNAL) < 0) return 0;
  ReceivedJob received;
  while (receive_job(control, received)) {
    *shared.not_started = 0;
    *shared.forbidden_call = -1;
    const bool compiles =
        received.job.kind == Job::Kind::kCompile && compiler != nullptr && compiler->warm(received.job.command);
    const pid_t child = ::fork();
    if (child < 0) throw cannot("cannot fork");
    if (child == 0) do_job(received, control, shared, compiles ? compiler : nullptr);
    received = ReceivedJob{};
    rusage usage{};
    int status = 0;
    while (::wait4(child, &status, 0, &usage) < 0)
      if (errno != EINTR) throw cannot("cannot wait for a job");
    end = JobEnd{};
    end.start_error = *shared.not_started;
    end.system_call = *shared.forbidden_call;
    end.wait_status = status;
    end.cpu_microseconds =
        (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ull + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    end.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    end.leftovers = !reap(child);
    if (::send(control, &end, sizeof(end), MSG_NOSIGNAL) < 0) return 0;
  }
  return 0;
}

}  // namespace kg::sandbox
