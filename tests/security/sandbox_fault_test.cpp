// Faults of the sandbox or the host: never a verdict, and over with their cause.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <map>
#include <thread>

#include "base/clock.h"
#include "tests/security/escapes/hostile_project.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {
namespace {

using ::testing::HasSubstr;

void expect_fault(Sandbox& sandbox, const std::string& words) {
  const auto result = sandbox.execute(request(kernel("/* not the one that is compiled already */")));
  EXPECT_THAT(result.sandbox_error(), HasSubstr(words));
  EXPECT_FALSE(result.compiled());
  EXPECT_EQ(result.compiler_output(), "");
  EXPECT_EQ(result.cases_size(), 0);
}

void expect_normal(Sandbox& sandbox) {
  const auto result = sandbox.execute(request(kernel("")));
  EXPECT_EQ(result.sandbox_error(), "");
  ASSERT_EQ(result.cases_size(), 1) << result.compiler_output();
  EXPECT_TRUE(result.cases(0).ran());
}

TEST(SandboxFault, EmptyPath) {
  const Environment path("PATH", "");
  expect_fault(*start_sandbox(options()), "");
  EXPECT_NE(start_sandbox(options())->execute(request(kernel(""))).sandbox_error(), "");
}

TEST(SandboxFault, NoCompilerOnThePath) {
  const TemporaryFolder folder;
  fs::create_symlink("/usr/bin/bwrap", folder.path() / "bwrap");
  const Environment path("PATH", folder.path());
  expect_fault(*start_sandbox(options()), "no clang++ on this machine");
}

TEST(SandboxFault, CompilerNameConfiguredToSomethingAbsent) {
  const Environment name("KGTRAIN_CLANG", "no-such-clang++");
  expect_fault(*start_sandbox(options()), "no clang++ on this machine");
}

TEST(SandboxFault, CompilerThatIsNoCompiler) {
  const TemporaryFolder home;
  const Environment cache("KGTRAIN_HOME", home.path());
  const Environment name("KGTRAIN_CLANG", "/usr/bin/false");
  expect_fault(*start_sandbox(options()), "");
  EXPECT_NE(start_sandbox(options())->execute(request(kernel(""))).sandbox_error(), "");
}

TEST(SandboxFault, NoBubblewrapIsRefusedUnlessLessIsolationIsAccepted) {
  const Environment name("KGTRAIN_BWRAP", "no-such-bwrap");
  auto strict = options();
  strict.allow_less_isolation = false;
  expect_fault(*start_sandbox(strict), "bubblewrap");
}

TEST(SandboxFault, NoSandboxProgram) {
  auto absent = options();
  absent.program = "/nonexistent/kgtrain-sandbox";
  expect_fault(*start_sandbox(absent), "cannot start the sandbox");
}

TEST(SandboxFault, FullDiskWhileCompiling) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small disk";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0755));  // without namespaces the cell's user comes this way
  const fs::path disk = folder.path() / "disk";
  fs::create_directory(disk);
  ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2m"), 0) << std::strerror(errno);
  expect_normal(*start_sandbox(options()));  // the precompiled header, which is larger than that disk, is there
  {
    auto sandbox = start_sandbox(options());
    const Environment temporary("TMPDIR", disk);
    expect_normal(*sandbox);
    std::ofstream(disk / "filler") << std::string(4 << 20, 'x');
    expect_fault(*sandbox, "No space left on device");
    fs::remove(disk / "filler");
    expect_normal(*sandbox);
  }
  ::umount2(disk.c_str(), MNT_DETACH);
}

struct Process {
  pid_t parent;
  std::string name;
};

std::map<pid_t, Process> processes() {
  std::map<pid_t, Process> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string number = entry.path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);  // empty if the process has ended meanwhile
    const auto open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos || line[close + 2] == 'Z') continue;
    all[std::stoi(number)] = {std::stoi(line.substr(close + 4)), line.substr(open + 1, close - open - 1)};
  }
  return all;
}

// Descendants of this process, with their distance.
std::map<pid_t, int> descendants() {
  const auto all = processes();
  std::map<pid_t, int> found;
  for (const auto& [pid, process] : all) {
    int distance = 1;
    pid_t above = process.parent;
    while (above > 1 && above != ::getpid()) {
      const auto next = all.find(above);
      if (next == all.end()) break;
      above = next->second.parent;
      ++distance;
    }
    if (above == ::getpid()) found[pid] = distance;
  }
  return found;
}

pid_t wait_for_descendant(int distance) {
  for (const double end = monotonic_seconds() + 60; monotonic_seconds() < end; std::this_thread::yield())
    for (const auto& [pid, found] : descendants())
      if (found == distance) return pid;
  return -1;
}

bool wait_until_gone(const std::map<pid_t, int>& known) {
  for (const double end = monotonic_seconds() + 10; monotonic_seconds() < end; std::this_thread::yield()) {
    const auto now = processes();
    if (std::none_of(known.begin(), known.end(), [&](const auto& one) { return now.count(one.first) > 0; }))
      return true;
  }
  return false;
}

constexpr const char* kLoop = "volatile int i = 0; for (;;) i = i + 1;";

TEST(SandboxFault, SandboxKilledBetweenRequestsIsStartedAgain) {
  auto sandbox = start_sandbox(options());
  expect_normal(*sandbox);
  const pid_t child = wait_for_descendant(1);
  ASSERT_GT(child, 0);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  // It may take the kernel a moment; the call that meets the dead child is the fault, the one after it is not.
  const auto result = sandbox->execute(request(kernel("")));
  if (!result.sandbox_error().empty()) expect_normal(*sandbox);
}

TEST(SandboxFault, SandboxKilledDuringARequestIsAFaultAndLeavesNoProcess) {
  auto sandbox = start_sandbox(options());
  expect_normal(*sandbox);
  auto asked = request(kernel(kLoop));
  asked.mutable_limits()->set_run_seconds(60);
  auto running = std::async(std::launch::async, [&] { return sandbox->execute(asked); });
  const int job = less_isolation() ? 3 : 4;  // sandbox, bubblewrap, cell, job
  ASSERT_GT(wait_for_descendant(job), 0);
  const auto before = descendants();
  pid_t child = -1;
  for (const auto& [pid, distance] : before)
    if (distance == 1) child = pid;
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_NE(running.get().sandbox_error(), "");
  EXPECT_TRUE(wait_until_gone(before));
  expect_normal(*sandbox);
}

TEST(SandboxFault, CallerKilledDuringARequestLeavesNoProcess) {
  const pid_t caller = ::fork();
  if (caller == 0) {
    auto asked = request(kernel(kLoop));
    asked.mutable_limits()->set_run_seconds(600);
    start_sandbox(options())->execute(asked);
    ::_exit(0);
  }
  const pid_t job = wait_for_descendant(less_isolation() ? 4 : 5);
  ASSERT_GT(job, 0);
  const auto before = descendants();
  ASSERT_EQ(::kill(caller, SIGKILL), 0);
  ::waitpid(caller, nullptr, 0);
  EXPECT_TRUE(wait_until_gone(before));
}

std::ptrdiff_t kernel_headers_in(const fs::path& home) {
  return std::count_if(fs::recursive_directory_iterator(home), {}, [](const fs::directory_entry& entry) {
    return entry.path().filename() == "kernel_operator.pch";
  });
}

TEST(SandboxFault, SandboxesThatStartAtOnceShareOnePrecompiledHeader) {
  const TemporaryFolder home;
  fs::permissions(home.path(), fs::perms(0755));
  const Environment cache("KGTRAIN_HOME", home.path());
  std::vector<std::future<void>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::async(std::launch::async, [] { expect_normal(*start_sandbox(options())); }));
  for (auto& one : all) one.get();
  EXPECT_EQ(kernel_headers_in(home.path()), 1);
}

TEST(SandboxFault, AStartedSandboxMakesTheHeaderBeforeItIsAsked) {
  const TemporaryFolder home;
  fs::permissions(home.path(), fs::perms(0755));
  const Environment cache("KGTRAIN_HOME", home.path());
  auto sandbox = start_sandbox(options());
  EXPECT_EQ(kernel_headers_in(home.path()), 0);
  sandbox->start();
  for (int tenths = 0; tenths < 600 && kernel_headers_in(home.path()) == 0; ++tenths)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(kernel_headers_in(home.path()), 1);
  expect_normal(*sandbox);
}

TEST(SandboxFault, ASandboxThatCannotStartSaysSoWhenItIsAsked) {
  SandboxOptions elsewhere = options();
  elsewhere.program = "/nowhere/kgtrain-sandbox";
  auto sandbox = start_sandbox(elsewhere);
  sandbox->start();
  expect_fault(*sandbox, "/nowhere/kgtrain-sandbox");
}

TEST(SandboxFault, BrokenPrecompiledHeaderIsNoVerdictAndIsMadeAgain) {
  const TemporaryFolder home;
  fs::permissions(home.path(), fs::perms(0755));
  const Environment cache("KGTRAIN_HOME", home.path());
  auto sandbox = start_sandbox(options());
  expect_normal(*sandbox);
  for (const auto& entry : fs::recursive_directory_iterator(home.path()))
    if (entry.path().extension() == ".pch") fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  expect_fault(*sandbox, "header is broken");
  expect_normal(*sandbox);
}

TEST(SandboxFault, KernelThatNamesThePrecompiledHeaderInAnErrorIsAVerdict) {
  auto sandbox = start_sandbox(options());
  const auto result = sandbox->execute(request(kernel("", "#error kernel_operator.pch is broken\n")));
  EXPECT_EQ(result.sandbox_error(), "");
  EXPECT_FALSE(result.compiled());
}

TEST(SandboxFault, CompilerKilledByTheHostIsNoVerdict) {
  auto sandbox = start_sandbox(options());
  expect_normal(*sandbox);
  // On a busy machine the compiler may be done before this thread sees it: then the kernel was killed, and it is tried
  // again with another source, which is compiled anew.
  std::string error = "the process of the kernel was killed by the host";
  for (int n = 0; n < 10 && error.find("the process of the kernel") != std::string::npos; ++n) {
    const std::string source = kernel(kLoop) + "// " + std::to_string(n) + "\n";
    auto running = std::async(std::launch::async, [&] { return sandbox->execute(request(source)); });
    const pid_t compiler = wait_for_descendant(less_isolation() ? 3 : 4);
    ASSERT_GT(compiler, 0);
    ASSERT_EQ(::kill(compiler, SIGKILL), 0);
    error = running.get().sandbox_error();
  }
  EXPECT_THAT(error, HasSubstr("the compiler was killed by the host"));
  expect_normal(*sandbox);
}

TEST(SandboxFault, KernelKilledByTheHostIsNoVerdict) {
  auto sandbox = start_sandbox(options());
  expect_normal(*sandbox);
  auto asked = request(kernel(kLoop));
  asked.mutable_limits()->set_run_seconds(60);
  auto running = std::async(std::launch::async, [&] { return sandbox->execute(asked); });
  // The compiler's job is at the same place before the kernel's. Whatever comes after it is killed until there is an
  // answer, which may take its time on a busy machine.
  const int job = less_isolation() ? 3 : 4;
  const pid_t compiler = wait_for_descendant(job);
  for (const double end = monotonic_seconds() + 60;
       running.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready;) {
    ASSERT_LT(monotonic_seconds(), end);
    for (const auto& [pid, distance] : descendants())
      if (distance == job && pid != compiler) ::kill(pid, SIGKILL);
  }
  const auto result = running.get();
  EXPECT_THAT(result.sandbox_error(), HasSubstr("the process of the kernel was killed by the host"));
  expect_normal(*sandbox);
}

TEST(SandboxFault, ProgramThatTheDslRefusesIsItsAuthorsFault) {
  auto asked = request("kernel");
  asked.set_language(proto::DSL);
  auto sandbox = start_sandbox(options());
  const auto result = sandbox->execute(asked);
  EXPECT_EQ(result.sandbox_error(), "");
  EXPECT_TRUE(result.rejected());
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), HasSubstr("kernel.dsl:"));
  expect_normal(*sandbox);
}

TEST(SandboxFault, LessIsolationStillFiltersSystemCalls) {
  const Environment name("KGTRAIN_BWRAP", "no-such-bwrap");
  const TemporaryFolder home;
  const Environment cache("KGTRAIN_HOME", home.path());
  fs::permissions(home.path(), fs::perms(0755));
  auto less = options();
  less.allow_less_isolation = true;
  auto sandbox = start_sandbox(less);
  expect_normal(*sandbox);
  const auto result = sandbox->execute(hostile_project("socket(2, 1, 0);"));
  EXPECT_EQ(result.sandbox_error(), "");
  ASSERT_EQ(result.cases_size(), 1);
  ASSERT_EQ(result.cases(0).faults_size(), 1);
  EXPECT_THAT(result.cases(0).faults(0).message(), HasSubstr("forbidden system call: socket"));
}

TEST(SandboxCache, CompiledKernelIsTakenFromTheCache) {
  const TemporaryFolder cache;
  fs::permissions(cache.path(), fs::perms(0755));
  auto cached = options();
  cached.cache_folder = cache.path();
  const auto asked = request(kernel(""), /*cases=*/3);
  const auto first = start_sandbox(cached)->execute(asked);
  const auto second = start_sandbox(cached)->execute(asked);
  ASSERT_EQ(first.cases_size(), 3) << first.sandbox_error();
  ASSERT_EQ(second.cases_size(), 3) << second.sandbox_error();
  EXPECT_TRUE(second.cases(2).ran());
  EXPECT_LT(second.compile_ms(), first.compile_ms() / 2);
}

}  // namespace
}  // namespace kg::sandbox::testing
