#include "attack.h"
#include "tests/joined.h"

namespace kg::sandbox::testing {
namespace {

// Reads a file of the host and says so.
Attack reads(const char* name, const char* path) {
  return {name, std::string("peek(") + path + ");", End::kNothing, "", /*needs_namespaces=*/true};
}

Attack forbidden(const char* name, const char* call, const std::string& arguments) {
  return {name, std::string("TRY(syscall(SYS_") + call + ", " + arguments + "));", End::kStopped, call};
}

// reading
std::vector<Attack> reading() {
  return {
      reads("users of the host", "\"/etc/passwd\""),
      reads("password hashes", "\"/etc/shadow\""),
      reads("a path out of the root", "\"/../../../etc/passwd\""),
      reads("a path out of the kernel's folder", "\"/kernel/../../etc/hostname\""),
      reads("a secret whose name is known", "(std::string(bait) + \"/secret\").c_str()"),
      reads("a link to a secret", "(std::string(bait) + \"/link\").c_str()"),
      reads("home", "\"/root/.bashrc\""),
      reads("environment of the first process", "\"/proc/1/environ\""),
      reads("its own map", "\"/proc/self/maps\""),
      reads("command line of its parent", "\"/proc/1/cmdline\""),
      reads("descriptors by name", "\"/proc/self/fd/0\""),
      reads("kernel symbols", "\"/proc/kallsyms\""),
      reads("memory of the machine", "\"/dev/mem\""),
      reads("messages of the kernel", "\"/dev/kmsg\""),
      reads("disk", "\"/dev/sda\""),
      reads("machine identity", "\"/etc/machine-id\""),
      reads("system", "\"/sys/kernel/notes\""),
      reads("control groups", "\"/sys/fs/cgroup/cgroup.procs\""),
      reads("docker's socket", "\"/var/run/docker.sock\""),
      reads("sources of this project", "KG_SOURCES \"/CMakeLists.txt\""),
      {"environment",
       "for (char** e = environ; e != nullptr && *e != nullptr; ++e) if (strncmp(*e, \"GLIBC_TUNABLES=\", 15) != 0) "
       "printf(\"DONE %s\\n\", *e);",
       End::kNothing},
      {"descriptors that the caller left open",
       "char byte; for (int i = 3; i < 1024; ++i) if (read(i, &byte, 1) > 0) printf(\"DONE %d\\n\", i);",
       End::kNothing},
      {"folders",
       "char bytes[4096]; int root = open(\"/\", O_RDONLY | O_DIRECTORY); TRY(syscall(SYS_getdents64, root, bytes, "
       "sizeof(bytes)));",
       End::kRefused},
      {"where a descriptor leads", "char bytes[256]; TRY(readlink(\"/proc/self/exe\", bytes, sizeof(bytes)));",
       End::kRefused},
  };
}

// writing
std::vector<Attack> writing() {
  return {
      {"overwrites a file", "TRY(open((std::string(bait) + \"/open\").c_str(), O_WRONLY));", End::kStopped, "openat"},
      {"makes a file", "TRY(creat(\"/tmp/kgescape\", 0666));", End::kStopped, ""},
      {"nameless file", "TRY(open(\"/tmp\", O_TMPFILE | O_RDWR, 0600));", End::kStopped, "openat"},
      {"its own kernel", "TRY(open(\"/kernel/kernel.so\", O_RDWR));", End::kStopped, "openat"},
      {"file through a stream", "TRY(std::ofstream(\"/tmp/kgescape\") << \"x\" ? 0 : -1);", End::kStopped, "openat"},
      {"opens by the newest call", "unsigned long how[3] = {}; TRY(syscall(437, -100, \"/kernel\", how, sizeof(how)));",
       End::kStopped, "openat2"},
      forbidden("symbolic link", "symlink", "\"/etc/passwd\", \"/kernel/kgescape\""),
      forbidden("hard link", "link", "\"/kernel/kernel.so\", \"/kernel/kgescape\""),
      forbidden("hard link of a descriptor", "linkat", "0, \"\", -100, \"/tmp/kgescape\", 0x1000"),
      forbidden("rename", "rename", "\"/kernel/host.so\", \"/kernel/kernel.so\""),
      forbidden("exchange", "renameat2", "-100, \"/kernel/host.so\", -100, \"/kernel/kernel.so\", 2"),
      forbidden("removes", "unlink", "\"/kernel/kernel.so\""),
      forbidden("removes a folder", "rmdir", "\"/kernel\""),
      forbidden("makes a folder", "mkdir", "\"/tmp/kgescape\", 0777"),
      forbidden("device file", "mknod", "\"/tmp/kgescape\", 020666, 0x101"),
      forbidden("cuts a file", "truncate", "\"/kernel/kernel.so\", 0"),
      {"cuts its descriptors", "for (int i = 0; i < 64; ++i) TRY(ftruncate(i, 1 << 30));", End::kStopped, "ftruncate"},
      forbidden("fills the disk", "fallocate", "1, 0, 0, 1L << 40"),
      forbidden("permissions", "chmod", "\"/kernel/kernel.so\", 0777"),
      forbidden("permissions of a descriptor", "fchmod", "0, 04777"),
      forbidden("owner", "chown", "\"/kernel\", 0, 0"),
      forbidden("times", "utimensat", "-100, \"/kernel\", 0, 0"),
      forbidden("attributes", "setxattr", "\"/kernel\", \"user.kgescape\", \"x\", 1, 0"),
  };
}

// other uses of descriptors
std::vector<Attack> descriptors() {
  return {
      forbidden("locks a file", "flock", "0, 2"),
      forbidden("working folder", "chdir", "\"/kernel\""),
      forbidden("mask", "umask", "0"),
      forbidden("handle of a file", "name_to_handle_at", "-100, \"/\", 0, 0, 0"),
      forbidden("file by its handle", "open_by_handle_at", "0, 0, 0"),
      forbidden("watches files", "inotify_init1", "0"),
      forbidden("watches all files", "fanotify_init", "0, 0"),
      forbidden("copies between descriptors", "copy_file_range", "0, 0, 1, 0, 1, 0"),
      forbidden("sends a file", "sendfile", "1, 0, 0, 1"),
      forbidden("splice", "splice", "0, 0, 1, 0, 1, 0"),
      forbidden("flushes all disks", "sync", "0"),
      {"more descriptors than it may have", "for (int i = 0; i < 100000; ++i) dup(1); TRY(-1);", End::kStopped, "dup"},
      forbidden("pipes", "pipe2", "0, 0"),
      forbidden("event descriptor", "eventfd2", "0, 0"),
      forbidden("timer descriptor", "timerfd_create", "0, 0"),
      forbidden("signal descriptor", "signalfd4", "-1, 0, 8, 0"),
      forbidden("waits for many", "epoll_create1", "0"),
  };
}

// the network
std::vector<Attack> network() {
  return {
      {"socket", "TRY(socket(AF_INET, SOCK_STREAM, 0));", End::kStopped, "socket"},
      {"port",
       "sockaddr_in to = {}; to.sin_family = AF_INET; to.sin_port = htons(47391); for (int i = 0; i < 64; ++i) "
       "TRY(bind(i, (sockaddr*)&to, sizeof(to)));",
       End::kStopped, "bind"},
      {"abstract socket",
       "int s = socket(AF_UNIX, SOCK_STREAM, 0); sockaddr_un to = {AF_UNIX, \"\\0kgescape\"}; TRY(bind(s, "
       "(sockaddr*)&to, sizeof(to)));",
       End::kStopped, "socket"},
      {"pair of sockets", "int two[2]; TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, two));", End::kStopped, "socketpair"},
      {"routing socket", "TRY(socket(AF_NETLINK, SOCK_RAW, 0));", End::kStopped, "socket"},
      {"packet socket", "TRY(socket(AF_PACKET, SOCK_RAW, 0));", End::kStopped, "socket"},
      {"kernel's ciphers", "TRY(socket(38, SOCK_SEQPACKET, 0));", End::kStopped, "socket"},
      {"listens on what it inherited", "for (int i = 0; i < 64; ++i) TRY(listen(i, 1));", End::kStopped, "listen"},
      {"connects what it inherited",
       "sockaddr_in to = {}; to.sin_family = AF_INET; for (int i = 0; i < 64; ++i) TRY(connect(i, (sockaddr*)&to, "
       "sizeof(to)));",
       End::kStopped, "connect"},
      {"sends on what it inherited", "for (int i = 0; i < 64; ++i) TRY(send(i, \"x\", 1, 0));", End::kStopped,
       "sendto"},
      {"hands descriptors on", "msghdr message = {}; for (int i = 0; i < 64; ++i) TRY(sendmsg(i, &message, 0));",
       End::kStopped, "sendmsg"},
      {"receives the cell's jobs",
       "char bytes[64]; for (int i = 0; i < 64; ++i) TRY(recv(i, bytes, sizeof(bytes), 0));", End::kStopped,
       "recvfrom"},
      {"name service", "TRY(gethostbyname(\"example.com\") != nullptr ? 0 : -1);", End::kStopped, "socket"},
  };
}

}  // namespace

const std::vector<Attack>& file_attacks() {
  static const std::vector<Attack> attacks = kg::testing::joined({reading(), writing(), descriptors(), network()});
  return attacks;
}

}  // namespace kg::sandbox::testing
