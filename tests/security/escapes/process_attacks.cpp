#include "attack.h"
#include "tests/joined.h"

namespace kg::sandbox::testing {
namespace {

// new processes, and programs in this one
std::vector<Attack> new_processes() {
  return {
      {"fork", "TRY(fork());", End::kStopped, "clone"},
      {"vfork", "TRY(vfork());", End::kStopped, "forbidden system call"},
      {"fork bomb", "for (;;) fork();", End::kStopped, "clone"},
      {"clone into a new process namespace", "TRY(syscall(SYS_clone, 0x20000000 | 17, 0, 0, 0, 0));", End::kStopped,
       "clone"},
      {"clone3", "char arguments[88] = {}; TRY(syscall(435, arguments, sizeof(arguments)));", End::kStopped, "clone3"},
      {"thread", "pthread_t id; TRY(pthread_create(&id, nullptr, endless, nullptr));", End::kStopped,
       "forbidden system call"},
      {"exec", "char* none[] = {nullptr}; TRY(execve(\"/kgtrain/kgtrain-sandbox\", none, none));", End::kStopped,
       "execve"},
      {"exec of a descriptor", "char* none[] = {nullptr}; TRY(syscall(SYS_execveat, 3, \"\", none, none, 0x1000));",
       End::kStopped, "execveat"},
      {"shell", "TRY(system(\"touch /tmp/kgescape\"));", End::kStopped, "forbidden system call"},
      {"popen", "TRY(popen(\"id\", \"r\") != nullptr ? 0 : -1);", End::kStopped, "forbidden system call"},
      {"new session", "TRY(setsid());", End::kStopped, "setsid"},
      {"own process group", "TRY(setpgid(0, 0));", End::kStopped, "setpgid"},
  };
}

// signals, timers, and deafness to both
std::vector<Attack> signals() {
  return {
      {"SIGKILL to the cell's first process", "TRY(kill(1, 9));", End::kStopped, "kill"},
      {"SIGKILL to everyone", "TRY(kill(-1, 9));", End::kStopped, "kill"},
      {"SIGSTOP to the parent", "TRY(syscall(SYS_tkill, 1, 19));", End::kStopped, "tkill"},
      {"SIGKILL to itself, as the host would", "TRY(raise(9));", End::kStopped, "tgkill"},
      {"queued signal", "siginfo_t info = {}; info.si_code = -1; TRY(syscall(SYS_rt_sigqueueinfo, 1, 9, &info));",
       End::kStopped, "rt_sigqueueinfo"},
      {"signal through a process descriptor", "TRY(syscall(434, 1, 0));", End::kStopped, "pidfd_open"},
      {"signal through a descriptor's owner", "TRY(fcntl(0, F_SETOWN, 1)); fcntl(0, F_SETSIG, 9);", End::kStopped,
       "fcntl"},
      {"alarm as a time bomb", "TRY(alarm(1));", End::kStopped, "alarm"},
      {"interval timer as a time bomb",
       "itimerval when = {{1, 0}, {1, 0}}; TRY(setitimer(ITIMER_REAL, &when, nullptr));", End::kStopped, "setitimer"},
      {"timer that signals another",
       "timer_t id; sigevent event = {}; event.sigev_notify = SIGEV_THREAD_ID; "
       "event.sigev_signo = 9; TRY(timer_create(CLOCK_REALTIME, &event, &id));",
       End::kStopped, "timer_create"},
      {"deaf to the processor limit",
       "for (int s = 1; s < 64; ++s) signal(s, SIG_IGN); for (volatile int i = 0;;) i = i + 1;", End::kStopped,
       "time limit"},
      {"blocked signals",
       "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, nullptr); for (volatile int i = 0;;) i = i + 1;",
       End::kStopped, "time limit"},
      {"sleeps for ever", "for (;;) sleep(1000);", End::kStopped, "time limit"},
      {"forbidden call under blocked SIGSYS",
       "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, nullptr); TRY(fork());", End::kStopped,
       "forbidden system call"},
      {"own handler for forbidden calls", "signal(SIGSYS, SIG_IGN); TRY(fork());", End::kStopped,
       "forbidden system call"},
      {"handler that returns from forbidden calls", "signal(SIGSYS, [](int) {}); for (int i = 0; i < 3; ++i) fork();",
       End::kNothing},
  };
}

// other processes, and the parent's hold on this one
std::vector<Attack> other_processes() {
  return {
      {"ptrace of the parent", "TRY(syscall(SYS_ptrace, 16, 1, 0, 0));", End::kStopped, "ptrace"},
      {"asks to be traced", "TRY(syscall(SYS_ptrace, 0, 0, 0, 0));", End::kStopped, "ptrace"},
      {"reads another process",
       "char byte; iovec one = {&byte, 1}, other = {(void*)0x400000, 1}; "
       "TRY(syscall(SYS_process_vm_readv, 1, &one, 1, &other, 1, 0));",
       End::kStopped, "process_vm_readv"},
      {"writes another process",
       "char byte = 0; iovec one = {&byte, 1}, other = {(void*)0x400000, 1}; "
       "TRY(syscall(SYS_process_vm_writev, 1, &one, 1, &other, 1, 0));",
       End::kStopped, "process_vm_writev"},
      {"another process's descriptors", "TRY(syscall(438, 3, 0, 0));", End::kStopped, "pidfd_getfd"},
      {"compares processes", "TRY(syscall(SYS_kcmp, 1, getpid(), 0, 0, 0));", End::kStopped, "kcmp"},
      {"memory of the cell's first process", "TRY(open(\"/proc/1/mem\", O_RDONLY));", End::kNothing},
      {"becomes dumpable", "TRY(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));", End::kRefused},
      {"outlives its parent", "TRY(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));", End::kRefused},
      {"adopts orphans", "TRY(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));", End::kRefused},
  };
}

// more of the machine than its share
std::vector<Attack> share_of_the_machine() {
  return {
      {"another scheduler", "sched_param high = {50}; TRY(sched_setscheduler(0, SCHED_FIFO, &high));", End::kStopped,
       "sched_setscheduler"},
      {"higher priority", "TRY(setpriority(PRIO_PROCESS, 0, -20));", End::kStopped, "setpriority"},
      {"other processors",
       "cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one); TRY(sched_setaffinity(1, sizeof(one), &one));", End::kStopped,
       "sched_setaffinity"},
      {"disk priority", "TRY(syscall(SYS_ioprio_set, 1, 0, 1 << 13));", End::kStopped, "ioprio_set"},
      {"memory without end",
       "for (;;) { volatile char* more = (volatile char*)malloc(1 << 24); for (long i = 0; i < 1 << 24; i += 4096) "
       "more[i] = 1; }",
       End::kStopped, "memory"},
      {"address space without end",
       "while (mmap(nullptr, 1ul << 28, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != "
       "MAP_FAILED) {}\n"
       "puts(\"REFUSED\");",
       End::kHarmless},
      {"locks memory", "TRY(mlockall(3));", End::kStopped, "mlockall"},
      {"page at address 0",
       "TRY(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED "
       "? -1 : 0);",
       End::kRefused},
      {"stack without end", "TRY(deep(1));", End::kStopped, "crashed"},
  };
}

// what it prints, and how it ends
std::vector<Attack> output_and_end() {
  return {
      {"prints for ever", "for (;;) puts(\"for ever\");", End::kStopped, "time limit"},
      {"prints what is no text", "for (int i = 0; i < 256; ++i) putchar(i); puts(\"\\xF0\\x9F\");", End::kNothing},
      {"prints up to the middle of a character", "for (int i = 0; i < 100000; ++i) fputs(\"\\xE2\\x82\\xAC\", stdout);",
       End::kNothing},
      {"ends as if it had not started", "_exit(92);", End::kStopped, "status 92"},
      {"ends as if it were out of memory", "_exit(90);", End::kStopped, "ran out of its memory"},
      {"aborts", "abort();", End::kStopped, "crashed"},
      {"forges a plan", "for (int i = 3; i < 64; ++i) write(i, \"\\xff\\xff\\xff\\xff\", 4); _exit(0);", End::kStopped,
       "malformed"},
      {"a result without end",
       "static char much[1 << 20]; for (;;) for (int i = 3; i < 64; ++i) write(i, much, sizeof(much));", End::kStopped,
       "larger than it can be"},
      {"closes everything", "for (int i = 0; i < 64; ++i) close(i);", End::kStopped, "no result"},
  };
}

}  // namespace

const std::vector<Attack>& process_attacks() {
  static const std::vector<Attack> attacks =
      kg::testing::joined({new_processes(), signals(), other_processes(), share_of_the_machine(), output_and_end()});
  return attacks;
}

}  // namespace kg::sandbox::testing
