#include "sandbox/cell/system_call_filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace kg::sandbox {
namespace {

constexpr const char* kComputing[] = {
    // memory (mmap and mprotect have their own rules)
    "brk", "munmap", "mremap", "madvise",
    // descriptors that are already there, and files of the cell, read only (open and openat have their own rules)
    "read", "pread64", "readv", "write", "writev", "lseek", "close", "fstat", "newfstatat", "stat", "lstat", "statx",
    "access", "faccessat", "faccessat2", "getcwd",
    // the process itself, and its end
    "futex", "set_robust_list", "rseq", "gettid", "getpid", "sched_yield", "sched_getaffinity", "exit", "exit_group",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
    // clocks and facts
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "getrandom", "uname", "sysinfo",
    "getuid", "geteuid", "getgid", "getegid"};

// Harmless calls of the C library that must fail politely rather than end the process.
constexpr const char* kRefused[] = {"ioctl",     "readlink",  "readlinkat", "prctl",
                                    "prlimit64", "getrlimit", "getdents64", "getppid"};

constexpr const char* kDangerous[] = {"socket",
                                      "socketpair",
                                      "connect",
                                      "bind",
                                      "listen",
                                      "accept",
                                      "accept4",
                                      "ptrace",
                                      "process_vm_readv",
                                      "process_vm_writev",
                                      "pidfd_open",
                                      "pidfd_getfd",
                                      "pidfd_send_signal",
                                      "mount",
                                      "umount2",
                                      "pivot_root",
                                      "chroot",
                                      "unshare",
                                      "setns",
                                      "move_mount",
                                      "open_tree",
                                      "fsopen",
                                      "fsmount",
                                      "fsconfig",
                                      "mount_setattr",
                                      "bpf",
                                      "perf_event_open",
                                      "userfaultfd",
                                      "keyctl",
                                      "add_key",
                                      "request_key",
                                      "io_uring_setup",
                                      "io_uring_enter",
                                      "io_uring_register",
                                      "kexec_load",
                                      "kexec_file_load",
                                      "init_module",
                                      "finit_module",
                                      "delete_module",
                                      "reboot",
                                      "swapon",
                                      "swapoff",
                                      "syslog",
                                      "quotactl",
                                      "open_by_handle_at",
                                      "name_to_handle_at",
                                      "acct",
                                      "setrlimit",
                                      "iopl",
                                      "ioperm"};

class Filter {
 public:
  explicit Filter(std::uint32_t otherwise) : context_(seccomp_init(otherwise)) {
    require(context_ == nullptr ? -ENOMEM : 0);
  }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // Names that this architecture does not have are passed over.
  void add(const char* name, std::uint32_t action, std::initializer_list<scmp_arg_cmp> when = {}) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number < 0) return;
    require(seccomp_rule_add_array(context_, action, number, static_cast<unsigned>(when.size()),
                                   when.size() == 0 ? nullptr : when.begin()));
  }

  void load() { require(seccomp_load(context_)); }

 private:
  static void require(int status) {
    if (status < 0)
      throw Error(std::string("cannot filter system calls: ") + std::strerror(-status), "seccomp",
                  "use a kernel with CONFIG_SECCOMP_FILTER", Error::Kind::kEnvironment);
  }

  scmp_filter_ctx context_;
};

}  // namespace

void forbid_all_but_computing(Code code) {
  Filter filter(SCMP_ACT_TRAP);
  for (const char* name : kComputing) filter.add(name, SCMP_ACT_ALLOW);
  for (const char* name : {"mmap", "mprotect"})
    if (code == Code::kMayBeLoaded)
      filter.add(name, SCMP_ACT_ALLOW);
    else
      filter.add(name, SCMP_ACT_ALLOW, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
  for (const char* name : kRefused) filter.add(name, SCMP_ACT_ERRNO(EPERM));
  constexpr scmp_datum_t kWrites = O_ACCMODE | O_CREAT | O_TRUNC;
  filter.add("open", SCMP_ACT_ALLOW, {SCMP_A1(SCMP_CMP_MASKED_EQ, kWrites, O_RDONLY)});
  filter.add("openat", SCMP_ACT_ALLOW, {SCMP_A2(SCMP_CMP_MASKED_EQ, kWrites, O_RDONLY)});
  // F_SETSIG and F_SETOWN would let it send itself any signal, SIGKILL among them, which reads as "killed by the host".
  for (const int command : {F_GETFD, F_SETFD, F_GETFL})
    filter.add("fcntl", SCMP_ACT_ALLOW, {SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command))});
  filter.add("tgkill", SCMP_ACT_ALLOW,
             {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid())), SCMP_A2(SCMP_CMP_EQ, SIGABRT)});
  filter.load();
}

void forbid_dangerous_calls() {
  Filter filter(SCMP_ACT_ALLOW);
  for (const char* name : kDangerous) filter.add(name, SCMP_ACT_ERRNO(EPERM));
  filter.load();
}

void forbid_processes() {
  Filter filter(SCMP_ACT_ALLOW);
  for (const char* name : {"fork", "vfork", "memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open"})
    filter.add(name, SCMP_ACT_ERRNO(EPERM));
  filter.add("clone3", SCMP_ACT_ERRNO(ENOSYS));  // its flags are in memory; the C library then falls back to clone
  filter.add("clone", SCMP_ACT_ERRNO(EPERM), {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
  filter.load();
}

std::string system_call_name(int number) {
  char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
  const std::string text = name != nullptr ? name : "number " + std::to_string(number);
  std::free(name);
  return text;
}

}  // namespace kg::sandbox
