#include "attack.h"
#include "tests/joined.h"

namespace kg::sandbox::testing {
namespace {

// A call that nobody has business with: it ends the process, whatever its arguments.
Attack forbidden(const char* name, const char* call, const char* arguments = "0, 0, 0, 0, 0, 0") {
  return {name, std::string("TRY(syscall(SYS_") + call + ", " + arguments + "));", End::kStopped, call};
}

// privileges
std::vector<Attack> privileges() {
  return {
      forbidden("root again", "setuid"),
      forbidden("root again by all three", "setresuid"),
      forbidden("other groups", "setgroups"),
      forbidden("capabilities", "capset"),
      forbidden("own limits", "setrlimit"),
      {"own limits by the newer call",
       "rlimit none = {RLIM_INFINITY, RLIM_INFINITY}; TRY(prlimit(0, RLIMIT_CPU, &none, nullptr));", End::kRefused},
      forbidden("another personality", "personality", "0x0040000"),
      forbidden("another filter", "seccomp", "1, 0, 0"),
      {"new privileges", "TRY(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));", End::kRefused},
      {"calls of the 32-bit kind", "TRY(syscall(0x40000000 + SYS_socket, 2, 1, 0));", End::kStopped, ""},
      forbidden("segment descriptors", "modify_ldt", "0, 0, 0"),
      forbidden("thread pointer", "arch_prctl", "0x1002, 0"),
  };
}

// namespaces and mounts
std::vector<Attack> namespaces() {
  return {
      forbidden("user namespace", "unshare", "0x10000000"),
      forbidden("joins a namespace", "setns", "0, 0"),
      forbidden("mount", "mount", "\"none\", \"/\", \"tmpfs\", 0, 0"),
      forbidden("unmount", "umount2", "\"/kernel\", 2"),
      forbidden("another root", "pivot_root", "\"/\", \"/\""),
      forbidden("chroot", "chroot", "\"/\""),
      {"clone of a mount", "TRY(syscall(428, -100, \"/\", 1));", End::kStopped, "open_tree"},
      {"moved mount", "TRY(syscall(429, 0, \"\", 0, \"\", 0));", End::kStopped, "move_mount"},
      {"new file system", "TRY(syscall(430, \"tmpfs\", 0));", End::kStopped, "fsopen"},
      {"writable mount", "char set[32] = {}; TRY(syscall(442, -100, \"/\", 0, set, sizeof(set)));", End::kStopped,
       "mount_setattr"},
  };
}

// the kernel's interfaces
std::vector<Attack> kernel_interfaces() {
  return {
      forbidden("bpf", "bpf"),
      forbidden("performance counters", "perf_event_open"),
      forbidden("page faults of its own", "userfaultfd"),
      {"ring of calls", "char set[120] = {}; TRY(syscall(425, 8, set));", End::kStopped, "io_uring_setup"},
      forbidden("asynchronous input", "io_setup", "1, 0"),
      forbidden("key ring", "keyctl", "0, -3, 0"),
      forbidden("adds a key", "add_key", "\"user\", \"kgescape\", \"x\", 1, -3"),
      forbidden("requests a key", "request_key", "\"user\", \"kgescape\", \"\", -3"),
      forbidden("module", "init_module"),
      forbidden("module from a file", "finit_module"),
      forbidden("another kernel", "kexec_load"),
      forbidden("reboot", "reboot", "0xfee1dead, 672274793, 0x1234567, 0"),
      forbidden("swap", "swapon", "\"/\", 0"),
      forbidden("kernel log", "syslog", "3, 0, 0"),
      forbidden("accounting", "acct", "\"/\""),
      forbidden("quotas", "quotactl"),
      forbidden("ports of the processor", "iopl", "3"),
      forbidden("one port of the processor", "ioperm", "0x80, 1, 1"),
      forbidden("the host's clock", "settimeofday"),
      forbidden("the host's clock by number", "clock_settime"),
      forbidden("the clock's speed", "adjtimex"),
      forbidden("host name", "sethostname", "\"kgescape\", 8"),
      forbidden("terminal", "vhangup"),
      {"characters into a terminal", "char c = 'x'; TRY(ioctl(1, TIOCSTI, &c));", End::kRefused},
  };
}

// memory that others see
std::vector<Attack> shared_memory() {
  return {
      forbidden("memory file", "memfd_create", "\"kgescape\", 0"),
      {"secret memory", "TRY(syscall(447, 0));", End::kStopped, ""},
      forbidden("shared memory", "shmget", "0x6b67, 4096, 01666"),
      forbidden("somebody's shared memory", "shmat", "0, 0, 0"),
      forbidden("message queue", "msgget", "0x6b67, 01666"),
      forbidden("semaphores", "semget", "0x6b67, 1, 01666"),
      forbidden("named message queue", "mq_open", "\"kgescape\", 0102, 0666, 0"),
      forbidden("pages of another process", "move_pages", "1, 0, 0, 0, 0, 0"),
      forbidden("memory policy", "set_mempolicy", "0, 0, 0"),
      forbidden("memory behind another's back", "process_madvise", "0, 0, 0, 0, 0"),
      forbidden("pages from a pipe", "vmsplice", "1, 0, 0, 0"),
  };
}

}  // namespace

const std::vector<Attack>& system_attacks() {
  static const std::vector<Attack> attacks =
      kg::testing::joined({privileges(), namespaces(), kernel_interfaces(), shared_memory()});
  return attacks;
}

}  // namespace kg::sandbox::testing
