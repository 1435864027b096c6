#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/security/escapes/hostile_project.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SandboxIsolation : public SandboxTest {
 protected:
  // Native code with the whole C library, in the cell of kernels: a tiling function.
  proto::ExecutionResult run(const std::string& body) { return execute(hostile_project(body)); }
  void expect_forbidden(const std::string& body, const std::string& call) {
    const auto fault = fault_of(run(body));
    EXPECT_EQ(fault.fault_class(), "trap");
    EXPECT_THAT(fault.message(), HasSubstr("forbidden system call: " + call));
  }
};

TEST_F(SandboxIsolation, KernelThatOpensASocketIsStopped) { expect_forbidden("socket(2, 1, 0);", "socket"); }
TEST_F(SandboxIsolation, KernelThatForksIsStopped) { expect_forbidden("fork();", "clone"); }
TEST_F(SandboxIsolation, KernelThatVforksIsStopped) { expect_forbidden("vfork();", ""); }
TEST_F(SandboxIsolation, KernelThatExecsIsStopped) {
  expect_forbidden("char* none[] = {nullptr}; execve(\"/kgtrain/kgtrain-sandbox\", none, none);", "execve");
}
TEST_F(SandboxIsolation, KernelThatKillsItsParentIsStopped) { expect_forbidden("kill(1, 9);", "kill"); }
TEST_F(SandboxIsolation, KernelThatKillsEverythingIsStopped) { expect_forbidden("kill(-1, 9);", "kill"); }
TEST_F(SandboxIsolation, KernelThatTracesItsParentIsStopped) {
  expect_forbidden("syscall(101, 16, 1, 0, 0);", "ptrace");
}
TEST_F(SandboxIsolation, KernelThatLeavesItsProcessGroupIsStopped) { expect_forbidden("setpgid(0, 0);", "setpgid"); }
// Else it would read as "killed by the host", and the work would be given out for ever.
TEST_F(SandboxIsolation, KernelThatKillsItselfGetsAVerdict) { expect_forbidden("raise(9);", "tgkill"); }
// The device runs nothing but the kernel.
TEST_F(SandboxIsolation, CodeForLoadTimeDoesNotCompile) {
  const auto result =
      execute(request(kernel("", "__attribute__((constructor)) __aicore__ void early() { __builtin_trap(); }\n")));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), HasSubstr("code that would run before the kernel"));
}
TEST_F(SandboxIsolation, FunctionsOfTheHostDoNotCompile) {
  for (const char* declaration :
       {"extern \"C\" int socket(int, int, int);", "extern \"C\" __aicore__ int socket(int, int, int);"}) {
    const auto result = execute(request(kernel("socket(2, 1, 0);", declaration)));
    EXPECT_FALSE(result.compiled()) << declaration;
    EXPECT_THAT(result.compiler_output(), HasSubstr("socket")) << declaration;
  }
}

TEST_F(SandboxIsolation, KernelThatWritesAHugeFileIsStopped) {
  const fs::path target = fs::temp_directory_path() / ("kgtrain-escape-" + std::to_string(::getpid()));
  expect_forbidden("int f = open(\"" + target.string() +
                       "\", 01 | 0100, 0666); char zero[4096] = {};\n"
                       "for (;;) write(f, zero, sizeof(zero));",
                   "openat");
  EXPECT_FALSE(fs::exists(target));
}

TEST_F(SandboxIsolation, KernelSeesNoFileOfTheHost) {
  if (less_isolation()) GTEST_SKIP() << "without namespaces host files are readable";
  const TemporaryFolder mine;
  write_file_atomically(mine.path() / "secret", "TOP SECRET");
  std::string body;
  const char* home = std::getenv("HOME");
  for (const std::string& path :
       {std::string("/etc/passwd"), std::string("/etc/hostname"), std::string("/proc/1/environ"),
        std::string("/proc/self/maps"), std::string("/sys/kernel/version"), std::string("/dev/null"),
        std::string("/usr/bin/env"), std::string("/work/kernel.cpp"), std::string("/tmp"),
        std::string(home != nullptr ? home : "/root"), (mine.path() / "secret").string(),
        std::string(KG_SOURCE_DIR) + "/CMakeLists.txt"})
    body += "peek(\"" + path + "\");\n";
  const auto result =
      run(body +
          "const char* names[] = {\"PATH\", \"HOME\", \"USER\", \"KGTRAIN_HOME\", \"LD_LIBRARY_PATH\"};\n"
          "for (const char* name : names) if (const char* value = getenv(name)) puts(value);\nif (getuid() == 0) "
          "puts(\"ROOT\"); fputs(\"end\", stdout);");
  ASSERT_EQ(result.cases_size(), 1) << result.compiler_output();
  EXPECT_TRUE(result.cases(0).ran());
  EXPECT_EQ(result.cases(0).host().log(), "end");
}

TEST_F(SandboxIsolation, KernelCannotPassItsEndOffAsASandboxFault) {
  for (const int status : {0, 1, 90, 91, 92}) {
    const auto fault = fault_of(run("_exit(" + std::to_string(status) + ");"));
    EXPECT_NE(fault.message(), "") << status;
  }
}

TEST_F(SandboxIsolation, KernelThatWritesToEveryDescriptorGetsAVerdict) {
  const auto fault = fault_of(run("for (int i = 3; i < 64; ++i) write(i, \"\\xff\\xff\\xff\\xff\", 4); _exit(0);"));
  EXPECT_EQ(fault.fault_class(), "trap");
}

TEST_F(SandboxIsolation, KernelThatClosesEveryDescriptorGetsAVerdict) {
  fault_of(run("for (int i = 0; i < 64; ++i) close(i);"));
}

TEST_F(SandboxIsolation, KernelThatStartsAThreadIsStopped) {
  const auto fault = fault_of(run("pthread_t id; pthread_create(&id, nullptr, endless, nullptr);"));
  EXPECT_THAT(fault.message(), HasSubstr("forbidden system call"));
}

class SandboxCompiler : public SandboxIsolation {};

TEST_F(SandboxCompiler, SourceThatIncludesAHostFileDoesNotCompile) {
  if (less_isolation()) GTEST_SKIP() << "without namespaces host files are readable";
  for (const char* path : {"/etc/passwd", "/proc/self/environ", "/proc/1/environ", "/etc/hostname"}) {
    const auto result = execute(request(kernel("", "#include \"" + std::string(path) + "\"\n")));
    EXPECT_FALSE(result.compiled()) << path;
    EXPECT_THAT(result.compiler_output(), HasSubstr("file not found")) << path;
  }
}

TEST_F(SandboxCompiler, SourceThatEmbedsAHostFileByTheAssemblerDoesNotCompile) {
  if (less_isolation()) GTEST_SKIP() << "without namespaces host files are readable";
  const auto result = execute(request(kernel("", "__asm__(\".incbin \\\"/etc/passwd\\\"\");\n")));
  EXPECT_FALSE(result.compiled());
}

TEST_F(SandboxCompiler, SourceThatCrashesTheCompilerDoesNotCompile) {
  const auto result = execute(request(kernel("", "#pragma clang __debug crash\n")));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), HasSubstr("crash"));
}

TEST_F(SandboxCompiler, MessagesNameTheUsersFileAndLine) {
  const auto result = execute(request(kernel("undeclared = 1;")));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), HasSubstr("kernel.cpp:5:1: error: use of undeclared identifier 'undeclared'"));
  EXPECT_THAT(result.compiler_output(), Not(HasSubstr("/work")));
  EXPECT_THAT(result.compiler_output(), Not(HasSubstr("/kgtrain")));
}

TEST_F(SandboxCompiler, SourceWithoutTheHeaderDoesNotCompile) {
  const auto result =
      execute(request("extern \"C\" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR z) {}\n"));
  EXPECT_FALSE(result.compiled());
}

TEST_F(SandboxCompiler, SourceWithoutTheEntryPointDoesNotCompile) {
  auto asked = request(kernel(""));
  asked.set_entry_point("another");
  EXPECT_FALSE(execute(asked).compiled());
}

}  // namespace
}  // namespace kg::sandbox::testing
