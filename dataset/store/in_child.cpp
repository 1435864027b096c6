#include "dataset/store/in_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/child_process.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "dataset/store/hdf5.h"

namespace kg::dataset {
namespace {

constexpr rlim_t kSpareMemory = 4ULL << 30;  // beyond what the parent has mapped

void limit_memory() {
  char text[64] = {};
  const Descriptor file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  if (!file.open() || ::read(file.number(), text, sizeof text - 1) <= 0) return;
  const rlim_t pages = std::strtoull(text, nullptr, 10);
  const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kSpareMemory;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void be_child(const std::function<void(int)>& work, int to) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGTERM, SIGINT})
    ::signal(number, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  limit_memory();
  if (const int nothing = ::open("/dev/null", O_WRONLY); nothing >= 0) ::dup2(nothing, STDERR_FILENO);
  try {
    work(to);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

ChildOutput run_in_child(const std::function<void(int)>& work, double silence_seconds) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno), "reading a data set",
                "close files or raise the limit of descriptors", Error::Kind::kEnvironment);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t child = hdf5::fork_with_library();
  if (child == 0) be_child(work, to.number());
  to.close();
  if (child < 0)
    throw Error(std::string("cannot start a process: ") + std::strerror(errno), "reading a data set",
                "free processes or memory", Error::Kind::kEnvironment);
  ChildOutput output;
  std::string buffer(1 << 16, '\0');
  for (;;) {
    pollfd waiting{from.number(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(silence_seconds * 1000));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      ::kill(child, SIGKILL);
      output.end = "no answer for " + std::to_string(static_cast<int>(silence_seconds)) + " s";
      break;
    }
    const ssize_t n = ::read(from.number(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    output.bytes.append(buffer, 0, static_cast<std::size_t>(n));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  output.ended_well = status == 0 && output.end.empty();
  if (output.end.empty()) output.end = ChildEnd{status}.text();
  return output;
}

}  // namespace kg::dataset
