#include "sandbox/cell/case_process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "base/error.h"
#include "npu/host/host_side.h"
#include "npu/launch/host_function.h"
#include "proto/fault.h"

namespace kg::sandbox {
namespace {

std::int32_t* forbidden_call_ = nullptr;

[[noreturn]] void out_of_memory() { ::_exit(kExitOutOfMemory); }

void on_forbidden_call(int, siginfo_t* info, void*) {
  *forbidden_call_ = info->si_syscall;
  ::_exit(kExitForbiddenCall);
}

// A kernel that allocates without end dies at a null pointer from malloc: distinguished from other bad accesses by
// whether any address space is left.
bool address_space_is_used_up() {
  constexpr std::size_t kSome = 32 << 20;
  void* probe = ::mmap(nullptr, kSome, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe != MAP_FAILED) ::munmap(probe, kSome);
  return probe == MAP_FAILED;
}

// While the kernel is loaded; the emulated NPU catches traps itself while it runs.
void on_bad_access(int signal_number, siginfo_t*, void*) {
  if (address_space_is_used_up()) out_of_memory();
  ::signal(signal_number, SIG_DFL);  // and the access is repeated
}

// The message of a host side's, or a host function's, process when their code ends it.
std::string last_words;
int last_words_descriptor = -1;

void on_host_crash(int, siginfo_t*, void*) {
  if (address_space_is_used_up()) out_of_memory();
  write_fully(last_words_descriptor, last_words);
  ::_exit(0);
}

void handle(int signal_number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigaction(signal_number, &action, nullptr);
}

void catch_host_crashes(int result) {
  last_words_descriptor = result;
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle(signal_number, on_host_crash);
}

// A CaseResult, or a LaunchPlan, of nothing but a trap.
template <typename Result>
std::string trap(const std::string& message) {
  Result result;
  add_fault(result, proto::FaultClass::kTrap, message);
  return result.SerializeAsString();
}

}  // namespace

CaseJob::CaseJob(const Job& job, Descriptor& input, int result, std::int32_t* forbidden_call)
    : kind_(job.kind), launch_(job.launch), result_(result) {
  forbidden_call_ = forbidden_call;
  struct stat info{};
  if (::fstat(input.number(), &info) != 0 || info.st_size < 0)
    throw Error("cannot read the case", "inside the cell", "report this", Error::Kind::kFailed);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > 0) {
    void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, input.number(), 0);
    if (bytes == MAP_FAILED || !case_.ParseFromArray(bytes, static_cast<int>(size)))
      throw Error("cannot read the case", "inside the cell", "report this", Error::Kind::kFailed);
    ::munmap(bytes, size);
  }
  input.close();
  static char stack[64 << 10];
  const stack_t alternate{stack, 0, sizeof(stack)};
  ::sigaltstack(&alternate, nullptr);
  handle(SIGSYS, on_forbidden_call);
  handle(SIGSEGV, on_bad_access);
  std::set_new_handler(out_of_memory);
}

std::string CaseJob::run_kernel() {
  const proto::CaseResult result = npu::launch(launch_, case_);
  if (!result.ran() && address_space_is_used_up()) out_of_memory();
  return result.SerializeAsString();
}

std::string CaseJob::run_host() {
  catch_host_crashes(result_);
  return npu::run_host_side(launch_.object, launch_.entry_point, case_,
                            [](const proto::HostPlan& if_it_dies) { last_words = if_it_dies.SerializeAsString(); })
      .SerializeAsString();
}

std::string CaseJob::run_host_function() {
  last_words = trap<proto::LaunchPlan>(
      "the host function was ended by a bad access or an abort; it has the addresses of the device's memory, and "
      "cannot read or write there");
  catch_host_crashes(result_);
  return npu::run_host_function(launch_, case_).SerializeAsString();
}

void CaseJob::run() {
  const auto failed = [this](const std::string& why) {
    return kind_ == Job::Kind::kHostFunction ? trap<proto::LaunchPlan>(why) : trap<proto::CaseResult>(why);
  };
  std::string bytes;
  try {
    bytes = kind_ == Job::Kind::kHost           ? run_host()
            : kind_ == Job::Kind::kHostFunction ? run_host_function()
                                                : run_kernel();
  } catch (const std::bad_alloc&) {
    out_of_memory();
  } catch (const std::exception& error) {
    bytes = failed(error.what());
  } catch (...) {
    bytes = failed("the kernel threw an exception");
  }
  std::fflush(nullptr);
  ::_exit(write_fully(result_, bytes) ? 0 : 1);
}

}  // namespace kg::sandbox
